/* This file parses a spelling itself only where the libraries do not help: for integers that have a fraction or an
 * exponent, and to compare numbers of any size. */
extern "C" {
#include "json/number.h"
}

#include <charconv>
#include <cmath>
#include <cstring>
#include <fast_float/fast_float.h>
#include <system_error>

namespace
{

/* The parts of a number's spelling. The value is 0.d1 d2 d3 ... dn times ten to the power of (exponent + shift), where
 * d1 and dn are not 0. Zero has no digits. */
struct decimal {
    bool negative;
    const char *digits; /* points at d1; a decimal point may stand among the digits */
    size_t count;       /* n */
    str exponent;       /* the digits of the exponent without leading zeros; empty means 0 */
    bool exponent_negative;
    int64_t shift; /* what the position of the decimal point adds to the exponent */
};

inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

inline const char *after_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* Returns the end of the digits before the decimal point. A 0 at the start is the only digit there (RFC 8259). */
inline const char *after_whole(const char *at, const char *end)
{
    return at < end && *at == '0' ? at + 1 : after_digits(at, end);
}

bool take_apart(str spelling, decimal *number)
{
    if (spelling.size == 0 || number_first(spelling) != spelling.size)
        return false;
    const char *first = spelling.data, *end = spelling.data + spelling.size;
    *number = {};
    number->negative = *first == '-';
    first += number->negative;
    const char *point = after_digits(first, end); /* the decimal point, or the place where it would stand */
    const char *last = point < end && *point == '.' ? after_digits(point + 1, end) : point;
    if (last < end) { /* an "e", perhaps a sign, then digits */
        const char *at = last + 1;
        bool negative = *at == '-';
        at += *at == '-' || *at == '+';
        while (at < end && *at == '0')
            at++;
        number->exponent = {at, static_cast<size_t>(end - at)};
        number->exponent_negative = negative && at < end;
    }
    while (first < last && (*first == '0' || *first == '.'))
        first++;
    while (first < last && (last[-1] == '0' || last[-1] == '.'))
        last--;
    if (first == last)
        return true; /* the number is zero */
    number->digits = first;
    number->count = static_cast<size_t>(last - first) - (first < point && point < last);
    number->shift = first < point ? point - first : point + 1 - first;
    return true;
}

/* An exponent of up to 18 digits, plus the shift, fits into an int64_t. */
constexpr size_t exponent_digits_max = 18;

bool power_of(const decimal &number, int64_t *power)
{
    if (number.exponent.size > exponent_digits_max)
        return false;
    int64_t exponent = 0;
    for (size_t i = 0; i < number.exponent.size; i++)
        exponent = exponent * 10 + (number.exponent.data[i] - '0');
    *power = (number.exponent_negative ? -exponent : exponent) + number.shift;
    return true;
}

/* Sets the magnitude of a number that is an integer below 2^64; returns false for any other number. */
bool magnitude_of(const decimal &number, uint64_t *magnitude)
{
    constexpr int64_t longest = 20; /* 2^64 has 20 digits */
    char digits[longest];
    int64_t power;
    *magnitude = 0;
    if (number.count == 0)
        return true;
    if (!power_of(number, &power) || power < static_cast<int64_t>(number.count) || power > longest)
        return false;
    std::memset(digits, '0', longest);
    const char *digit = number.digits;
    for (size_t i = 0; i < number.count; i++) {
        digit += *digit == '.';
        digits[i] = *digit++;
    }
    return std::from_chars(digits, digits + power, *magnitude).ec == std::errc();
}

/* Reads an integer. from_chars accepts leading zeros, but JSON does not, so they are refused here. */
template <typename integer> const char *scan_integer(const char *text, const char *end, integer *value)
{
    auto [stopped, error] = std::from_chars(text, end, *value);
    if (error != std::errc())
        return nullptr;
    const char *first = text + (*text == '-');
    return *first == '0' && stopped - first > 1 ? nullptr : stopped;
}

/* Reads a float. fast_float accepts words (inf, nan), leading zeros, and a decimal point with digits on one side only.
 * JSON does not, so they are refused here. fast_float gives infinity for a number that is too large; this is refused
 * too. */
template <typename real> inline const char *scan_real(const char *text, const char *end, real *value)
{
    real nearest;
    const char *stopped = fast_float::from_chars(text, end, nearest).ptr;
    if (stopped == text)
        return nullptr;
    const char *first = text + (*text == '-'), *at = after_whole(first, stopped);
    if (at != stopped && (at == first || is_digit(*at) || (*at == '.' && (at + 1 == stopped || !is_digit(at[1])))))
        return nullptr;
    if (!std::isfinite(nearest))
        return nullptr;
    *value = nearest;
    return stopped;
}

bool ends(const char *stopped, str spelling)
{
    return stopped && stopped == spelling.data + spelling.size;
}

/* Zero is written with a fraction, because readers that tell integers from fractions turn "-0" into 0. */
template <typename real> size_t write_real(real value, char *text)
{
    char *end = std::to_chars(text, text + NUMBER_TEXT_MAX, value).ptr;
    size_t size = static_cast<size_t>(end - text);
    if (size != 2 || std::memcmp(text, "-0", 2) != 0)
        return size;
    std::memcpy(end, ".0", 2);
    return size + 2;
}

template <typename integer> size_t write_integer(integer value, char *text)
{
    return static_cast<size_t>(std::to_chars(text, text + NUMBER_TEXT_MAX, value).ptr - text);
}

/* Compares the digits 0.d1 d2 ... of two numbers, without their powers of ten. Returns a negative number, 0 or a
 * positive number if the first is less, equal or greater. */
int compare_digits(const decimal &a, const decimal &b)
{
    const char *at = a.digits, *other = b.digits;
    for (size_t i = 0; i < a.count && i < b.count; i++, at++, other++) {
        at += *at == '.';
        other += *other == '.';
        if (*at != *other)
            return *at - *other;
    }
    return (a.count > b.count) - (a.count < b.count);
}

} // namespace

