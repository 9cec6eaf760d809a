/* The C library is the witness: it reads numbers exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/scan.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 96

/* The text alone in memory of just its size, so that a sanitizer sees what is read too far. */
static char *text_of(const char *spelling)
{
    char *text = malloc(strlen(spelling) + 1 + SCAN_MARGIN);
    assert_non_null(text);
    memset(stpcpy(text, spelling), ',', 1 + SCAN_MARGIN);
    return text;
}

/* Whether the quick road takes it; if it does, then whole and rightly. */
static bool scans(const char *spelling)
{
    char *text = text_of(spelling);
    float single = 0, exact = strtof(spelling, NULL);
    double wide = 0, exact_wide = strtod(spelling, NULL);
    const char *end = scan_float(text, &single), *wide_end = scan_double(text, &wide);
    if (end) {
        assert_int_equal(end - text, strlen(spelling));
        assert_memory_equal(&single, &exact, sizeof single);
    }
    if (wide_end) {
        assert_int_equal(wide_end - text, strlen(spelling));
        assert_memory_equal(&wide, &exact_wide, sizeof wide);
    }
    free(text);
    return end && wide_end;
}

static void test_what_programs_write_is_read_quickly(void **state)
{
    (void)state;
    static const char *const usual[] = {
        "0",
        "-0",
        "0.0",
        "1",
        "-1.5",
        "10",
        "0.1",
        "123.456",
        "16777216",
        "1e5",
        "1E-5",
        "2.5e+3",
        "1e22",
        "1e38",
        "-1e-30",
        "0e7",
        "0.5",
        "65504",
        "0.30000000000000004",
        "1e-07",
        "3.4e37",
        "99999",
        "0.25",
        "1234567890123456789",
        "0.000012345678901234567",
        "0.12345678901234567",
        "-1234.5678901234567",
        "3.1415927410125732",
        "12345678.12345678",
    };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!scans(usual[i]))
            fail_msg("%s is not taken", usual[i]);
}

static void test_what_is_uncertain_is_left_to_the_exact_road(void **state)
{
    (void)state;
    static const char *const unusual[] = {
        "16777217",               /* the middle between two floats */
        "1.00000005960464477539", /* more digits than fit */
        "12345678901234567890",   /* 20 digits */
        "1e39",
        "1e-40",
        "1e100",
        "1e309",
        "1e-320",
        "1e999", /* no normal float */
        "1.000000059604644775390625000000000000000000000000000000000000000001",
    };
    for (size_t i = 0; i < sizeof unusual / sizeof *unusual; i++)
        if (scans(unusual[i]))
            fail_msg("%s is taken", unusual[i]);
}

static void test_what_is_no_json_number_is_not_taken(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",   "-",   "+1",   ".5",   "-.5", "1.",  "01",  "-01", "00",
        "1e", "1e+", "1.e5", "1.5e", "e5",  "nan", "inf", "--1", "x",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text = text_of(wrong[i]);
        float single;
        double wide;
        int64_t whole;
        uint64_t positive;
        size_t size = strlen(wrong[i]);
        const char *ends[] = {scan_float(text, &single), scan_double(text, &wide), scan_int64(text, &whole),
                              scan_uint64(text, &positive)};
        for (size_t k = 0; k < 4; k++) /* a part of it may be a number: then its end is not the end */
            if (ends[k] == text + size)
                fail_msg("%s is taken", wrong[i]);
        free(text);
    }
}

static void test_every_bit_of_random_numbers_is_right(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u, quick = 0, count = 0;
    for (int i = 0; i < 200000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        char spelling[ROOM];
        double wide;
        uint32_t bits = (uint32_t)random;
        float single;
        memcpy(&wide, &random, sizeof wide);
        memcpy(&single, &bits, sizeof single);
        if (!isfinite(single) || !isfinite(wide))
            continue;
        snprintf(spelling, ROOM, "%.*g", 1 + i % 19, (double)single);
        quick += scans(spelling);
        snprintf(spelling, ROOM, "%.17g", wide);
        scans(spelling);
        snprintf(spelling, ROOM, "%" PRIu64 ".%" PRIu64 "e%d", random >> 40, random & 0xffff, (int)(random % 80) - 40);
        scans(spelling);
        count++;
    }
    assert_true(quick > count * 9 / 10);
}

/* The middle between two floats has more digits than fit; cut to 19 it lies just below. */
static void test_just_beside_the_middle_is_right(void **state)
{
    (void)state;
    for (uint32_t bits = 0x3f000000; bits < 0x42000000; bits += 99991) {
        float single;
        char spelling[ROOM];
        memcpy(&single, &bits, sizeof single);
        double middle = ((double)single + (double)nextafterf(single, INFINITY)) / 2;
        for (int digits = 8; digits < 26; digits++) {
            snprintf(spelling, ROOM, "%.*f", digits, middle);
            scans(spelling);
        }
    }
}

static void test_integers_of_19_digits_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
        bool taken;
    } table[] = {
        {"0", 0, true},
        {"-0", 0, true},
        {"-17", -17, true},
        {"9223372036854775807", INT64_MAX, true},
        {"9223372036854775808", 0, false},
        {"-922337203685477580", -922337203685477580, true},
        {"99999999999999999999", 0, false},
        {"18446744073709551616", 0, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *text = text_of(table[i].text);
        int64_t value = 0;
        const char *end = scan_int64(text, &value);
        assert_true((end != NULL) == table[i].taken);
        assert_true(!end || (value == table[i].value && *end == ','));
        free(text);
    }
    char *text = text_of("9999999999999999999");
    uint64_t large = 0;
    assert_non_null(scan_uint64(text, &large));
    assert_true(large == 9999999999999999999u);
    free(text);
    text = text_of("-1");
    assert_null(scan_uint64(text, &large));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_programs_write_is_read_quickly),
        cmocka_unit_test(test_what_is_uncertain_is_left_to_the_exact_road),
        cmocka_unit_test(test_what_is_no_json_number_is_not_taken),
        cmocka_unit_test(test_every_bit_of_random_numbers_is_right),
        cmocka_unit_test(test_just_beside_the_middle_is_right),
        cmocka_unit_test(test_integers_of_19_digits_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
