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

/* Says something of each number: all bits of it are set, or none. */
typedef int32_t lanes_mask __attribute__((vector_size(sizeof(lanes))));

/* Replaces the numbers of which the mask is set. */
ALWAYS_INLINE void lanes_replace(lanes *numbers, const lanes *by, const lanes_mask *mask)
{
    *numbers = (lanes)(((lanes_mask)*by & *mask) | ((lanes_mask)*numbers & ~*mask));
}

/* Replaces the numbers that are less, or more, than others; one that cannot be compared stays. */
ALWAYS_INLINE void lanes_raise(lanes *numbers, const lanes *to)
{
    const lanes_mask less = *numbers < *to;
    lanes_replace(numbers, to, &less);
}

ALWAYS_INLINE void lanes_lower(lanes *numbers, const lanes *to)
{
    const lanes_mask more = *numbers > *to;
    lanes_replace(numbers, to, &more);
}
