/* The request of a play. */
#ifndef PLAN_REQUEST_H
#define PLAN_REQUEST_H

#include "plan/plan.h"
#include "protocols/request.h"

/* What is sent for the play: of a target that refuses inferences without a version, with the last version that the
 * model's metadata lists. */
struct sending play_sending(const struct play *play, const struct plan_target *target);

/* As request_make (protocols/request.h). */
struct status play_request(const struct play *play, const struct plan_target *target, struct arena *arena,
                           struct request *request);

#endif
