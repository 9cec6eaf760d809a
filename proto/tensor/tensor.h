/* proto/tensor/ holds the data of tensors: its datatypes, its two forms on the wire (raw and JSON) and casts. It may
 * include base/ and json/ and nothing else.
 *
 * A tensor has a name, a datatype, a shape, and data in row-major order without gaps (000, "Tensor Data"). The data
 * lies in memory exactly as in raw form: little-endian numbers; one byte, 0 or 1, for a BOOL; and for BYTES a
 * little-endian length of 4 bytes before the bytes of each element (SPEC_NOTES.md, note 56). So raw data is used
 * without a copy. The host must be little-endian. A tensor owns nothing: its pointers lead into an arena or a
 * message. */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "tensor/datatype.h"
#include <stdint.h>

#define TENSOR_RANK_MAX 32

struct tensor {
    struct str name;
    enum datatype datatype;
    const int64_t *shape; /* `rank` dimensions, none negative; rank 0 is a scalar, which has one element */
    size_t rank;
    size_t count; /* elements in `data`; once checked, it equals the product of the dimensions */
    void *data;
    size_t size; /* bytes of data */
};

/* Sets *count to the product of the dimensions; a rank of 0 gives 1. Returns false if a dimension is negative, or if
 * the product or eight times the product overflows. */
bool shape_count(const int64_t *shape, size_t rank, size_t *count);

/* Returns the shape as a text like "[1,16]", in the arena. */
const char *shape_text(struct arena *arena, const int64_t *shape, size_t rank);