extern "C" size_t number_first(struct str s)
{
    const char *end = s.data + s.size, *first = s.data + (s.size > 0 && s.data[0] == '-');
    const char *at = after_whole(first, end);
    if (at == first)
        return 0;
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = after_digits(fraction, end);
        if (at == fraction)
            return 0;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        const char *exponent = at;
        at = after_digits(exponent, end);
        if (at == exponent)
            return 0;
    }
    return static_cast<size_t>(at - s.data);
}

extern "C" size_t number_write_float(float value, char text[NUMBER_TEXT_MAX])
{
    return write_real(value, text);
}

extern "C" size_t number_write_double(double value, char text[NUMBER_TEXT_MAX])
{
    return write_real(value, text);
}

extern "C" size_t number_write_int64(int64_t value, char text[NUMBER_TEXT_MAX])
{
    return write_integer(value, text);
}

extern "C" size_t number_write_uint64(uint64_t value, char text[NUMBER_TEXT_MAX])
{
    return write_integer(value, text);
}

extern "C" double number_rounded(double value, int digits)
{
    char text[NUMBER_TEXT_MAX];
    auto end = std::to_chars(text, text + NUMBER_TEXT_MAX, value, std::chars_format::scientific, digits - 1).ptr;
    fast_float::from_chars(text, end, value);
    return value;
}

extern "C" const char *number_scan_int64(const char *text, const char *end, int64_t *value)
{
    return scan_integer(text, end, value);
}

extern "C" const char *number_scan_uint64(const char *text, const char *end, uint64_t *value)
{
    return scan_integer(text, end, value);
}

extern "C" const char *number_scan_float(const char *text, const char *end, float *value)
{
    return scan_real(text, end, value);
}

extern "C" const char *number_scan_double(const char *text, const char *end, double *value)
{
    return scan_real(text, end, value);
}

extern "C" bool number_read_int64(struct str spelling, int64_t *value)
{
    if (ends(scan_integer(spelling.data, spelling.data + spelling.size, value), spelling))
        return true;
    decimal number;
    uint64_t magnitude;
    if (!take_apart(spelling, &number) || !magnitude_of(number, &magnitude))
        return false;
    uint64_t limit = static_cast<uint64_t>(INT64_MAX) + number.negative;
    if (magnitude > limit)
        return false;
    *value = static_cast<int64_t>(number.negative ? -magnitude : magnitude);
    return true;
}

extern "C" bool number_read_uint64(struct str spelling, uint64_t *value)
{
    if (ends(scan_integer(spelling.data, spelling.data + spelling.size, value), spelling))
        return true;
    decimal number;
    return take_apart(spelling, &number) && magnitude_of(number, value) && (!number.negative || *value == 0);
}

extern "C" bool number_read_float(struct str spelling, float *value)
{
    return ends(scan_real(spelling.data, spelling.data + spelling.size, value), spelling);
}

extern "C" bool number_read_double(struct str spelling, double *value)
{
    return ends(scan_real(spelling.data, spelling.data + spelling.size, value), spelling);
}

extern "C" int number_compare_magnitude(struct str spelling, float value)
{
    constexpr int digits_max = 112; /* enough for all digits of any float */
    char text[digits_max + 8];
    auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific, digits_max - 1).ptr;
    decimal number, other;
    int64_t power = 0, other_power = 0;
    take_apart(spelling, &number);
    take_apart({text, static_cast<size_t>(end - text)}, &other);
    power_of(number, &power);
    power_of(other, &other_power);
    return power != other_power ? (power > other_power) - (power < other_power) : compare_digits(number, other);
}

extern "C" bool number_equal(struct str a, struct str b)
{
    decimal x, y;
    if (!take_apart(a, &x) || !take_apart(b, &y))
        return str_equal(a, b);
    if (x.negative != y.negative || compare_digits(x, y) != 0)
        return false;
    if (x.count == 0)
        return true;
    int64_t power = 0, other_power = 0;
    bool known = power_of(x, &power), other_known = power_of(y, &other_power);
    if (known && other_known)
        return power == other_power;
    return known == other_known && x.exponent_negative == y.exponent_negative && x.shift == y.shift &&
           str_equal(x.exponent, y.exponent);
}
