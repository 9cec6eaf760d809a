/* hard_numbers.py calculated the expected values, with exact fractions. */
#include "tensor/half_text.h"
#include "tests/unit.h"
#include "json/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 1000

static FILE *open_beside(const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "proto/tests/%s", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be read", path);
    return file;
}

/* Reads the words of the next line, and returns how many there are. */
static size_t read_words(FILE *file, char line[LINE], char *words[5])
{
    size_t count = 0;
    if (!fgets(line, LINE, file))
        return 0;
    for (char *word = strtok(line, " \n"); word && count < 5; word = strtok(NULL, " \n"))
        words[count++] = word;
    return count;
}

static uint64_t bits_of(const void *number, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, number, size);
    return bits;
}

/* Reads an element of a list as one datatype. A float that is infinite must be refused, by the scan or by its
 * caller. */
#define ASSERT_READS(type, scan, element, bits, infinity, sign)                                                        \
    do {                                                                                                               \
        type value = 0;                                                                                                \
        const char *comma = strchr((element), ','), *stopped = scan((element), comma + 1, &value);                     \
        uint64_t expected = strtoull((bits), NULL, 16) | (sign), got = bits_of(&value, sizeof value);                  \
        uint64_t infinite = (infinity) | (sign);                                                                       \
        if (expected == infinite ? stopped && got != infinite : stopped != comma || got != expected)                   \
            fail_msg("%s " #scan " makes %" PRIx64 " of it, not %" PRIx64, element, got, expected);                    \
    } while (0)

static void assert_reads_all(const char *element, char *const bits[4], uint64_t sign)
{
    ASSERT_READS(float, number_scan_float, element, bits[0], UINT64_C(0x7f800000), sign << 31);
    ASSERT_READS(double, number_scan_double, element, bits[1], UINT64_C(0x7ff0000000000000), sign << 63);
    ASSERT_READS(uint16_t, half_scan, element, bits[2], UINT64_C(0x7c00), sign << 15);
    ASSERT_READS(uint16_t, bfloat16_scan, element, bits[3], UINT64_C(0x7f80), sign << 15);
}

TEST(hard_decimals_are_read_as_the_nearest_float)
{
    FILE *file = open_beside("hard_decimals.txt");
    char line[LINE], element[LINE + 2], *words[5];
    size_t count = 0;
    for (; read_words(file, line, words) == 5; count++) {
        snprintf(element, sizeof element, "-%s,", words[0]);
        assert_reads_all(element + 1, words + 1, 0);
        assert_reads_all(element, words + 1, 1);
    }
    fclose(file);
    assert_true(count > 100);
}

static size_t write_as(const char *datatype, uint32_t bits, char *text)
{
    float single;
    memcpy(&single, &bits, sizeof single);
    if (strcmp(datatype, "FP32") == 0)
        return number_write_float(single, text);
    return strcmp(datatype, "FP16") == 0 ? half_write((uint16_t)bits, text) : bfloat16_write((uint16_t)bits, text);
}

TEST(floats_are_printed_as_their_shortest_decimal)
{
    FILE *file = open_beside("shortest_decimals.txt");
    char line[LINE], text[NUMBER_TEXT_MAX + 1], *words[5];
    size_t count = 0;
    for (; read_words(file, line, words) == 3; count++) {
        text[write_as(words[0], (uint32_t)strtoul(words[1], NULL, 16), text)] = '\0';
        if (strcmp(text, words[2]) != 0)
            fail_msg("%s %s is printed as %s, not %s", words[0], words[1], text, words[2]);
    }
    fclose(file);
    assert_true(count > 300);
}
