/* Judging what passes: the client by the rows that say which requests are wrong, the server by the watchers of the
 * suite, by the rows that say what its answer must have of the request, and by whether it refuses wrong requests. */
#pragma once

#include "client/client.h"
#include "plan/plan.h"
#include "watch/findings.h"

struct traffic;

/* An exchange that passed. All of it lies in the caller's arena. */
struct passed {
    const struct endpoint *endpoint;
    struct request request; /* over gRPC its `messages` are those that came */
    bool is_asked;          /* the request came as a whole */
    struct answer answer;
    bool is_answered; /* there is an answer that can be judged */
};

/* Makes the judge of what passes, in the arena. Suite and plan must live as long. */
struct traffic *traffic_new(const struct suite *suite, const struct plan *plan, struct traffic_findings *findings,
                            struct arena *arena);

/* Judges an exchange. Nothing of it is kept but what the findings say. */
void traffic_exchange(struct traffic *traffic, struct passed *passed, struct arena *arena);

/* Counts what is not judged, by its reason. */
void traffic_not_judged(struct traffic *traffic, const char *why);

/* Tells that the target cannot be reached. */
void traffic_unreachable(struct traffic *traffic, struct str target, struct str why);
