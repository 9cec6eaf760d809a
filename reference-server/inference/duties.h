/* The duties: what the documents demand of an inference request, in every encoding. They are a table, in the order in
 * which they are checked; the slug of a row is the key of its requirement without the profile. A request that breaks
 * one is refused, and `broken` of the status is the slug. */
#pragma once

#include "inference/infer.h"

struct duty {
    const char *slug;
    struct status (*check)(struct infer_request *request, const struct duty *duty);
};

extern const struct duty infer_duties[];
extern const size_t infer_duty_count;
