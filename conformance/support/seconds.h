/* A clock for durations: it does not follow changes of the calendar time. */
#pragma once

#include "base/clock.h"

static inline double seconds_now(void)
{
    return (double)clock_now() / CLOCK_SECOND;
}
