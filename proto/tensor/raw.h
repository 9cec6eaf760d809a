/* Tensor data in raw form (000, "raw_input_contents"; layout as tensor.h says). */
#ifndef TENSOR_RAW_H
#define TENSOR_RAW_H

#include "tensor/tensor.h"

/* Checks that `bytes` is raw data of tensor->datatype and tells how many elements it holds: sets data (not copied),
 * size and count. Name and datatype are set before; shape and rank are only read for the message. Fails with
 * INVALID_ARGUMENT when the size is no multiple of the element's, or a BYTES length runs over the end ("element 3
 * claims 70 bytes, 12 are left"). BOOL bytes other than 0 and 1 become 1: this writes to `bytes`, which must be
 * writable. */
struct status raw_read_tensor(struct str bytes, struct tensor *tensor, struct arena *arena);

/* Walks the elements of BYTES data that raw_read_tensor accepted: call with *offset 0 at first; false at the end. */
bool raw_next_bytes(const struct tensor *tensor, size_t *offset, struct str *element);

#endif
