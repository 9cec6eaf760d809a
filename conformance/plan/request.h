/* The request of a play. */
#ifndef PLAN_REQUEST_H
#define PLAN_REQUEST_H

#include "plan/plan.h"
#include "protocols/request.h"

/* Returns what is sent for the play. If the target refuses inferences without a version, the request gets the last
 * version that the model's metadata lists. */
struct sending play_sending(const struct play *play, const struct plan_target *target);

/* Makes the request of the play, with the errors of request_make (protocols/request.h). */
struct status play_request(const struct play *play, const struct plan_target *target, struct arena *arena,
                           struct request *request);

#endif
