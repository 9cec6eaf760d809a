/* 16-bit floats: IEEE 754 binary16 (FP16) and bfloat16 (BF16, the upper half of a binary32). Conversion to 16 bits
 * rounds to nearest, ties to even, and keeps NaN a NaN. Conversion from 16 bits is exact. */
#pragma once

#include <stdint.h>

float half_to_float(uint16_t half);
float bfloat16_to_float(uint16_t bfloat16);

/* A float may be given, too: as a double it is the same number. A double is rounded once; through a float it would be
 * rounded twice. */
uint16_t half_from_double(double value);
uint16_t bfloat16_from_double(double value);
