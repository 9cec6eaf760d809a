/* Numbers between text and memory with no bit lost. Libraries read and print them: fast_float and std::from_chars,
 * std::to_chars. What is written here is the grammar of JSON, which is narrower than theirs, and what they have not:
 * integers that are spelled with a fraction or an exponent, and numbers of any size compared. */
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
size_t number_write_int64(int64_t value, char text[NUMBER_TEXT_MAX]);
size_t number_write_uint64(uint64_t value, char text[NUMBER_TEXT_MAX]);

/* The double that is nearest to the decimal of `digits` digits (1 to 17) that is nearest to `value`, which is finite.
 * number_write_double prints it with no more digits. */
double number_rounded(double value, int digits);

/* Bytes of the number that `s` starts with, by the grammar of RFC 8259, section 6; 0 if it starts with none. */
size_t number_first(struct str s);

/* Read a spelling that json_read_number gave. Integers by exact value: "1.0", "1e2" and "-0" are integers, "1.5" is
 * not. Floats to nearest even, each in one rounding; a finite spelling that rounds to infinity is refused. False: the
 * value does not fit the type. */
bool number_read_int64(struct str spelling, int64_t *value);
bool number_read_uint64(struct str spelling, uint64_t *value);
bool number_read_float(struct str spelling, float *value);
bool number_read_double(struct str spelling, double *value);

/* Read the number that a text starts with, for lists of numbers (json_run): return its end, where `end` is that of the
 * text. NULL: no JSON number starts here, or it does not fit; number_first and number_read_* then tell which. Integers
 * stop before a point and an exponent, floats before an "e" without digits: the caller sees that what follows is
 * neither a comma nor the end of the list. */
const char *number_scan_int64(const char *text, const char *end, int64_t *value);
const char *number_scan_uint64(const char *text, const char *end, uint64_t *value);
const char *number_scan_float(const char *text, const char *end, float *value);
const char *number_scan_double(const char *text, const char *end, double *value);

/* Which is greater in magnitude: negative if `spelling` is less than `value`, 0 if it is exactly that, positive if it
 * is greater. Rounding a number twice is wrong where the first rounding comes to lie on a tie of the second; this tells
 * on which side of the tie the number itself lies. `value` is the double nearest to `spelling`, fits a float, and is
 * not 0. */
int number_compare_magnitude(struct str spelling, float value);

/* Whether two spellings are the same number exactly, whatever their size (1.0 = 1, 1e400 = 10e399); -0 differs from 0.
 * What is no number equals only the same bytes. An exponent of 19 digits and more is not calculated with: two numbers
 * with such exponents are equal if their exponents are spelled alike and the rest is equal. */
bool number_equal(struct str a, struct str b);

#endif
