/* The constants were calculated in Python with exact fractions (and the struct format 'e'), over all 16-bit values. */
#include "base/count.h"
#include "tensor/half.h"
#include "tests/unit.h"

#include <float.h>
#include <math.h>
#include <string.h>

static uint64_t fnv(uint64_t hash, uint16_t bits)
{
    hash = (hash ^ (bits & 0xff)) * 0x100000001b3;
    return (hash ^ (bits >> 8)) * 0x100000001b3;
}

/* Hashes the results for every midpoint between neighbours, and for the doubles right below and above it. */
static uint64_t hash_of_rounding(uint16_t infinity, double largest_step, float (*to_float)(uint16_t),
                                 uint16_t (*from_double)(double))
{
    uint64_t hash = 0xcbf29ce484222325;
    for (uint16_t bits = 0; bits < infinity; bits++) {
        double here = (double)to_float(bits);
        double next = bits + 1 < infinity ? (double)to_float((uint16_t)(bits + 1)) : here + largest_step;
        double middle = (here + next) / 2;
        hash = fnv(hash, from_double(nextafter(middle, 0)));
        hash = fnv(hash, from_double(middle));
        hash = fnv(hash, from_double(nextafter(middle, (double)INFINITY)));
    }
    return hash;
}

TEST(half_rounds_every_midpoint_to_even)
{
    assert_true(hash_of_rounding(0x7c00, 32, half_to_float, half_from_double) == 0x3c9fb96bbb94735);
}

TEST(bfloat16_rounds_every_midpoint_to_even)
{
    assert_true(hash_of_rounding(0x7f80, 0x1p120, bfloat16_to_float, bfloat16_from_double) == 0xa10b7d02b7cc771d);
}

TEST(every_value_of_16_bits_survives_the_way_through_float)
{
    for (unsigned bits = 0; bits <= 0xffff; bits++) {
        if ((bits & 0x7fff) <= 0x7c00)
            assert_int_equal(half_from_float(half_to_float((uint16_t)bits)), bits);
        if ((bits & 0x7fff) <= 0x7f80)
            assert_int_equal(bfloat16_from_float(bfloat16_to_float((uint16_t)bits)), bits);
    }
}

TEST(nan_stays_nan_and_keeps_its_sign)
{
    for (unsigned bits = 0; bits <= 0xffff; bits++) {
        if ((bits & 0x7fff) > 0x7c00) {
            assert_true(isnan(half_to_float((uint16_t)bits)));
            assert_int_equal(half_from_float(half_to_float((uint16_t)bits)), bits | 0x0200);
        }
        if ((bits & 0x7fff) > 0x7f80) {
            assert_true(isnan(bfloat16_to_float((uint16_t)bits)));
            assert_int_equal(bfloat16_from_float(bfloat16_to_float((uint16_t)bits)), bits | 0x0040);
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

TEST(a_double_is_rounded_once)
{
    double value = 1 + 0x1p-11 + 0x1p-40; /* through a float it would be the midpoint, and round down to even */
    assert_int_equal(half_from_double(value), 0x3c01);
    assert_int_equal(half_from_float((float)value), 0x3c00);
    assert_int_equal(bfloat16_from_double(1 + 0x1p-8 + 0x1p-40), 0x3f81);
}
