/* Numbers that lie side by side in both forms of a plan, and are computed at once: those of a block of channels. */
#pragma once

#include "engine/fast.h"
#include "engine/operator.h"

#define LANES BLOCK_CHANNELS
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

ALWAYS_INLINE lanes *lanes_at(float *numbers)
{
    return (lanes *)numbers;
}

ALWAYS_INLINE const lanes *lanes_of(const float *numbers)
{
    return (const lanes *)numbers;
}

/* Sets each number to the larger one of two; it stays if they cannot be compared. */
ALWAYS_INLINE void lanes_raise(lanes *to, const lanes *from)
{
    typedef int32_t bits __attribute__((vector_size(sizeof(lanes))));
    const bits larger = *from > *to;
    *to = (lanes)(((bits)*from & larger) | ((bits)*to & ~larger));
}
