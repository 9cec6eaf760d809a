/* The monotonic clock, for durations and deadlines: it does not follow changes of the calendar time. Times are
 * nanoseconds, counted from a moment that means nothing. */
#pragma once

#include <pthread.h>
#include <stdint.h>

#define CLOCK_SECOND 1000000000

int64_t clock_now(void);

/* The same, up to a few milliseconds late, which takes less time. */
int64_t clock_coarse(void);

/* Makes a condition for clock_wait. */
void clock_cond_init(pthread_cond_t *condition);

/* Waits for the condition until that time. Returns 0, or ETIMEDOUT. */
int clock_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t until);
