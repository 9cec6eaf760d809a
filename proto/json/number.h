/* Numbers as JSON text and in memory, converted without loss of a bit. Libraries do the reading and printing:
 * fast_float, std::from_chars and std::to_chars. This file adds what they do not have: the grammar of JSON, which is
 * stricter than theirs; integers that are written with a fraction or an exponent; and comparison of numbers of any
 * size. */
#pragma once

#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>

#define NUMBER_TEXT_MAX 32 /* bytes; the longest number that is written below fits */

/* Write the shortest text that reads back to the same bits, as JSON ("-0.0", "1e+22", "0.1"), and return its length. It
 * is not NUL-terminated. `value` must be finite. Integers that are stored in a float are written without a fraction.
 * -0.0 is the exception, because many readers lose the sign of "-0". */
size_t number_write_float(float value, char text[NUMBER_TEXT_MAX]);
size_t number_write_double(double value, char text[NUMBER_TEXT_MAX]);
size_t number_write_int64(int64_t value, char text[NUMBER_TEXT_MAX]);
size_t number_write_uint64(uint64_t value, char text[NUMBER_TEXT_MAX]);

/* Rounds `value`, which must be finite, to a decimal with `digits` digits (1 to 17), and returns the double nearest to
 * that decimal. number_write_double prints it with no more digits. */
double number_rounded(double value, int digits);

/* Returns the length in bytes of the number at the start of `s`, by the grammar of RFC 8259, section 6. Returns 0 if
 * `s` does not start with a number. */
size_t number_first(struct str s);

/* Read a spelling that json_read_number gave. Integers are read by exact value: "1.0", "1e2" and "-0" are integers,
 * "1.5" is not. Floats are rounded once, to nearest, ties to even; a finite spelling that rounds to infinity is
 * refused. They return false if the value does not fit the type. */
bool number_read_int64(struct str spelling, int64_t *value);
bool number_read_uint64(struct str spelling, uint64_t *value);
bool number_read_float(struct str spelling, float *value);
bool number_read_double(struct str spelling, double *value);

/* Read the number at the start of a text that ends at `end`, for lists of numbers (json_run), and return the end of the
 * number. They return NULL if no JSON number starts there or if it does not fit; number_first and number_read_* then
 * tell which. Integers stop before a decimal point and an exponent; floats stop before an "e" without digits. The
 * caller sees this, because what follows is then neither a comma nor the end of the list. */
const char *number_scan_int64(const char *text, const char *end, int64_t *value);
const char *number_scan_uint64(const char *text, const char *end, uint64_t *value);
const char *number_scan_float(const char *text, const char *end, float *value);
const char *number_scan_double(const char *text, const char *end, double *value);

/* Compares magnitudes: returns a negative number if `spelling` is less than `value`, 0 if they are exactly equal, and a
 * positive number if `spelling` is greater. A number that is rounded twice comes out wrong if the first rounding lands
 * on a tie of the second; this function tells on which side of the tie the number really lies. `value` must be the
 * double nearest to `spelling`, fit a float, and not be 0. */
int number_compare_magnitude(struct str spelling, float value);

/* Says whether two spellings are exactly the same number, whatever their size: 1.0 equals 1, and 1e400 equals 10e399.
 * -0 and 0 differ. A text that is no number equals only the same bytes. An exponent of 19 or more digits is not
 * calculated: two such numbers are equal if their exponents are spelled alike and the rest is equal. */
bool number_equal(struct str a, struct str b);
