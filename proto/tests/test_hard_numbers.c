/* What is expected here was calculated by hard_numbers.py, with exact fractions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tensor/half_text.h"
#include "json/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIMAL_MAX 1000

static FILE *open_beside(const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "proto/tests/%s", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be read", path);
    return file;
}

static uint64_t bits_of(const void *number, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, number, size);
    return bits;
}

/* One decimal, with a comma behind it, as one datatype. */
#define ASSERT_READS(type, scan, text, expected, infinity, sign)                                                       \
    do {                                                                                                               \
        type value = 0;                                                                                                \
        const char *stopped = scan(text, text + strlen(text), &value);                                                 \
        uint64_t wanted = (expected) | (sign), got = bits_of(&value, sizeof value);                                    \
        bool refused = !stopped || got == ((infinity) | (sign));                                                       \
        if (refused != ((expected) == (infinity)))                                                                     \
            fail_msg("%s: %s", text, refused ? #scan " refuses it" : #scan " takes it");                               \
        if (!refused && (got != wanted || *stopped != ','))                                                            \
            fail_msg("%s: " #scan " makes %" PRIx64 " of it, not %" PRIx64, text, got, wanted);                        \
    } while (0)

static void test_hard_decimals_are_read_as_the_nearest_float(void **state)
{
    (void)state;
    FILE *file = open_beside("hard_decimals.txt");
    char text[DECIMAL_MAX + 2] = "-";
    uint64_t fp32, fp64, fp16, bf16;
    size_t count = 0;
    for (;
         fscanf(file, "%1000s %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, text + 1, &fp32, &fp64, &fp16, &bf16) == 5;
         count++) {
        strcat(text, ",");
        for (int negative = 0; negative < 2; negative++) {
            const char *signed_text = text + 1 - negative;
            uint64_t sign = (uint64_t)negative;
            ASSERT_READS(float, number_scan_float, signed_text, fp32, 0x7f800000, sign << 31);
            ASSERT_READS(double, number_scan_double, signed_text, fp64, 0x7ff0000000000000, sign << 63);
            ASSERT_READS(uint16_t, half_scan, signed_text, fp16, 0x7c00, sign << 15);
            ASSERT_READS(uint16_t, bfloat16_scan, signed_text, bf16, 0x7f80, sign << 15);
        }
    }
    fclose(file);
    assert_true(count > 100);
}

static void test_floats_are_printed_as_their_shortest_decimal(void **state)
{
    (void)state;
    FILE *file = open_beside("shortest_decimals.txt");
    char name[5], expected[40], text[NUMBER_TEXT_MAX + 1];
    uint32_t bits;
    size_t count = 0;
    for (; fscanf(file, "%4s %" SCNx32 " %39s", name, &bits, expected) == 3; count++) {
        float single;
        memcpy(&single, &bits, sizeof single);
        size_t size = name[0] == 'B'              ? bfloat16_write((uint16_t)bits, text)
                      : strcmp(name, "FP16") == 0 ? half_write((uint16_t)bits, text)
                                                  : number_write_float(single, text);
        text[size] = '\0';
        if (strcmp(text, expected) != 0)
            fail_msg("%s %" PRIx32 " is printed as %s, not %s", name, bits, text, expected);
    }
    fclose(file);
    assert_true(count > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hard_decimals_are_read_as_the_nearest_float),
        cmocka_unit_test(test_floats_are_printed_as_their_shortest_decimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
