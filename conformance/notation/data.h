/* The data of one tensor in the forms that encodings need: the list of elements in a case, raw bytes, nested lists.
 *
 * Flat and nested data are those of 000, Tensor Data; the raw form is that of raw_input_contents (000, gRPC) in the
 * layout of SPEC_NOTES.md, note 56. */
#pragma once

#include "tensor/datatype.h"
#include "tensor/tensor.h"
#include "tree/tree.h"

/* The most elements, or other values, of one answer that are decoded. Each takes about 130 bytes in a tree. */
#define ELEMENTS_MAX   ((size_t)1 << 20) /* in an answer that may be large */
#define ELEMENTS_SMALL ((size_t)1 << 16)

/* Whether a member `data` of a case holds elements, as a list or a codec, and not a value of a wrong type. */
bool data_is(const struct tree *data);

/* Appends member `data` of a case ([1, 2, {"$hex": "ff"}], or one codec for all of it) as raw bytes of the datatype.
 * UNIMPLEMENTED: raw bytes cannot hold an element that does not fit. INVALID_ARGUMENT: a codec is wrong. */
struct status data_raw(const struct tree *data, enum datatype datatype, struct arena *arena, struct buf *out);

/* Makes member `data` of a case into a list of numbers, booleans and strings; it is flat unless the case nests it.
 * Codecs become strings of their bytes. 64-bit integers and floats that the case writes as texts ("9007199254740993",
 * "-0.0") become numbers; NaN and infinities stay strings. Elements that do not fit the datatype stay as they are. The
 * list lies in the arena. UNIMPLEMENTED: `data` is neither a list nor a codec of whole elements. INVALID_ARGUMENT: a
 * codec is wrong. */
struct status data_elements(const struct tree *data, enum datatype datatype, struct arena *arena, struct tree **list);

/* Makes raw bytes into a flat list of elements, as above, in the arena. Floats get the shortest spelling that reads
 * back to the same value; FP16 and BF16 get that of the FP32 with the same value. INVALID_ARGUMENT: the bytes are not
 * whole elements. RESOURCE_EXHAUSTED: there are more than `most` elements. */
struct status data_of_raw(struct str bytes, enum datatype datatype, size_t most, struct arena *arena,
                          struct tree **list);

/* Nests the elements by the shape, beginning at the front. If their number does not fit the shape, the last row is
 * shorter or longer. Rank 0 and 1 stay flat. The elements are moved out of `list`. */
struct tree *data_nested(struct tree *list, const int64_t *shape, size_t rank, struct arena *arena);

/* Makes nested lists of any depth into one flat list of copies, in the arena. NULL if `data` is no list. */
struct tree *data_flat(const struct tree *data, struct arena *arena);

/* Reads member `shape`, at most TENSOR_RANK_MAX dimensions. False if it is no list of integers, or too long. */
bool data_shape(const struct tree *shape, int64_t dimensions[TENSOR_RANK_MAX], size_t *rank);
