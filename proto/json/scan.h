/* Numbers of long lists, read in one pass over their bytes: the quick road for what programs write (at most 19 digits,
 * an exponent of one or two digits, a value that is clearly nearer to one float than to the next), which is nearly
 * everything. Whatever is not read here is left to number_first and the exact number_read_*.
 *
 * Each reads the number that `text` starts with, by the grammar of RFC 8259, and returns its end; NULL: read it the
 * other way. SCAN_MARGIN bytes from the first one that belongs to no number must be readable. Hosts are little-endian.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stdint.h>

#define SCAN_MARGIN 8

const char *scan_int64(const char *text, int64_t *value);   /* digits, perhaps with a sign; stops at a point or an e */
const char *scan_uint64(const char *text, uint64_t *value); /* digits */
const char *scan_float(const char *text, float *value);     /* nearest, in one rounding; never infinite */
const char *scan_double(const char *text, double *value);

#endif
