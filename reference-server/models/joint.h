/* One execution for several requests: their inputs are joined along the first dimension, the outputs are split again.
 * The joined inputs and outputs lie in an arena of their own, which is charged to the first request and may take as
 * much as that may still take. The arena is freed before the first answer. Each request gets a copy of its rows. */
#pragma once

#include "models/backend.h"

/* A request that is executed with others; it lies in the arena of its execution. */
struct joined {
    struct turn turn; /* must be the first member */
    struct execution *execution;
    uint64_t size;            /* elements of its batch: the first dimension of its inputs */
    int64_t came;             /* by clock_now */
    struct joined *next;      /* in the same batch; NULL: the last */
    struct joined *following; /* of the first of a batch: the first of another one */
    struct status status;     /* of its outputs, when they are split */
};

/* Whether both can be in one batch: the inputs have the same dimensions after the first. */
bool joint_agrees(const struct model *model, const struct joined *one, const struct joined *other);

/* Executes a batch, which all hold the model. batcher_execute says how the executions end. An execution alone is not
 * copied. */
void joint_execute(struct model *model, struct joined *batch);
