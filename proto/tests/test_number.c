/* The C library reads numbers exactly and is no part of number.cc, so the rounding is compared with it. */
#include "base/search.h"
#include "tests/unit.h"
#include "json/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* printf is the reference: even the nearest decimal with one digit fewer must be another float. */
TEST(no_float_has_a_digit_too_many)
{
    for (uint64_t bits = 1; bits < 0x7f800000; bits += 10007) {
        char text[NUMBER_TEXT_MAX + 1], fewer[NUMBER_TEXT_MAX];
        float value = float_of((uint32_t)bits);
        text[number_write_float(value, text)] = '\0';
        int digits = 0, zeros = 0;
        for (const char *at = text; *at && *at != 'e'; at++) {
            zeros = *at == '0' ? zeros + 1 : *at == '.' ? zeros : 0;
            digits += *at != '.' && (digits > 0 || *at != '0');
        }
        digits -= zeros;
        snprintf(fewer, sizeof(fewer), "%.*e", digits > 1 ? digits - 2 : 0, (double)value);
        if (digits > 1 && value < 0x1p24f && strtof(fewer, NULL) == value)
            fail_msg("%s is longer than %s", text, fewer);
    }
}

static const struct {
    const char *spelling;
    int64_t value;
} integers[] = {
    {"0", 0},
    {"-0", 0},
    {"-0.0", 0},
    {"0e999999999999999999999999", 0},
    {"1.0", 1},
    {"1e2", 100},
    {"1E+2", 100},
    {"1200e-2", 12},
    {"1.5e1", 15},
    {"-12.340e2", -1234},
    {"0.001e3", 1},
    {"100e-2", 1},
    {"1000000000000000000000000000000000000000e-39", 1},
    {"9223372036854775807", INT64_MAX},
    {"9223372036854775807.000", INT64_MAX},
    {"9.223372036854775807e18", INT64_MAX},
    {"-9223372036854775808", INT64_MIN},
    {"-9.223372036854775808e18", INT64_MIN},
    {"9007199254740993", 9007199254740993},
};

