/* Tensor data in JSON form (000, "Tensor Data"): nested or flat in, flat out, every bit kept. */
#ifndef TENSOR_JSON_TENSOR_H
#define TENSOR_JSON_TENSOR_H

#include "base/buf.h"
#include "tensor/tensor.h"
#include "json/reader.h"

/* How the nesting of "data" relates to the shape. */
enum nesting { NESTING_FLAT, NESTING_SHAPED, NESTING_OTHER };

/* Reads the array at the cursor (an array of elements, or nested arrays in the natural form) into row-major memory.
 *   tensor     name and datatype are set, shape and rank too if known (they guide `nesting` only); gets data (arena,
 *              64-byte aligned, grown as elements come: never more than a few times the text), size and count
 *   nesting    NESTING_FLAT, or NESTING_SHAPED when the brackets follow the shape exactly, else NESTING_OTHER; may be
 *              NULL
 *
 * Elements must be exactly of the type: numbers by exact value for integers (1.0 is 1; 1.5, 300 into UINT8 and true are
 * refused), the nearest for floats, ties to even, in one rounding (overflow refused), true and false for BOOL, strings
 * for BYTES (their UTF-8 bytes).
 *
 * Fails with INVALID_ARGUMENT, naming tensor, position, element and datatype; `broken` is "element-null",
 * "element-range" (a number of the right kind that the datatype cannot hold) or "element-type"; a value that is no
 * array is "data-array". Faults of the text itself stay in the reader (json_end): then OK is returned and the tensor
 * may be half read. */
struct status json_read_tensor(struct json_reader *json, struct tensor *tensor, enum nesting *nesting,
                               struct arena *arena);

/* Writes data as one flat JSON array: shortest round-trip numbers, BOOL as true and false, BYTES as strings. FP16 and
 * BF16 as the shortest decimal that reads back to the same 16 bits. Fails with INTERNAL, naming the tensor and the
 * position, on NaN, infinity and BYTES that are not UTF-8: JSON cannot say them. */
struct status json_write_tensor(const struct tensor *tensor, struct buf *out, struct arena *arena);

#endif
