/* The library reads and prints doubles. Reading goes on from the double to 16 bits, which is a second rounding, and is
 * set right where that matters. Printing tries decimals with one digit fewer at a time. */
#include "tensor/half_text.h"

#include "tensor/half.h"

#include <math.h>

struct format {
    float (*widen)(uint16_t);
    uint16_t (*narrow)(double);
    int digits; /* are enough for any value */
};

static const struct format binary16 = {half_to_float, half_from_double, 5};
static const struct format bfloat16 = {bfloat16_to_float, bfloat16_from_double, 4};

/* The second rounding goes wrong only where the double is a tie of 16 bits, and the decimal is not: it lies beside the
 * tie. Then the double next to it on the decimal's side is rounded to where the decimal belongs. */
static double beside_tie(double value, struct str spelling, const struct format *format)
{
    float tie = (float)value; /* every tie of 16 bits fits a float */
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

/* Where a decimal of some digits reads back, so does the one of as many digits that is nearest to the value. An
 * exception are powers of two: the neighbour below is nearer than the one above, so that the nearest decimal may lie
 * too far below, where another above is not too far. It is the nearest to the middle of all that is rounded to the
 * value. */
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
