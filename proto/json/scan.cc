/* Digits behind the point are taken eight at a time: three multiplications and some shifts make one number of them. The
 * decimal digits x 10^q is then one product of 64 by 64 bits: a number of 64 bits that is less than 4 too small. It
 * tells the nearest float, of 24 or 53 bits, unless it lies just below the middle between two. */
extern "C" {
#include "json/scan.h"
}

#include "json/power_of_ten.h"
#include <cstddef>
#include <cstring>

namespace
{

constexpr uint64_t small_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Eight digits, 0 to 9 a byte, the first in the lowest: pairs of digits, then fours, then all. */
inline uint64_t value_of_eight(uint64_t digits)
{
    constexpr uint64_t pairs = UINT64_C(0x000000FF000000FF);
    digits = digits * 10 + (digits >> 8);
    return ((digits & pairs) * UINT64_C(0x000F424000000064) + (digits >> 16 & pairs) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* Takes up to eight digits, perhaps none, without asking how many: a branch there would be guessed wrongly too often.
 */
inline const char *scan_eight(const char *at, uint64_t *digits)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof(eight));
    eight ^= UINT64_C(0x3030303030303030);
    uint64_t others = (((eight & UINT64_C(0x7F7F7F7F7F7F7F7F)) + UINT64_C(0x7676767676767676)) | eight) &
                      UINT64_C(0x8080808080808080);
    unsigned count = others ? static_cast<unsigned>(__builtin_ctzll(others)) / 8 : 8;
    *digits = *digits * small_powers[count] + value_of_eight(count ? eight << (64 - 8 * count) : 0);
    return at + count;
}

/* More than 19 digits overflow, which the caller finds by counting. */
inline const char *scan_fraction(const char *at, uint64_t *digits)
{
    const char *end = scan_eight(scan_eight(at, digits), digits); /* as many are usual in a double */
    do {
        at = end;
        end = scan_eight(at, digits);
    } while (end - at == 8);
    return end;
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What follows the e. */
const char *scan_exponent(const char *at, int64_t *exponent)
{
    bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (!is_digit(*at))
        return nullptr;
    int value = *at++ - '0';
    if (is_digit(*at))
        value = value * 10 + *at++ - '0';
    *exponent += negative ? -value : value;
    return is_digit(*at) ? nullptr : at;
}

/* Whether a number has more digits than fit, zeros in front not counted. */
bool overflows(const char *first, const char *end)
{
    while (first < end && (*first == '0' || *first == '.'))
        first++;
    return end - first > SCAN_DIGITS;
}

template <typename real> struct format;
template <> struct format<float> {
    using bits = uint32_t;
    static constexpr int significand = 24, exponent_max = 127;
};
template <> struct format<double> {
    using bits = uint64_t;
    static constexpr int significand = 53, exponent_max = 1023;
};

/* The nearest float; false if that is not certain, or the float is subnormal or infinite. */
template <typename real> inline bool nearest(uint64_t digits, int64_t exponent, bool negative, real *value)
{
    using as = format<real>;
    using bits = typename as::bits;
    constexpr int dropped = 64 - as::significand, too_small = 4;
    constexpr uint64_t middle = UINT64_C(1) << (dropped - 1);
    bits result = 0;
    if (digits) {
        if (exponent < power_of_ten_least || exponent > power_of_ten_most)
            return false;
        int q = static_cast<int>(exponent), zeros = __builtin_clzll(digits);
        unsigned __int128 product = static_cast<unsigned __int128>(digits << zeros) * power_of_ten(q);
        uint64_t high = static_cast<uint64_t>(product >> 64);
        int full = static_cast<int>(high >> 63);
        uint64_t leading = high << (1 - full), rest = leading & (2 * middle - 1);
        int biased = binary_exponent_of_power(q) + 63 - zeros + full + as::exponent_max;
        if (biased < 1 || biased >= 2 * as::exponent_max || (rest <= middle && rest + too_small > middle))
            return false;
        /* The bit that a float does not show counts one in the exponent, and so does a carry. */
        result = (static_cast<bits>(biased - 1) << (as::significand - 1)) + static_cast<bits>(leading >> dropped) +
                 (rest > middle);
    }
    result |= static_cast<bits>(negative) << (sizeof(bits) * 8 - 1);
    memcpy(value, &result, sizeof(result));
    return true;
}

template <typename real> inline const char *scan_real(const char *text, real *value)
{
    bool negative = *text == '-';
    const char *first = text + negative;
    uint64_t digits;
    int64_t exponent = 0;
    const char *end = scan_whole(first, &digits);
    if (!end)
        return nullptr;
    if (*end == '.') {
        const char *fraction = end + 1;
        end = scan_fraction(fraction, &digits);
        exponent = fraction - end;
        if (end == fraction)
            return nullptr;
    }
    if (end - first > SCAN_DIGITS + 2 * (*first == '0') && overflows(first, end)) /* two: "0." */
        return nullptr;
    if (*end == 'e' || *end == 'E')
        end = scan_exponent(end + 1, &exponent);
    return end && nearest(digits, exponent, negative, value) ? end : nullptr;
}

} // namespace

extern "C" const char *scan_float(const char *text, float *value)
{
    return scan_real(text, value);
}

extern "C" const char *scan_double(const char *text, double *value)
{
    return scan_real(text, value);
}
