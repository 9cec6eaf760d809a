/* Elements of one datatype as elements of another (ONNX Cast; also what a server does that takes any datatype). */
#ifndef TENSOR_CAST_H
#define TENSOR_CAST_H

#include "tensor/tensor.h"

/* Converts the `count` elements of `from`, which are no BYTES: between integers by wrapping; from floats to integers by
 * cutting the fraction, with what does not fit at the nearest end of the range and NaN as 0; to floats by rounding to
 * nearest even; to BOOL by comparing with 0. `to` gets datatype, data (from the arena), size and count; its name, shape
 * and rank are left alone. It may be `from` itself. False: the arena gave out. */
bool tensor_cast(const struct tensor *from, enum datatype datatype, struct arena *arena, struct tensor *to);

#endif
