/* The data of one tensor, in the forms that encodings need: the list of elements of a case, raw bytes, nested lists. */
#ifndef NOTATION_DATA_H
#define NOTATION_DATA_H

#include "tensor/datatype.h"
#include "tensor/tensor.h"
#include "tree/tree.h"

/* Elements, or other values, of one answer that are decoded; a tree takes about 130 bytes for each. */
#define ELEMENTS_MAX   ((size_t)1 << 20) /* where it may be large */
#define ELEMENTS_SMALL ((size_t)1 << 16)

/* Member `data` of a case ([1, 2, {"$hex": "ff"}], or a codec that stands for all of it) as raw bytes of the datatype.
 * UNIMPLEMENTED: an element does not fit the datatype, so raw bytes cannot say it. INVALID_ARGUMENT: a codec in it is
 * faulty. */
struct status data_raw(const struct tree *data, enum datatype datatype, struct arena *arena, struct buf *out);

/* The same as a list, flat unless the case nests it: numbers, booleans and strings; codecs replaced by their bytes,
 * 64-bit integers and floats that the case writes as strings ("9007199254740993", "-0.0") turned into numbers. NaN and
 * infinities stay strings. Elements that do not fit the datatype stay as they are. UNIMPLEMENTED: `data` is no list and
 * no codec of whole elements. INVALID_ARGUMENT: a codec in it is faulty. */
struct status data_elements(const struct tree *data, enum datatype datatype, struct arena *arena, struct tree **list);

/* Raw bytes as a flat list of elements, as above; floats in the shortest spelling that reads back. FP16 and BF16 as
 * the FP32 of that value. INVALID_ARGUMENT when the bytes are no whole elements, RESOURCE_EXHAUSTED
 * when they are more than `most`. */
struct status data_of_raw(struct str bytes, enum datatype datatype, size_t most, struct arena *arena,
                          struct tree **list);

/* The elements nested by the shape, split from the front: the last row comes out short or long when there are more or
 * fewer elements than the shape holds. Rank 0 and 1 stay flat. The elements are moved out of `list`. */
struct tree *data_nested(struct tree *list, const int64_t *shape, size_t rank, struct arena *arena);

/* Nested lists as one flat list, to any depth; NULL if `data` is no list. Elements are copied. */
struct tree *data_flat(const struct tree *data, struct arena *arena);

/* Member `shape` as numbers, at most TENSOR_RANK_MAX; false if it is no list of integers. */
bool data_shape(const struct tree *shape, int64_t dimensions[TENSOR_RANK_MAX], size_t *rank);

#endif
