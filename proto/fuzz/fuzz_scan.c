/* What the quick road reads, the exact one must read too, to the same bits; and as far, but for the digits before a
 * point or an exponent, which an integer ends with. */
#include "json/number.h"
#include "json/scan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool is_whole(struct str text, const char *end)
{
    if (!end || *end == '.' || *end == 'e' || *end == 'E')
        return false;
    if (number_first(text) != (size_t)(end - text.data))
        abort();
    return true;
}

#define COMPARE(scan, read, type)                                                                                      \
    do {                                                                                                               \
        type quick, exact;                                                                                             \
        const char *end = scan(text.data, &quick);                                                                     \
        if (is_whole(text, end) && (!read((struct str){text.data, (size_t)(end - text.data)}, &exact) ||               \
                                    memcmp(&quick, &exact, sizeof quick) != 0))                                        \
            abort();                                                                                                   \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *copy = malloc(size + 1 + SCAN_MARGIN);
    struct str text = {copy, size + 1};
    if (!copy)
        abort();
    if (size)
        memcpy(copy, bytes, size);
    copy[size] = ',';
    memset(copy + size + 1, '7', SCAN_MARGIN); /* digits, to be tempted by */
    COMPARE(scan_float, number_read_float, float);
    COMPARE(scan_double, number_read_double, double);
    COMPARE(scan_int64, number_read_int64, int64_t);
    COMPARE(scan_uint64, number_read_uint64, uint64_t);
    free(copy);
    return 0;
}
