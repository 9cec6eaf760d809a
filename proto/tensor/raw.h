/* Tensor data in raw form (000, "GRPC Tensor Data"; tensor.h describes the layout). */
#pragma once

#include "tensor/tensor.h"

/* Checks that `bytes` is raw data of tensor->datatype, and sets data (which points into `bytes`), size and count. The
 * caller sets name and datatype; shape and rank are used only for the message. Fails with INVALID_ARGUMENT if the size
 * is not a multiple of the element size, or if the length of a BYTES element runs over the end ("element 3 claims 70
 * bytes, 12 are left"). BOOL bytes other than 0 and 1 are changed to 1, so `bytes` must be writable. */
struct status raw_read_tensor(struct str bytes, struct tensor *tensor, struct arena *arena);

/* Moves bytes that do not begin at a multiple of `alignment`, a power of two, to a place in the arena that does.
 * Returns false without memory. */
bool raw_align(struct str *bytes, size_t alignment, struct arena *arena);

/* Writes an element of BYTES data, after its length. Returns where the next one stands. */
char *raw_put_bytes(char *to, struct str element);

/* Sets data and size of a BYTES tensor that has these elements. Returns false without memory. */
bool raw_join_bytes(const struct str *elements, size_t count, struct arena *arena, struct tensor *tensor);

/* Gives the elements of BYTES data that raw_read_tensor accepted, one for each call. The caller sets *offset to 0
 * first. Returns false at the end. */
bool raw_next_bytes(const struct tensor *tensor, size_t *offset, struct str *element);
