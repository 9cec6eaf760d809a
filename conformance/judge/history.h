/* What was sent over a connection before an exchange. A server that loses its place on a connection, or remembers what
 * it should not, answers the next requests wrongly, each of which is answered rightly on a connection of its own. */
#pragma once

#include "judge/exchange.h"

#define HISTORY_MAX 32

/* The plays whose requests went over a connection, the last one last. */
struct history {
    const struct play *plays[HISTORY_MAX];
    size_t count;
    bool hangs; /* a request that got no answer in time got none over a connection of its own either: no such request is
                   tried once more */
};

/* Notes that a request of the play of the plan was sent and so answered. */
void history_note(struct history *history, const struct play *play, const struct request *request,
                  const struct answer *answer);

/* Whether requests of other plays went over the connection of the exchange before it. */
bool history_has_others(const struct history *history, const struct play *play, const struct exchange *exchange);
