/* A target that limits requests answers 429 (RFC 6585). The judge then waits as long as Retry-After says, and asks
 * again. A target for which that would take too long is not judged. */
#ifndef CLIENT_LIMIT_H
#define CLIENT_LIMIT_H

#include "client/client.h"

struct limit {
    double waited; /* seconds, so far */
    size_t tries;  /* answers 429 so far */
};

/* Whether the request must be sent again: the answer is 429, and the time that it asks for has now been waited. If that
 * would be too long, the answer's outcome becomes OUTCOME_LIMITED, with a sentence in the arena. */
bool limit_asks_again(struct limit *limit, struct answer *answer, struct arena *arena);

#endif
