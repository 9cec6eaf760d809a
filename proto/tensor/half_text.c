/* The library reads and prints doubles. Reading rounds the double again, to 16 bits; beside_tie corrects the cases in
 * which two roundings give a wrong result. Printing tries decimals with fewer and fewer digits. */
#include "tensor/half_text.h"

#include "tensor/half.h"

#include <math.h>

struct format {
    float (*widen)(uint16_t);
    uint16_t (*narrow)(double);
    int digits; /* so many digits are enough for any value */
};

static const struct format binary16 = {half_to_float, half_from_double, 5};
static const struct format bfloat16 = {bfloat16_to_float, bfloat16_from_double, 4};

/* The second rounding is wrong only if the double is a tie of 16 bits but the decimal is not: the decimal lies beside
 * the tie. This function then returns the next double on the side of the decimal, which is rounded correctly. */
static double beside_tie(double value, struct str spelling, const struct format *format)
{
    float tie = (float)value; /* a float can hold every tie of 16 bits */
    if ((double)tie != value || value == 0 ||
        format->narrow(nextafter(value, -INFINITY)) == format->narrow(nextafter(value, INFINITY)))
        return value;
    int side = number_compare_magnitude(spelling, tie);
    return side == 0 ? value : nextafter(value, side < 0 ? 0 : copysign(INFINITY, value));
}

static inline const char *scan(const char *text, const char *end, uint16_t *bits, const struct format *format)
{
    double value;
    const char *stopped = number_scan_double(text, end, &value);
    if (stopped)
        *bits = format->narrow(beside_tie(value, (struct str){text, (size_t)(stopped - text)}, format));
    return stopped;
}

const char *half_scan(const char *text, const char *end, uint16_t *half)
{
    return scan(text, end, half, &binary16);
}

const char *bfloat16_scan(const char *text, const char *end, uint16_t *bits)
{
    return scan(text, end, bits, &bfloat16);
}

/* Usually, if any decimal with N digits reads back to the value, the one nearest to the value does. Powers of two are
 * the exception: their neighbour below is nearer than the one above. The nearest decimal may then lie too far below,
 * while another one above is close enough. So the decimal nearest to the middle of the interval that rounds to the
 * value is tried too. */
static size_t write_shortest(uint16_t bits, const struct format *format, char *text)
{
    double value = (double)format->widen(bits);
    double below = (double)format->widen((uint16_t)(bits - 1)), above = (double)format->widen((uint16_t)(bits + 1));
    double middle = value + (above - value - (value - below)) / 4;
    double shortest = number_rounded(value, format->digits);
    for (int digits = format->digits - 1; digits > 0; digits--) {
        double shorter = number_rounded(value, digits);
        if (format->narrow(shorter) != bits && middle != value)
            shorter = number_rounded(middle, digits);
        if (format->narrow(shorter) != bits)
            break;
        shortest = shorter;
    }
    return number_write_double(shortest, text);
}

size_t half_write(uint16_t half, char text[NUMBER_TEXT_MAX])
{
    return write_shortest(half, &binary16, text);
}

size_t bfloat16_write(uint16_t bits, char text[NUMBER_TEXT_MAX])
{
    return write_shortest(bits, &bfloat16, text);
}
