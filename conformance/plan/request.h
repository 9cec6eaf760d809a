/* The request of a play. */
#pragma once

#include "plan/plan.h"
#include "protocols/request.h"

/* Returns the last version that the metadata of the model lists; "1" if it lists none of the kit's model. The model is
 * one of the kit, or a probed one; `probe` is NULL for the former. */
struct str plan_last_version(const struct plan_target *target, struct str kit_model, const struct tree *probe);

/* Returns the version that a request of the profile names although its case does not: the last one that the metadata of
 * the model lists, if the target refuses requests without a version; else it is empty. */
struct str plan_version(const struct plan_target *target, const struct profile *profile, struct str kit_model,
                        const struct tree *probe);

/* Returns what is sent for the play, with the version of plan_version. */
struct sending play_sending(const struct play *play, const struct plan_target *target);

/* Makes the request of the play, with the errors of request_make (protocols/request.h). */
struct status play_request(const struct play *play, const struct plan_target *target, struct arena *arena,
                           struct request *request);

/* Makes the exchange that a case shows to people who learn: its request, and its correct answer. The play has an
 * `answer`. Fails like request_make and request_right_answer. */
struct status play_right_exchange(const struct play *play, const struct plan_target *target, struct arena *arena,
                                  struct request *request, struct answer *answer);
