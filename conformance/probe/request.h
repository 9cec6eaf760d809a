/* Makes a valid request for a model of which only the metadata is known (000, "Model Metadata Response JSON Object").
 * Names, datatypes and shapes are those of the metadata. The data is small and safe for any model: whole numbers from 0
 * to 9, floats from 0 to 0.875 in steps of 1/8 (exact in every float type), BYTES of one ASCII digit. */
#pragma once

#include "base/status.h"
#include "tensor/datatype.h"
#include "tree/tree.h"
#include <stdint.h>

#define REQUEST_LISTED       4096 /* elements of all tensors whose data is a list; the others are {"$hex"} */
#define REQUEST_ELEMENTS_MAX ((size_t)4 << 20) /* of all tensors */
#define REQUEST_INPUTS_MAX   256
#define REQUEST_OUTPUTS_MAX  1024 /* that the metadata lists, or that come */
#define REQUEST_NAME_MAX     4096 /* bytes of a tensor's name */

/* The sizes that dimensions of variable size (-1) get: `batch` for the first dimension of a tensor of rank 2 or more,
 * which is often the batch, `other` for all others. */
struct request_sizes {
    int64_t batch, other;
};

/* Makes the list `inputs` of an infer act, in the order of the metadata, in the arena. `model` and `seed` determine the
 * data. INVALID_ARGUMENT says what in the metadata cannot be used. */
struct status request_from_metadata(const struct tree *metadata, struct str model, struct request_sizes sizes,
                                    uint64_t seed, struct arena *arena, struct tree **inputs);

/* Whether request_from_metadata can succeed. */
bool request_is_makeable(const struct tree *metadata, struct str model);

/* Whether the metadata has a dimension of variable size, so that other sizes make another request. */
bool request_varies(const struct tree *metadata);

/* Returns the data of a tensor as requests have it, in the arena: a copy of the flat list, or packed, as {"$hex"}, if
 * it has more elements than may still become a list. `listable` is that number, at first REQUEST_LISTED; it is lowered.
 * Every play of the model copies the lists. */
struct tree *request_data(const struct tree *list, enum datatype datatype, size_t *listable, struct arena *arena);

/* How many elements the inputs of an act have, by their shapes. */
size_t request_elements(const struct tree *inputs);
