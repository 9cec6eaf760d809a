/* The two 16-bit formats differ only in how they split their bits, so one function narrows to both. It takes the 53-bit
 * significand of a double, shifts out the bits for which the format has no room, and rounds by them. A carry out of the
 * significand moves into the exponent by plain addition: from subnormal to normal, and from the largest number to
 * infinity. */
#include "tensor/half.h"

#include <string.h>

struct format {
    int fraction_bits;
    int exponent_min; /* the smallest normal number is 2^exponent_min */
    uint16_t infinity;
};

static const struct format binary16 = {10, -14, 0x7c00};
static const struct format bfloat16 = {7, -126, 0x7f80};

static uint16_t narrow(double value, const struct format *format)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & 0xfffffffffffff;

    if (biased == 0x7ff) {
        if (fraction == 0)
            return sign | format->infinity;
        uint16_t quiet = (uint16_t)(1u << (format->fraction_bits - 1));
        return (uint16_t)(sign | format->infinity | quiet | fraction >> (52 - format->fraction_bits));
    }
    int exponent = biased - 1023;
    int above = exponent - format->exponent_min;
    int shift = 52 - format->fraction_bits + (above < 0 ? -above : 0);
    if (biased == 0 || shift > 53)
        return sign; /* it is less than half of the smallest subnormal */
    uint64_t significand = fraction | 1ull << 52;
    uint64_t kept = significand >> shift;
    uint64_t rest = significand & ((1ull << shift) - 1);
    uint64_t half = 1ull << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    if (above > 0)
        kept += (uint64_t)above << format->fraction_bits;
    return (uint16_t)(sign | (kept < format->infinity ? kept : format->infinity));
}

uint16_t half_from_double(double value)
{
    return narrow(value, &binary16);
}

uint16_t bfloat16_from_double(double value)
{
    return narrow(value, &bfloat16);
}

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t fraction = half & 0x3ff;
    if (exponent == 0x1f)
        return float_of_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0) {
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return float_of_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

float bfloat16_to_float(uint16_t bits)
{
    return float_of_bits((uint32_t)bits << 16);
}
