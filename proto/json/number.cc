/* Numbers between text and memory. std::to_chars and std::from_chars do the rounding; what they cannot do, exact
 * integers spelled with fraction or exponent and the comparison of numbers of any size, works on the digits of the
 * text. */
extern "C" {
#include "json/number.h"
}

#include <charconv>
#include <cstring>
#include <system_error>

namespace
{

/* A spelling taken apart. Its value is 0.d1 d2 d3 ... dn times ten to the power of (exponent + shift), where d1 and dn
 * are not 0; zero has no digits. */
struct decimal {
    bool negative;
    const char *digits; /* d1; the digits may have the decimal point among them */
    size_t count;       /* n */
    str exponent;       /* digits of the exponent without leading zeros; empty: 0 */
    bool exponent_negative;
    int64_t shift; /* what the place of the decimal point adds to the exponent */
};

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Eight bytes at a time: a run of digits costs no branch per digit, which matters for large tensors. */
inline const char *after_digits(const char *at, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    while (end - at >= 8) {
        uint64_t eight;
        memcpy(&eight, at, sizeof(eight));
        eight ^= UINT64_C(0x3030303030303030); /* digits are 0 to 9 now */
        uint64_t others = (((eight & UINT64_C(0x7f7f7f7f7f7f7f7f)) + UINT64_C(0x7676767676767676)) | eight) &
                          UINT64_C(0x8080808080808080);
        if (others)
            return at + __builtin_ctzll(others) / 8;
        at += 8;
    }
#endif
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* The digit that follows the one at `at`, over the decimal point. */
const char *next_digit(const char *at)
{
    at++;
    return *at == '.' ? at + 1 : at;
}

bool take_apart(str spelling, decimal *number)
{
    if (spelling.size == 0 || number_first(spelling) != spelling.size)
        return false;
    const char *at = spelling.data, *end = spelling.data + spelling.size;
    *number = {};
    number->negative = *at == '-';
    at += number->negative;

    const char *whole = at, *whole_end = after_digits(at, end), *fraction = whole_end, *fraction_end = whole_end;
    at = whole_end;
    if (at < end && *at == '.') {
        fraction = at + 1;
        fraction_end = at = after_digits(fraction, end);
    }
    if (at < end) { /* "e", a sign perhaps, digits */
        at++;
        number->exponent_negative = *at == '-';
        at += *at == '-' || *at == '+';
        while (at < end && *at == '0')
            at++;
        number->exponent = {at, static_cast<size_t>(end - at)};
        number->exponent_negative = number->exponent_negative && number->exponent.size > 0;
    }

    /* First and last digit that are not 0; both parts are walked as one row of digits. */
    const char *first = whole;
    while (first < whole_end && *first == '0')
        first++;
    number->shift = whole_end - first;
    if (first == whole_end) {
        first = fraction;
        while (first < fraction_end && *first == '0')
            first++;
        if (first == fraction_end)
            return true; /* zero */
        number->shift = fraction - first;
    }
    const char *last = fraction_end;
    while (last > fraction && last > first && last[-1] == '0')
        last--;
    if (last == fraction && first < whole_end) {
        last = whole_end;
        while (last[-1] == '0')
            last--;
    }
    number->digits = first;
    number->count = static_cast<size_t>(last - first);
    if (first < whole_end && last > whole_end)
        number->count--; /* the point */
    return true;
}

/* Exponents up to 18 digits fit: exponent plus shift as a number. */
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

/* The magnitude of an integer below 2^64. */
bool magnitude_of(const decimal &number, uint64_t *magnitude)
{
    *magnitude = 0;
    if (number.count == 0)
        return true;
    int64_t power;
    constexpr int64_t longest = 20; /* digits of 2^64 */
    if (!power_of(number, &power) || power < static_cast<int64_t>(number.count) || power > longest)
        return false;
    const char *digit = number.digits;
    for (int64_t i = 0; i < power; i++) {
        unsigned value = 0;
        if (i < static_cast<int64_t>(number.count)) {
            value = static_cast<unsigned>(*digit - '0');
            if (i + 1 < static_cast<int64_t>(number.count))
                digit = next_digit(digit);
        }
        if (__builtin_mul_overflow(*magnitude, UINT64_C(10), magnitude) ||
            __builtin_add_overflow(*magnitude, static_cast<uint64_t>(value), magnitude))
            return false;
    }
    return true;
}

/* Digits alone, perhaps with a sign, are read at once; anything else by its exact value. */
template <typename integer> bool read_plain(str spelling, integer *value)
{
    const char *end = spelling.data + spelling.size;
    auto [stopped, error] = std::from_chars(spelling.data, end, *value);
    return error == std::errc() && stopped == end;
}

template <typename real> bool read_real(str spelling, real *value)
{
    if (spelling.size == 0 || !is_digit(spelling.data[spelling.size > 1 && spelling.data[0] == '-']))
        return false; /* from_chars knows words: inf, nan */
    const char *end = spelling.data + spelling.size;
    auto [stopped, error] = std::from_chars(spelling.data, end, *value);
    if (error == std::errc())
        return stopped == end;
    if (error != std::errc::result_out_of_range || stopped != end)
        return false;

    /* Out of range in one direction is a fault, in the other it is zero. */
    decimal number;
    int64_t power;
    if (!take_apart(spelling, &number))
        return false;
    bool small = power_of(number, &power) ? power <= 0 : number.exponent_negative;
    if (!small)
        return false;
    *value = number.negative ? -static_cast<real>(0) : static_cast<real>(0);
    return true;
}

template <typename any> size_t write(any value, char *text)
{
    return static_cast<size_t>(std::to_chars(text, text + NUMBER_TEXT_MAX, value).ptr - text);
}

} // namespace

extern "C" size_t number_first(struct str s)
{
    const char *at = s.data, *end = s.data + s.size;
    if (at == end)
        return 0;
    at += *at == '-';
    if (at == end || !is_digit(*at))
        return 0;
    at = *at == '0' ? at + 1 : after_digits(at + 1, end);
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

extern "C" size_t number_write_double(double value, char text[NUMBER_TEXT_MAX])
{
    size_t size = write(value, text);
    if (size == 2 && text[0] == '-' && text[1] == '0') { /* readers that tell integers from fractions make 0 of "-0" */
        std::memcpy(text + size, ".0", 2);
        size += 2;
    }
    return size;
}

extern "C" size_t number_write_int64(int64_t value, char text[NUMBER_TEXT_MAX])
{
    return write(value, text);
}

extern "C" size_t number_write_uint64(uint64_t value, char text[NUMBER_TEXT_MAX])
{
    return write(value, text);
}

extern "C" bool number_read_int64(struct str spelling, int64_t *value)
{
    if (read_plain(spelling, value))
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
    if (read_plain(spelling, value))
        return true;
    decimal number;
    return take_apart(spelling, &number) && magnitude_of(number, value) && (!number.negative || *value == 0);
}

extern "C" bool number_read_float(struct str spelling, float *value)
{
    return read_real(spelling, value);
}

extern "C" bool number_read_double(struct str spelling, double *value)
{
    return read_real(spelling, value);
}

extern "C" bool number_equal(struct str a, struct str b)
{
    decimal x, y;
    if (!take_apart(a, &x) || !take_apart(b, &y))
        return str_equal(a, b);
    if (x.negative != y.negative || x.count != y.count)
        return false;
    if (x.count == 0)
        return true;

    const char *at = x.digits, *other = y.digits;
    for (size_t i = 0; i + 1 < x.count; i++) {
        if (*at != *other)
            return false;
        at = next_digit(at);
        other = next_digit(other);
    }
    if (*at != *other)
        return false;

    int64_t power, other_power;
    bool known = power_of(x, &power), other_known = power_of(y, &other_power);
    if (known && other_known)
        return power == other_power;
    return known == other_known && x.exponent_negative == y.exponent_negative && x.shift == y.shift &&
           str_equal(x.exponent, y.exponent);
}
