/* Numbers between text and memory with no bit lost: a thin face over std::to_chars and std::from_chars (number.cc), but
 * for the floats of large tensors (shortest.cc; scan.h reads them). */
#ifndef JSON_NUMBER_H
#define JSON_NUMBER_H

#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>

#define NUMBER_TEXT_MAX 32 /* bytes that the longest number below takes */

/* Write the shortest text that reads back to the same bits, as JSON ("-0.0", "1e+22", "0.1"); return its length.
 * `value` must be finite. Integers that a float holds print without a fraction, but -0.0: many readers lose the sign of
 * "-0". */
size_t number_write_float(float value, char text[NUMBER_TEXT_MAX]);
size_t number_write_double(double value, char text[NUMBER_TEXT_MAX]);
size_t number_write_half(uint16_t bits, char text[NUMBER_TEXT_MAX]);     /* the bits of a binary16 */
size_t number_write_bfloat16(uint16_t bits, char text[NUMBER_TEXT_MAX]); /* the upper half of a binary32 */
size_t number_write_int64(int64_t value, char text[NUMBER_TEXT_MAX]);
size_t number_write_uint64(uint64_t value, char text[NUMBER_TEXT_MAX]);

/* Bytes of the number that `s` starts with, by the grammar of RFC 8259, section 6; 0 if it starts with none. */
size_t number_first(struct str s);

/* Read a spelling that json_read_number gave. Integers by exact value: "1.0", "1e2" and "-0" are integers, "1.5" is
 * not. Floats to nearest even, each in one rounding; a finite spelling that rounds to infinity is refused. False: the
 * value does not fit the type. */
bool number_read_int64(struct str spelling, int64_t *value);
bool number_read_uint64(struct str spelling, uint64_t *value);
bool number_read_float(struct str spelling, float *value);
bool number_read_double(struct str spelling, double *value);

/* Whether two spellings are the same number exactly, whatever their size (1.0 = 1, 1e400 = 10e399); -0 differs from 0.
 * What is no number equals only the same bytes. An exponent of 19 digits and more is not calculated with: two numbers
 * with such exponents are equal if their exponents are spelled alike and the rest is equal. */
bool number_equal(struct str a, struct str b);

#endif
