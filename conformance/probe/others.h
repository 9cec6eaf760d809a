/* Other inputs for a model than those of a request that it took: with a batch of three, and with elements that only
 * some servers carry well. */
#pragma once

#include "probe/request.h"

/* Elements that are sent, in turn, instead of those of tensors of that datatype. */
struct elements {
    const char *datatype, *texts[2];
};

#define OTHERS_COUNT 4

struct other {
    const char *name;            /* of the member of a probe that has the inputs (probe/learn.h) */
    bool untried;                /* models are not asked whether they take them */
    struct elements elements[5]; /* without a datatype after the last */
};

extern const struct other others[OTHERS_COUNT];

/* Returns the inputs with these elements, in the arena; NULL if no input has such a datatype. */
struct tree *others_make(const struct other *other, const struct tree *inputs, struct arena *arena);

/* Returns inputs that are made from the metadata as `promised` were, with these sizes, but with a batch of three; NULL
 * if the metadata does not leave its size open, or if they are large. They lie in the arena. */
struct tree *others_batch(const struct tree *metadata, struct str model, struct request_sizes sizes, uint64_t seed,
                          const struct tree *promised, struct arena *arena);
