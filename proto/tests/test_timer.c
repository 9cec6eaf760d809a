/* Timers. */
#include "base/timer.h"
#include "tests/scratch.h"
#include <stdlib.h>

#define COUNT 1000

static struct timer timers_of_test[COUNT];
static int64_t last_due;
static size_t due_count;

static void note(struct timer *timer)
{
    assert_true(timer->at >= last_due);
    assert_int_equal(timer->place, 0);
    last_due = timer->at;
    due_count++;
}

TEST(timers_are_due_in_order_however_they_were_moved)
{
    struct timers timers = {0};
    uint32_t number = 1;
    for (size_t i = 0; i < COUNT; i++) {
        timers_of_test[i].due = note;
        assert_true(timer_set(&timers, &timers_of_test[i], (number = number * 1664525 + 1013904223) >> 8));
    }
    for (size_t i = 0; i < COUNT; i += 3)
        assert_true(timer_set(&timers, &timers_of_test[i], (number = number * 1664525 + 1013904223) >> 8));
    for (size_t i = 1; i < COUNT; i += 3)
        timer_clear(&timers, &timers_of_test[i]);
    timer_clear(&timers, &timers_of_test[1]); /* not set: nothing happens */
    int64_t half = (int64_t)1 << 23, next = timers_run(&timers, half);
    assert_true(next > half && last_due <= half);
    assert_int_equal(timers_run(&timers, (int64_t)1 << 24), NEVER);
    assert_int_equal(due_count, COUNT - COUNT / 3);
    timers_free(&timers);
}
