/* 16-bit floats: from doubles, from decimals and to floats. */
#include "base/search.h"
#include "tensor/half.h"
#include "tensor/half_text.h"
#include "tests/unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef const char *scan_bits(const char *text, const char *end, uint16_t *bits);

/* Reads a decimal that begins with a minus, with it and without. */
static void assert_scans(scan_bits *scan, const char *text, int expected)
{
    const char *end = text + strlen(text);
    uint16_t positive, negative;
    assert_ptr_equal(scan(text + 1, end, &positive), end);
    assert_ptr_equal(scan(text, end, &negative), end);
    if (positive != expected || negative != (expected | 0x8000))
        fail_msg("%s is read as %x and %x", text, negative, positive);
}

/* Reads the midpoint between each value and the next one, of which printf writes all digits, and decimals that differ
 * from it far after the digits of a double. */
static void assert_decimals_are_rounded_once(uint16_t infinity, double largest_step, float (*to_float)(uint16_t),
                                             scan_bits *scan)
{
    for (uint16_t bits = 0; bits < infinity; bits++) {
        double here = (double)to_float(bits);
        double next = bits + 1 < infinity ? (double)to_float((uint16_t)(bits + 1)) : here + largest_step;
        char text[160];
        snprintf(text, sizeof text, "-%.110e", (here + next) / 2);
        char *last = strchr(text, 'e') - 1;
        assert_scans(scan, text, bits + (bits & 1));
        assert_int_equal(*last, '0');
        *last = '1';
        assert_scans(scan, text, bits + 1);
        for (*last = '0'; *last == '0' || *last == '.'; last--)
            if (*last == '0')
                *last = '9';
        --*last;
        assert_scans(scan, text, bits);
    }
}

TEST(decimals_are_rounded_once)
{
    assert_decimals_are_rounded_once(0x7c00, 32, half_to_float, half_scan);
    assert_decimals_are_rounded_once(0x7f80, 0x1p120, bfloat16_to_float, bfloat16_scan);
    EACH(text, "-0", "-0.0", "-0e999", "-1e-400") {
        assert_scans(half_scan, text, 0);
        assert_scans(bfloat16_scan, text, 0);
    }
}

TEST(every_value_of_16_bits_survives_the_way_through_float)
{
    for (unsigned bits = 0; bits <= 0xffff; bits++) {
        if ((bits & 0x7fff) <= 0x7c00)
            assert_int_equal(half_from_double((double)half_to_float((uint16_t)bits)), bits);
        if ((bits & 0x7fff) <= 0x7f80)
            assert_int_equal(bfloat16_from_double((double)bfloat16_to_float((uint16_t)bits)), bits);
    }
}

TEST(nan_stays_nan_and_keeps_its_sign)
{
    for (unsigned bits = 0; bits <= 0xffff; bits++) {
        if ((bits & 0x7fff) > 0x7c00) {
            assert_true(isnan(half_to_float((uint16_t)bits)));
            assert_int_equal(half_from_double((double)half_to_float((uint16_t)bits)), bits | 0x0200);
        }
        if ((bits & 0x7fff) > 0x7f80) {
            assert_true(isnan(bfloat16_to_float((uint16_t)bits)));
            assert_int_equal(bfloat16_from_double((double)bfloat16_to_float((uint16_t)bits)), bits | 0x0040);
        }
    }
    uint64_t payload_in_the_lowest_bit = 0xfff0000000000001;
    double nan;
    memcpy(&nan, &payload_in_the_lowest_bit, sizeof nan);
    assert_int_equal(half_from_double(nan), 0xfe00);
    assert_int_equal(bfloat16_from_double(nan), 0xffc0);
}

TEST(known_values)
{
    static const struct {
        double value;
        uint16_t half;
    } table[] = {{0, 0},          {-0.0, 0x8000},         {1, 0x3c00},       {-2, 0xc000},
                 {65504, 0x7bff}, {65519.99, 0x7bff},     {65520, 0x7c00},   {-1e300, 0xfc00},
                 {0x1p-24, 1},    {0x1p-25, 0},           {0x1.0001p-25, 1}, {1.0 / 3, 0x3555},
                 {1e-300, 0},     {-DBL_MIN / 8, 0x8000}, {0x1p-14, 0x0400}, {(double)INFINITY, 0x7c00}};
    for (size_t i = 0; i < COUNT_OF(table); i++)
        assert_int_equal(half_from_double(table[i].value), table[i].half);
    assert_int_equal(bfloat16_from_double(1), 0x3f80);
    assert_int_equal(bfloat16_from_double((double)FLT_MAX), 0x7f80);
    assert_int_equal(bfloat16_from_double(0x1p-133), 0x0001);
    assert_int_equal(bfloat16_from_double(-0x1p-134), 0x8000);
}
