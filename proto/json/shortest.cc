/* The decimal with the fewest digits that reads back as the same float, and of several the nearest: Raffaele
 * Giulietti's method ("The Schubfach way to render doubles", 2020), for binary formats of up to 24 bits.
 *
 * The numbers that read back as one float are an interval around it. It is scaled by a power of ten so that it is wider
 * than 1 and narrower than 10; it then holds at most one multiple of 10, and surely an integer next to the float. Only
 * the float and the two ends are multiplied, in quarters, and what the product loses is remembered in its last bit, so
 * that every comparison is exact. */
extern "C" {
#include "json/number.h"
}

#include "json/power_of_ten.h"
#include <charconv>
#include <cstring>

namespace
{

/* significand x 2^exponent; the neighbour below is nearer than the one above if the significand starts a new power of
 * two. */
struct binary {
    uint32_t significand;
    int exponent;
    bool starts_power;
};

/* digits x 10^exponent */
struct decimal {
    uint32_t digits;
    int exponent;
};

/* Parts of an IEEE 754 format; the highest exponent, of infinities and NaN, is the caller's to exclude. */
template <int fraction_bits, int exponent_bits> binary parts_of(uint32_t bits)
{
    uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    int biased = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    constexpr int least = 2 - (1 << (exponent_bits - 1)) - fraction_bits;
    if (__builtin_expect(biased == 0, false)) /* subnormal */
        return {fraction, least, false};
    return {fraction | 1u << fraction_bits, least + biased - 1, fraction == 0 && biased > 1};
}

/* The upper part of the product; its last bit is set if anything but zeros was cut off. */
uint32_t scaled(uint64_t power, uint32_t quarters)
{
    unsigned __int128 product = static_cast<unsigned __int128>(power) * quarters;
    uint64_t cut = static_cast<uint64_t>(product) >> 33; /* less may come from rounding the power up */
    return static_cast<uint32_t>(product >> 64) | (cut > 0);
}

bool is_small_integer(binary number)
{
    return number.exponent <= 0 && number.exponent > -24 && (number.significand & ((1u << -number.exponent) - 1)) == 0;
}

decimal shortest(binary number)
{
    if (is_small_integer(number))
        return {number.significand >> -number.exponent, 0};

    /* floor(log10) of the interval's width, the power of ten that undoes it, rounded up, and what keeps quarters. */
    int place = (number.exponent * 1262611 - (number.starts_power ? 524031 : 0)) >> 22;
    uint64_t power = power_of_ten(-place) + (place > 0 || -place > power_of_ten_exact);
    int shift = number.exponent + binary_exponent_of_power(-place) + 1;
    uint32_t quarters = 4 * number.significand;
    uint32_t middle = scaled(power, quarters << shift);
    uint32_t low = scaled(power, (quarters - 2 + number.starts_power) << shift);
    uint32_t high = scaled(power, (quarters + 2) << shift);
    if (number.significand & 1) { /* the ends themselves round to the even neighbours */
        low++;
        high--;
    }

    uint32_t below = middle / 4, tens = below / 10;
    if (tens > 0) {
        bool below_fits = low <= 40 * tens, above_fits = 40 * tens + 40 <= high;
        if (below_fits != above_fits)
            return {tens + above_fits, place + 1};
    }
    bool below_fits = low <= 4 * below, above_fits = 4 * below + 4 <= high;
    bool is_above_nearer = middle + (below & 1) > 4 * below + 2;
    return {below + (below_fits != above_fits ? above_fits : is_above_nearer), place};
}

/* Eight digits from 0 to 9, the first in the lowest byte: fours, pairs, digits; each step puts the remainder of a
 * division above the quotient. */
uint64_t eight_digits(uint64_t number)
{
    number = (number << 32) - (number * UINT64_C(3518437209) >> 45) * ((UINT64_C(10000) << 32) - 1);
    number = (number << 16) - ((number * 10486 >> 20) & UINT64_C(0x0000007F0000007F)) * ((UINT64_C(100) << 16) - 1);
    return (number << 8) - ((number * 103 >> 10) & UINT64_C(0x000F000F000F000F)) * ((UINT64_C(10) << 8) - 1);
}

int count_digits(uint32_t number)
{
    static constexpr uint32_t powers[] = {0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    int guess = (32 - __builtin_clz(number)) * 1233 >> 12; /* log10(2) is 1233/4096 */
    return guess + (number >= powers[guess]);
}

/* The nine digits that there may be, kept in registers: what is stored byte by byte is slow to load again. */
struct text {
    uint64_t others; /* the digits behind the first, as they lie in memory, with zeros behind */
    char first;
    int count; /* without the zeros behind */
    int point; /* so many digits stand before it; 0 and less: so many zeros stand behind it */
};

text text_of(decimal number)
{
    constexpr uint64_t zeros = UINT64_C(0x3030303030303030);
    int all = count_digits(number.digits);
    uint32_t ninth = number.digits / 100000000;
    uint64_t eight = eight_digits(number.digits % 100000000);
    int count = all - (eight ? __builtin_clzll(eight) / 8 : 8);
    eight |= zeros;
    if (ninth)
        return {eight, static_cast<char>('0' + ninth), count, all + number.exponent};
    eight >>= 8 * (8 - all);
    return {eight >> 8 | zeros, static_cast<char>(eight), count, all + number.exponent};
}

size_t write_scientific(text number, char *to)
{
    int exponent = number.point - 1, magnitude = exponent < 0 ? -exponent : exponent;
    int size = number.count + (number.count > 1);
    to[0] = number.first;
    to[1] = '.';
    memcpy(to + 2, &number.others, sizeof(number.others));
    to[size] = 'e';
    to[size + 1] = exponent < 0 ? '-' : '+';
    to[size + 2] = static_cast<char>('0' + magnitude / 10);
    to[size + 3] = static_cast<char>('0' + magnitude % 10);
    return static_cast<size_t>(size) + 4;
}

/* "0.05" or "5e-02": whichever is shorter, the first if they are equally long, as std::to_chars does. What is too much
 * is written over, or lies behind the end. */
size_t write_decimal(text number, char *to)
{
    int count = number.count, point = number.point;
    int size = point <= 0 ? 2 - point + count : point < count ? count + 1 : point;
    if (size > count + (count > 1) + 4)
        return write_scientific(number, to);
    if (point <= 0) {
        memcpy(to, "0.000000", 8);
        to[2 - point] = number.first;
        memcpy(to + 3 - point, &number.others, sizeof(number.others));
    } else {
        uint64_t behind = number.others >> (8 * (point - 1) & 63); /* nothing that counts at 64 */
        to[0] = number.first;
        memcpy(to + 1, &number.others, sizeof(number.others));
        to[point] = '.';
        memcpy(to + point + 1, &behind, sizeof(behind));
    }
    return static_cast<size_t>(size);
}

size_t write(bool negative, binary number, char *text)
{
    char *to = text;
    *to = '-';
    to += negative;
    if (number.significand == 0) { /* -0 as -0.0: readers that tell integers from fractions make 0 of "-0" */
        memcpy(to, "0.0", 3);
        return negative ? 4 : 1;
    }
    return negative + write_decimal(text_of(shortest(number)), to);
}

} // namespace

extern "C" size_t number_write_float(float value, char text[NUMBER_TEXT_MAX])
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    binary number = parts_of<23, 8>(bits);
    if (number.exponent > 0) /* all digits of a large integer, where the fewest would do */
        return static_cast<size_t>(std::to_chars(text, text + NUMBER_TEXT_MAX, value).ptr - text);
    return write(bits >> 31, number, text);
}

extern "C" size_t number_write_half(uint16_t bits, char text[NUMBER_TEXT_MAX])
{
    return write(bits >> 15, parts_of<10, 5>(bits), text);
}

extern "C" size_t number_write_bfloat16(uint16_t bits, char text[NUMBER_TEXT_MAX])
{
    return write(bits >> 15, parts_of<7, 8>(bits), text);
}
