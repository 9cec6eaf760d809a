/* The input is an element of a list, with a comma after it. If it is a number by the grammar, it must be read to its
 * end, to the bits that the C library gives, or be refused because it is too large. If it is anything else, it must be
 * refused or not be read to its end. */
#include "tensor/half_text.h"
#include "json/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define CHECK(truth)                                                                                                   \
    do {                                                                                                               \
        if (!(truth))                                                                                                  \
            abort();                                                                                                   \
    } while (0)

#define CHECK_FLOAT(scan, type, witness)                                                                               \
    do {                                                                                                               \
        type value, exact = witness(text, NULL);                                                                       \
        const char *stopped = scan(text, end, &value);                                                                 \
        CHECK(stopped != comma || is_number);                                                                          \
        if (is_number)                                                                                                 \
            CHECK(isinf(exact) ? !stopped : stopped == comma && memcmp(&value, &exact, sizeof value) == 0);            \
    } while (0)

#define CHECK_INTEGER(scan, read, type)                                                                                \
    do {                                                                                                               \
        type value, exact;                                                                                             \
        if (scan(text, end, &value) == comma)                                                                          \
            CHECK(is_number &&read((struct str){text, size}, &exact) && value == exact);                               \
    } while (0)

#define CHECK_16_BITS(scan, write)                                                                                     \
    do {                                                                                                               \
        uint16_t bits, again;                                                                                          \
        char shortest[NUMBER_TEXT_MAX];                                                                                \
        const char *stopped = scan(text, end, &bits);                                                                  \
        CHECK(stopped != comma || is_number);                                                                          \
        if (stopped && bits != scan##_infinity && bits != (scan##_infinity | 0x8000)) {                                \
            size_t length = write(bits, shortest);                                                                     \
            CHECK(scan(shortest, shortest + length, &again) == shortest + length && again == bits);                    \
        }                                                                                                              \
    } while (0)
enum { half_scan_infinity = 0x7c00, bfloat16_scan_infinity = 0x7f80 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1), *comma = text + size, *end = comma + 1;
    CHECK(text);
    if (size)
        memcpy(text, bytes, size);
    *comma = ',';
    bool is_number = size > 0 && number_first((struct str){text, size + 1}) == size;
    CHECK_FLOAT(number_scan_float, float, strtof);
    CHECK_FLOAT(number_scan_double, double, strtod);
    CHECK_INTEGER(number_scan_int64, number_read_int64, int64_t);
    CHECK_INTEGER(number_scan_uint64, number_read_uint64, uint64_t);
    CHECK_16_BITS(half_scan, half_write);
    CHECK_16_BITS(bfloat16_scan, bfloat16_write);
    free(text);
    return 0;
}
