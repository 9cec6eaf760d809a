/* The clock that waits. */
#include "base/clock.h"
#include "tests/scratch.h"

#include <errno.h>

TEST(a_wait_ends_no_earlier_than_its_time)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    int64_t begin = clock_now();
    clock_cond_init(&condition);
    pthread_mutex_lock(&mutex);
    int fault = 0;
    while (fault == 0)
        fault = clock_wait(&condition, &mutex, begin + CLOCK_SECOND / 100);
    pthread_mutex_unlock(&mutex);
    assert_int_equal(fault, ETIMEDOUT);
    assert_true(clock_now() >= begin + CLOCK_SECOND / 100);
    pthread_cond_destroy(&condition);
}
