/* Converts elements from one datatype to another, as the ONNX operator Cast does. A server that accepts any datatype
 * needs the same. */
#pragma once

#include "tensor/tensor.h"

/* Converts the `count` elements of `from`, which must not be BYTES. Integers become other integers by wrapping. Floats
 * become integers without their fraction; a value out of range becomes the nearest end of the range, and NaN becomes 0.
 * Floats are rounded to nearest, ties to even. A BOOL is the result of a comparison with 0. The function sets datatype,
 * data (in the arena), size and count of `to`, but not its name, shape and rank. `to` may be `from`. Returns false if
 * the arena is exhausted. */
bool tensor_cast(const struct tensor *from, enum datatype datatype, struct arena *arena, struct tensor *to);
