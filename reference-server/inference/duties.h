/* The duties: what the documents demand of an inference request, as a table in the order in which it is checked.
 * Reading the table is reading the rules; the slug of a row is the requirement's key without its profile. Switching a
 * row off (switches.h) is a deviation and leaves a defined path: missing elements are zero, surplus ones cut, an
 * unknown input or output is left out, a missing input is zeros of the smallest shape, another datatype is cast element
 * by element. */
#ifndef INFERENCE_DUTIES_H
#define INFERENCE_DUTIES_H

#include "inference/infer.h"

struct duty {
    const char *slug;
    struct status (*check)(struct infer_request *request, const struct duty *duty);
    void (*amend)(struct infer_request *request); /* what is done instead when the duty is off; NULL: it is never off */
};

extern const struct duty infer_duties[];
extern const size_t infer_duty_count;

#endif
