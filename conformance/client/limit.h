/* A target that limits requests answers 429 (RFC 6585), or 503 with Retry-After (RFC 9110, 15.6.4), or over gRPC
 * RESOURCE_EXHAUSTED or UNAVAILABLE with the time to wait in its metadata. The judge then waits as long as Retry-After
 * or grpc-retry-pushback-ms says, and asks again. A target for which that would take too long is not judged; 503 then
 * is the answer that is judged. */
#pragma once

#include "client/answer.h"

struct limit {
    double waited;   /* seconds, so far */
    size_t tries;    /* such answers so far */
    bool busy_lasts; /* a 503 lasted too long: no other one is waited for */
};

/* Whether the answer says that the target limits requests. */
bool limit_is_reached(const struct answer *answer);

/* Whether the request must be sent again: the answer asks for a time, and that has now been waited. If that
 * would be too long, the answer's outcome becomes OUTCOME_LIMITED, with a sentence in the arena. */
bool limit_asks_again(struct limit *limit, struct answer *answer, struct arena *arena);
