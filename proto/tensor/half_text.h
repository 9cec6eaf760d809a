/* 16-bit floats as decimal numbers, for JSON (json/number.h has the other types). */
#ifndef TENSOR_HALF_TEXT_H
#define TENSOR_HALF_TEXT_H

#include "json/number.h"

/* Read the number that a text starts with, as number_scan_double does: to the nearest, a tie to the even one, in one
 * rounding from the decimal. What is too large becomes infinite; NULL where a double would be infinite, too. */
const char *half_scan(const char *text, const char *end, uint16_t *half);
const char *bfloat16_scan(const char *text, const char *end, uint16_t *bits);

/* Write the shortest decimal that reads back to the same 16 bits, of several the nearest to the value, in the form of
 * number_write_double; return its length. The value must be finite. */
size_t half_write(uint16_t half, char text[NUMBER_TEXT_MAX]);
size_t bfloat16_write(uint16_t bits, char text[NUMBER_TEXT_MAX]);

#endif
