/* A valid request for a model that is known by its metadata alone (000, "Model Metadata Response JSON Object"): the
 * names, datatypes and shapes that it gives, with data that is small and safe for any model: whole numbers from 0 to 9,
 * floats from 0 to 0.875 in steps of 1/8 (every float type says them exactly), BYTES of one ASCII digit. */
#ifndef PROBE_REQUEST_H
#define PROBE_REQUEST_H

#include "base/status.h"
#include "tree/tree.h"
#include <stdint.h>

#define REQUEST_LISTED       4096 /* elements of all tensors whose data is a list; of others it is {"$hex"} */
#define REQUEST_ELEMENTS_MAX ((size_t)4 << 20) /* of all tensors */
#define REQUEST_INPUTS_MAX   256

/* What dimensions of variable size (-1) become: the first of a tensor of rank 2 and more, which often counts a batch,
 * and the others. */
struct request_sizes {
    int64_t batch, other;
};

/* The list `inputs` of an infer act, in the order of the metadata. `model` and `seed` decide the data. INVALID_ARGUMENT
 * says what of the metadata cannot be used. */
struct status request_from_metadata(const struct tree *metadata, struct str model, struct request_sizes sizes,
                                    uint64_t seed, struct arena *arena, struct tree **inputs);

/* Whether such a request can be made at all. */
bool request_is_makeable(const struct tree *metadata, struct str model);

/* Whether the metadata has a dimension of variable size, so that other sizes make another request. */
bool request_varies(const struct tree *metadata);

/* How many elements the inputs of an act have, by their shapes. */
size_t request_elements(const struct tree *inputs);

#endif
