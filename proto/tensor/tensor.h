/* A tensor: named, typed, row-major memory without gaps (000, "Tensor Data").
 *
 * Elements lie in host memory exactly as in the raw representation: little-endian numbers, one byte (0 or 1) a BOOL,
 * and for BYTES each element as a 4-byte little-endian length and then its bytes (the convention that all V2 servers
 * share; the documents do not define it). So raw data is used where it lies and identity costs nothing. Hosts are
 * little-endian. */
#ifndef TENSOR_TENSOR_H
#define TENSOR_TENSOR_H

#include "base/arena.h"
#include "base/status.h"
#include "tensor/datatype.h"
#include <stdint.h>

#define TENSOR_RANK_MAX 32

struct tensor {
    struct str name;
    enum datatype datatype;
    const int64_t *shape; /* `rank` dimensions, none negative; rank 0 is a scalar of one element */
    size_t rank;
    size_t count; /* elements that `data` holds; equals the product of the shape once checked */
    void *data;
    size_t size; /* bytes of data */
};

/* Product of the dimensions; false if one is negative or the product (or product x 8) overflows. Rank 0 gives 1. */
bool shape_count(const int64_t *shape, size_t rank, size_t *count);

/* "[1,16]", in the arena. */
const char *shape_text(struct arena *arena, const int64_t *shape, size_t rank);

#endif
