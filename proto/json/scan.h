/* Numbers of long lists, read in one pass over their bytes: the quick road for what programs write (at most 19 digits,
 * an exponent of one or two digits, a value that is clearly nearer to one float than to the next), which is nearly
 * everything. Whatever is not read here is left to number_first and the exact number_read_*.
 *
 * Each reads the number that `text` starts with, by the grammar of RFC 8259, and returns its end; NULL: read it the
 * other way. SCAN_MARGIN bytes from the first one that belongs to no number must be readable. Hosts are little-endian.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>

#define SCAN_MARGIN 8
#define SCAN_DIGITS 19 /* as many fit 64 bits */

const char *scan_float(const char *text, float *value); /* nearest, in one rounding; never infinite */
const char *scan_double(const char *text, double *value);

/* Digits, the first of several not 0. *digits is wrong where there are more than SCAN_DIGITS. */
static inline const char *scan_whole(const char *first, uint64_t *digits)
{
    const char *at = first;
    unsigned digit = (unsigned)(unsigned char)*at - '0';
    uint64_t sum = digit;
    if (digit > 9)
        return NULL;
    while ((digit = (unsigned)(unsigned char)*++at - '0') <= 9)
        sum = sum * 10 + digit;
    *digits = sum;
    return *first == '0' && at - first > 1 ? NULL : at;
}

static inline const char *scan_uint64(const char *text, uint64_t *value)
{
    const char *end = scan_whole(text, value);
    return end && end - text <= SCAN_DIGITS ? end : NULL;
}

/* Digits, perhaps with a sign; stops at a point or an e. */
static inline const char *scan_int64(const char *text, int64_t *value)
{
    int negative = *text == '-';
    uint64_t digits;
    const char *end = scan_whole(text + negative, &digits);
    if (!end || digits > INT64_MAX || end - text > SCAN_DIGITS)
        return NULL;
    *value = negative ? -(int64_t)digits : (int64_t)digits;
    return end;
}

#endif
