/* What was sent over a connection before an exchange. A server that gets out of step on a connection, or remembers
 * something that it should not, answers the next requests wrongly, although it answers each of them correctly on a
 * connection of its own. */
#pragma once

#include "judge/exchange.h"

#define HISTORY_MAX 32

/* The plays whose requests went over a connection, the last one last. */
struct history {
    const struct play *plays[HISTORY_MAX];
    size_t count;
    bool hangs; /* a request timed out, and timed out again over a connection of its own: no further request that times
                   out is repeated */
};

/* Notes that a request of the play was sent, and how it was answered. `play` is in the plan's list. */
void history_note(struct history *history, const struct play *play, const struct request *request,
                  const struct answer *answer);

/* Whether requests of other plays went over the connection of the exchange before it. */
bool history_has_others(const struct history *history, const struct play *play, const struct exchange *exchange);
