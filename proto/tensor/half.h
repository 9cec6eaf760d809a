/* 16-bit floats: IEEE 754 binary16 (FP16) and bfloat16 (BF16, the upper half of a binary32). Conversion to 16 bits
 * rounds to nearest, ties to even, and keeps NaN a NaN. Conversion from 16 bits is exact. */
#pragma once

#include <stdint.h>

uint16_t half_from_float(float value);
float half_to_float(uint16_t half);
uint16_t bfloat16_from_float(float value);
float bfloat16_to_float(uint16_t bfloat16);

/* Converts directly from a double, with one rounding; through a float there would be two. */
uint16_t half_from_double(double value);
uint16_t bfloat16_from_double(double value);