TEST(integers_read_by_their_exact_value)
{
    EACH_ROW(row, integers, row->spelling) {
        int64_t value = 77;
        assert_true(number_read_int64(str_of(row->spelling), &value));
        assert_int_equal(value, row->value);
    }
    uint64_t value;
    assert_true(number_read_uint64(STR("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
    assert_true(number_read_uint64(STR("1.8446744073709551615e19"), &value));
    assert_true(value == UINT64_MAX);
    assert_true(number_read_uint64(STR("-0"), &value));
    assert_true(value == 0);
}

TEST(what_does_not_fit_an_integer_is_refused)
{
    EACH(text, "1.5", "1e-1", "0.1", "9223372036854775808", "-9223372036854775809", "9.223372036854775808e18", "1e19",
         "1e400", "1e99999999999999999999", "1e-99999999999999999999", "18446744073709551616.0",
         "9223372036854775807.1", "0.0000000000000000000000001", "", "-", "NaN", "1.", "01.0", "0x10", "+1.0", "1.0 ") {
        int64_t value;
        assert_false(number_read_int64(str_of(text), &value));
    }
    EACH(text, "-1", "-1.0", "18446744073709551616", "18446744073709551616.0", "1.8446744073709551616e19",
         "99999999999999999999.0", "1e20", "0.5") {
        uint64_t value;
        assert_false(number_read_uint64(str_of(text), &value));
    }
}

TEST(too_small_is_zero_and_too_large_is_refused)
{
    float single;
    double wide;
    EACH(text, "1e-400", "-1e-99999999999999999999", "-0", "0e99999999999999999999", "0.0e400") {
        assert_true(number_read_double(str_of(text), &wide));
        assert_true(double_bits(wide) == (uint64_t)(*text == '-') << 63);
    }
    assert_false(number_read_float(STR("3.5e38"), &single));
    assert_false(number_read_float(STR("340282356779733661637539395458142568448"), &single)); /* rounds to infinity */
    assert_true(number_read_float(STR("340282356779733661637539395458142568447"), &single));
    assert_int_equal(float_bits(single), float_bits(FLT_MAX));
    EACH(text, "1e400", "-1e309", "1e99999999999999999999")
        assert_false(number_read_double(str_of(text), &wide));
}

/* Returns the text and a comma in memory of exactly that size, so that a sanitizer sees a read beyond the end. */
static char *list_of(const char *spelling, const char **end)
{
    struct str element = str_of(spelling);
    char *text = malloc(element.size + 1);
    assert_non_null(text);
    memcpy(text, element.data, element.size);
    text[element.size] = ',';
    *end = text + element.size + 1;
    return text;
}

/* The scan must refuse the element or stop before its end: then what follows it is not a comma. */
TEST(what_fast_float_takes_and_json_does_not_is_no_element)
{
    EACH(one, "", "-", "+1", "+", ".5", "-.5", ".", "1.", "-0.", "01", "-01", "00", "00.5", "1e", "1e+", "1E-", "1.e5",
         "1.5e", "e5", "nan", "-nan", "inf", "-inf", "infinity", "NaN", "INF", "0x10", "0x1p3", "1p3", "--1", "1-",
         "1_000", "nan(1)", " 1", "x", "1e5.5") {
        const char *end;
        char *text = list_of(one, &end);
        float single;
        double wide;
        int64_t whole;
        uint64_t positive;
        const char *stops[] = {number_scan_float(text, end, &single), number_scan_double(text, end, &wide),
                               number_scan_int64(text, end, &whole), number_scan_uint64(text, end, &positive)};
        for (size_t k = 0; k < 4; k++)
            assert_false(stops[k] == end - 1);
        assert_false(number_read_float(str_of(one), &single));
        assert_false(number_read_double(str_of(one), &wide));
        assert_false(number_read_int64(str_of(one), &whole));
        assert_false(number_read_uint64(str_of(one), &positive));
        free(text);
    }
}

static void assert_scans_exactly(const char *spelling)
{
    const char *end;
    char *text = list_of(spelling, &end);
    float single = 0, exact = strtof(spelling, NULL);
    double wide = 0, exact_wide = strtod(spelling, NULL);
    const char *stopped = number_scan_float(text, end, &single), *wide_stopped = number_scan_double(text, end, &wide);
    bool right = isfinite(exact) ? stopped == end - 1 && float_bits(single) == float_bits(exact) : !stopped;
    bool wide_right =
        isfinite(exact_wide) ? wide_stopped == end - 1 && double_bits(wide) == double_bits(exact_wide) : !wide_stopped;
    if (!right || !wide_right)
        fail_msg("%s is read as %a and %a", spelling, (double)single, wide);
    free(text);
}

TEST(every_bit_of_random_numbers_is_right)
{
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 100000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        char spelling[96];
        double wide = double_of(random);
        float single = float_of((uint32_t)random);
        if (!isfinite(single) || !isfinite(wide))
            continue;
        snprintf(spelling, sizeof spelling, "%.*g", 1 + i % 19, (double)single);
        assert_scans_exactly(spelling);
        snprintf(spelling, sizeof spelling, "%.17g", wide);
        assert_scans_exactly(spelling);
        snprintf(spelling, sizeof spelling, "%llu.%llue%d", (unsigned long long)random >> 40,
                 (unsigned long long)random & 0xffff, (int)(random % 800) - 400);
        assert_scans_exactly(spelling);
    }
}

/* Tests the middle between two floats, with digits added to it and with digits cut off. */
TEST(just_beside_the_middle_is_right)
{
    for (uint32_t bits = 0x3f000000; bits < 0x42000000; bits += 99991) {
        char spelling[96];
        float single = float_of(bits);
        double middle = ((double)single + (double)nextafterf(single, INFINITY)) / 2;
        for (int digits = 8; digits < 26; digits++) {
            snprintf(spelling, sizeof spelling, "%.*f", digits, middle);
            assert_scans_exactly(spelling);
        }
    }
}

TEST(numbers_are_equal_by_exact_value)
{
    static const char *const same[][2] = {
        {"1", "1.0"},
        {"1", "1e0"},
        {"1", "10e-1"},
        {"1", "0.1e1"},
        {"100", "1e2"},
        {"1e400", "10e399"},
        {"0", "0.000"},
        {"0", "0e5"},
        {"0e1", "0e99999999999999999999999"},
        {"-0", "-0.0"},
        {"0.0012", "12e-4"},
        {"123.4500", "12345e-2"},
        {"10.01", "1001e-2"},
        {"1001.5", "10015e-1"},
        {"1e+5", "1E5"},
        {"1e-0", "1"},
        {"1e0000000000000000000000002", "100"},
        {"1e99999999999999999999", "1.0e99999999999999999999"},
        {"-1.50", "-15e-1"},
        {"1000000000000000000000000000000000000000000", "1e42"},
        {"2e999999999999999999", "20e999999999999999998"},
    };
    static const char *const different[][2] = {
        {"0", "-0"},
        {"1", "-1"},
        {"1", "2"},
        {"1", "10"},
        {"12", "1.2"},
        {"9007199254740993", "9007199254740992"},
        {"9007199254740993", "9007199254740993.0000000001"},
        {"1e400", "1e401"},
        {"1e5", "1e-5"},
        {"101", "11"},
        {"1.01", "1.1"},
        {"1e99999999999999999999", "1e99999999999999999998"},
        {"1e99999999999999999999", "1e-99999999999999999999"},
        {"1e99999999999999999999", "1e5"},
        {"0", "1e-99999999999999999999"},
        {"0.1", "0.10000000000000001"},
    };
    for (size_t i = 0; i < COUNT_OF(same); i++)
        if (!number_equal(str_of(same[i][0]), str_of(same[i][1])) ||
            !number_equal(str_of(same[i][1]), str_of(same[i][0])))
            fail_msg("%s should equal %s", same[i][0], same[i][1]);
    for (size_t i = 0; i < COUNT_OF(different); i++)
        if (number_equal(str_of(different[i][0]), str_of(different[i][1])) ||
            number_equal(str_of(different[i][1]), str_of(different[i][0])))
            fail_msg("%s should differ from %s", different[i][0], different[i][1]);
}

TEST(what_is_no_number_equals_its_own_bytes_only)
{
    assert_true(number_equal(STR("NaN"), STR("NaN")));
    assert_false(number_equal(STR("NaN"), STR("nan")));
    assert_false(number_equal(STR("01"), STR("1")));
    assert_false(number_equal(STR(""), STR("0")));
}

TEST(a_spelling_of_a_megabyte_is_compared_exactly)
{
    size_t size = 1 << 20;
    char *long_spelling = malloc(size);
    assert_non_null(long_spelling);
    memset(long_spelling, '0', size);
    long_spelling[0] = '1';
    struct str spelling = {long_spelling, size};
    assert_true(number_equal(spelling, STR("1e1048575")));
    assert_false(number_equal(spelling, STR("1e1048576")));
    long_spelling[size - 1] = '1';
    assert_false(number_equal(spelling, STR("1e1048575")));
    int64_t value;
    double wide;
    assert_false(number_read_int64(spelling, &value));
    assert_false(number_read_double(spelling, &wide));
    long_spelling[1] = '.';
    assert_true(number_read_double(spelling, &wide));
    assert_true(wide == 1);
    free(long_spelling);
}
