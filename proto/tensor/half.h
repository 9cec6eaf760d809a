/* 16-bit floats: IEEE 754 binary16 (FP16) and bfloat16 (BF16, the upper half of a binary32). To 16 bits: nearest even,
 * with NaN kept NaN; from 16 bits: exact. */
#ifndef TENSOR_HALF_H
#define TENSOR_HALF_H

#include <stdint.h>

uint16_t half_from_float(float value);
float half_to_float(uint16_t half);
uint16_t bfloat16_from_float(float value);
float bfloat16_to_float(uint16_t bfloat16);

/* Straight from a double, in one rounding (through float it would be two). */
uint16_t half_from_double(double value);
uint16_t bfloat16_from_double(double value);

#endif
