/* The duties: what the documents demand of an inference request, in every encoding. They are a table, in the order in
 * which they are checked; the slug of a row is the key of its requirement without the profile. */
#pragma once

#include "inference/infer.h"

/* Finds the model, and checks each duty. A request that breaks one is refused: `broken` of the status is the slug. */
struct status duties_check(struct infer_request *request);
