/* Tensor data as JSON (000, "Tensor Data"). Nested and flat arrays are read; flat arrays are written. Every bit is
 * kept. */
#pragma once

#include "base/buf.h"
#include "tensor/tensor.h"
#include "json/reader.h"

/* How the nesting of "data" relates to the shape (SPEC_NOTES.md, note 44). */
enum nesting { NESTING_FLAT, NESTING_SHAPED, NESTING_OTHER };

/* Reads the array at the cursor into row-major memory. It is an array of elements, or nested arrays in their natural
 * form.
 *   tensor     The caller sets name and datatype, and shape and rank if it knows them. The shape is not checked: it
 *              serves to set `nesting` and to reserve memory. The function sets data, size and count. The data lies in
 *              the arena, aligned to 64 bytes, and never takes more than a few times the size of the text.
 *   nesting    Gets NESTING_FLAT, or NESTING_SHAPED if the brackets follow the shape exactly, otherwise
 *              NESTING_OTHER. It may be NULL.
 *
 * Elements must be exactly of the datatype. Integers are read by exact value: 1.0 is 1; 1.5, true, and 300 for UINT8
 * are refused. Floats are rounded once, to nearest, ties to even; overflow is refused. A BOOL is true or false; a BYTES
 * element is a string and becomes its UTF-8 bytes.
 *
 * Fails with INVALID_ARGUMENT and names the tensor, the position, the element and the datatype. `broken` is
 * "element-null", "element-range" (a number of the right kind that the datatype cannot hold) or "element-type"; it is
 * "data-array" for a value that is no array. A fault of the text itself is reported by json_end: the function then
 * returns OK, and the tensor may be incomplete. */
struct status json_read_tensor(struct json_reader *json, struct tensor *tensor, enum nesting *nesting,
                               struct arena *arena);

/* Writes the data as one flat JSON array: the shortest numbers that read back to the same bits, true and false for
 * BOOL, strings for BYTES. Fails with INTERNAL, and names the tensor and the position, for NaN, infinity and BYTES that
 * are not UTF-8, because JSON cannot express them (SPEC_NOTES.md, notes 51 and 53). */
struct status json_write_tensor(const struct tensor *tensor, struct buf *out, struct arena *arena);
