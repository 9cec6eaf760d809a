/* The duties: what the documents demand of an inference request, in every encoding. They are a table, in the order in
 * which they are checked; the slug of a row is the key of its requirement without the profile.
 *
 * A deviation can switch a row off (switches.h). The request is then amended: missing elements become zeros, surplus
 * ones are cut, an unknown input or output is left out, a missing input becomes zeros, and another datatype is cast
 * element by element (text becomes zeros, and numbers become empty strings). */
#ifndef INFERENCE_DUTIES_H
#define INFERENCE_DUTIES_H

#include "inference/infer.h"

struct duty {
    const char *slug;
    struct status (*check)(struct infer_request *request, const struct duty *duty);
    void (*amend)(struct infer_request *request); /* amends the request if the duty is off; NULL: it is never off */
};

extern const struct duty infer_duties[];
extern const size_t infer_duty_count;

#endif
