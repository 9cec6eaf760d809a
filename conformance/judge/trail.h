/* What was sent over a connection before an exchange. A server that loses its place on a connection, or remembers what
 * it should not, answers the next requests wrongly, each of which is answered rightly on a connection of its own. */
#ifndef JUDGE_TRAIL_H
#define JUDGE_TRAIL_H

#include "judge/exchange.h"

#define TRAIL_MAX 32

/* The plays whose requests went over a connection, the last one last. */
struct trail {
    const struct play *plays[TRAIL_MAX];
    size_t count;
    bool hangs; /* a request that got no answer in time got none over a connection of its own either: no such request is
                   tried once more */
};

/* Notes that a request of the play was sent and so answered. */
void trail_note(struct trail *trail, const struct play *play, const struct request *request,
                const struct answer *answer);

/* What it takes to have an exchange judged once more as it was. */
struct encore {
    bool by_curl;                     /* its request alone, as a curl command sends it */
    const struct play *const *before; /* else these plays must be sent before it, over the same connection */
    size_t before_count;
};

/* Finds that out for an exchange that did not pass and that is all of its play: asks again over new connections, first
 * alone, then behind more and more of those that went before it. If nothing helps, and where it must not be asked
 * again, it is by_curl. `base` and `results` as for exchange_judge. */
struct encore trail_encore(const struct play_options *options, const struct play *play, const struct tree *base,
                           const struct exchange *exchange, const struct result *results);

#endif
