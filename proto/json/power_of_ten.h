/* Powers of ten as binary numbers: 10^q is between `significand` and `significand` + 1, times 2^(binary_exponent - 63).
 * The significand has 64 bits, the highest of them set; up to 10^27 it is exact. Worked out by the compiler: 5^54 is
 * the largest power whose quotients fit 128 bits. */
#ifndef JSON_POWER_OF_TEN_H
#define JSON_POWER_OF_TEN_H

#include <cstdint>

constexpr int power_of_ten_least = -54, power_of_ten_most = 54, power_of_ten_exact = 27;

struct power_of_ten_table {
    uint64_t significand[power_of_ten_most - power_of_ten_least + 1];
};

constexpr power_of_ten_table make_powers_of_ten()
{
    power_of_ten_table table = {};
    unsigned __int128 five = 1; /* 5^q: the twos of 10^q are in the exponent */
    for (int q = 0; q <= power_of_ten_most; q++, five *= 5) {
        unsigned __int128 whole = five, unit = 1;
        while (!(whole >> 127))
            whole <<= 1;
        table.significand[q - power_of_ten_least] = static_cast<uint64_t>(whole >> 64);
        if (q == 0)
            continue;
        while (unit < five)
            unit <<= 1;
        uint64_t quotient = 0; /* of a power of two and 5^q, bit by bit */
        for (int bit = 0; bit < 64; bit++) {
            quotient <<= 1;
            if (unit >= five) {
                unit -= five;
                quotient |= 1;
            }
            unit <<= 1;
        }
        table.significand[-q - power_of_ten_least] = quotient;
    }
    return table;
}

inline constexpr power_of_ten_table powers_of_ten = make_powers_of_ten();

inline uint64_t power_of_ten(int q)
{
    return powers_of_ten.significand[q - power_of_ten_least];
}

/* floor(log2(10^q)) */
inline int binary_exponent_of_power(int q)
{
    return (q * 1741647) >> 19;
}

#endif
