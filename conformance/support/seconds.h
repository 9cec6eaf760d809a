/* A clock for durations: it does not follow changes of the calendar time. */
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
