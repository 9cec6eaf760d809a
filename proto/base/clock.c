#include "base/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * CLOCK_SECOND + now.tv_nsec;
}

int64_t clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_coarse(void)
{
    return read_clock(CLOCK_MONOTONIC_COARSE);
}

void clock_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

int clock_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t until)
{
    const struct timespec time = {.tv_sec = until / CLOCK_SECOND, .tv_nsec = until % CLOCK_SECOND};
    return pthread_cond_timedwait(condition, mutex, &time);
}
