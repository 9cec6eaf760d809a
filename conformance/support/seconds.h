/* Time that passes, whatever the calendar says. */
#ifndef SUPPORT_SECONDS_H
#define SUPPORT_SECONDS_H

#include <time.h>

static inline double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#endif
