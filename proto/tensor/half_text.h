/* 16-bit floats as decimal numbers, for JSON (SPEC_NOTES.md, note 54). json/number.h has the other types. */
#pragma once

#include "json/number.h"

/* Read the number at the start of a text, as number_scan_double does. The decimal is rounded once, to nearest, ties to
 * even. A number that is too large for 16 bits becomes infinite; one that is too large for a double gives NULL. */
const char *half_scan(const char *text, const char *end, uint16_t *half);
const char *bfloat16_scan(const char *text, const char *end, uint16_t *bits);

/* Write the shortest decimal that reads back to the same 16 bits, in the form of number_write_double, and return its
 * length. Of several shortest decimals the one nearest to the value is taken. The value must be finite. */
size_t half_write(uint16_t half, char text[NUMBER_TEXT_MAX]);
size_t bfloat16_write(uint16_t bits, char text[NUMBER_TEXT_MAX]);
