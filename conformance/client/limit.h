/* A target that limits requests answers 429 (RFC 6585), or 503 with Retry-After (RFC 9110, 15.6.4), or over gRPC
 * RESOURCE_EXHAUSTED or UNAVAILABLE with the time to wait in its metadata. The judge then waits as long as Retry-After
 * or grpc-retry-pushback-ms says, and asks again. If a target would make the judge wait for too long, the exchange is
 * LIMITED and not judged; but a 503 is then judged as the answer. */
#pragma once

#include "client/answer.h"

struct limit {
    double waited;   /* seconds, so far */
    size_t tries;    /* such answers so far */
    bool busy_lasts; /* a 503 lasted too long: no later one is waited for */
};

/* Whether the answer says that the target limits requests. */
bool limit_is_reached(const struct answer *answer);

/* Waits as long as the answer asks for, and returns whether the request must be sent again. If that time is too long,
 * it does not wait, and the answer's outcome becomes OUTCOME_LIMITED, with a sentence in the arena. */
bool limit_asks_again(struct limit *limit, struct answer *answer, struct arena *arena);
