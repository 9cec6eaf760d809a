/* exp, the logistic function and tanh of FP32 without branches and calls, so that a compiler can compute many at once.
 * They err by at most four units in the last place. */
#pragma once

#include "engine/fast.h"

#include <stdint.h>
#include <string.h>

/* e^x = 2^n e^r with |r| <= ln 2 / 2; e^r is a polynomial of degree 6. Beyond +-87 the result is that of +-87; NaN
 * stays. */
ALWAYS_INLINE float curve_exp(float x)
{
    const float shift = 12582912; /* 1.5 x 2^23: the sum is rounded, and its low bits are n */
    x = x > 87 ? 87 : x < -87 ? -87 : x;
    float shifted = x * 1.44269504F + shift, n = shifted - shift, power;
    float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    float sum = 1.0F / 720;
    sum = sum * r + 1.0F / 120;
    sum = sum * r + 1.0F / 24;
    sum = sum * r + 1.0F / 6;
    sum = sum * r + 0.5F;
    sum = sum * r + 1;
    sum = sum * r + 1;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof(bits));
    bits = (bits + 127) << 23;
    memcpy(&power, &bits, sizeof(power));
    return sum * power;
}

ALWAYS_INLINE float curve_sigmoid(float x)
{
    return 1 / (1 + curve_exp(-x));
}

/* Near 0 the quotient would lose digits, and the series is used. */
ALWAYS_INLINE float curve_tanh(float x)
{
    float square = x * x, twice = curve_exp(2 * x);
    float near = x * (1 + square * (-1.0F / 3 + square * (2.0F / 15 - square * (17.0F / 315))));
    float far = 1 - 2 / (twice + 1);
    return square < 0.04F ? near : far;
}
