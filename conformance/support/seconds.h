/* A clock for durations: it does not follow changes of the calendar time. */
#ifndef SUPPORT_SECONDS_H
#define SUPPORT_SECONDS_H

#include "base/clock.h"

static inline double seconds_now(void)
{
    return (double)clock_now() / CLOCK_SECOND;
}

#endif
