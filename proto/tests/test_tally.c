/* Counters that threads share without touching one cache line. */
#include "base/tally.h"
#include "tests/unit.h"

#include <pthread.h>
#include <stdbool.h>

#define THREADS 8
#define TURNS   200000

static struct tally tally;
static _Atomic(struct tally_place *) handed[THREADS];
static atomic_bool others_go_on;

TEST(who_is_in_is_counted_and_who_left_is_not)
{
    struct tally_place *first = tally_enter(&tally), *second = tally_enter(&tally);
    assert_int_equal(tally_sum(&tally), 2);
    tally_leave(first);
    assert_int_equal(tally_sum(&tally), 1);
    tally_leave(second);
    assert_int_equal(tally_sum(&tally), 0);
}

/* Leaves where another thread has entered, and enters for the next one. */
static void *come_and_go(void *argument)
{
    size_t own = (size_t)(uintptr_t)argument;
    for (int turn = 0; turn < TURNS; turn++) {
        struct tally_place *place = atomic_exchange(&handed[(own + 1) % THREADS], NULL);
        if (place)
            tally_leave(place);
        place = atomic_exchange(&handed[own], tally_enter(&tally));
        if (place)
            tally_leave(place);
    }
    return NULL;
}

static void *look(void *argument)
{
    size_t *least = argument;
    do {
        size_t sum = tally_sum(&tally);
        *least = sum < *least ? sum : *least;
    } while (atomic_load(&others_go_on));
    return NULL;
}

TEST(who_stays_is_in_every_sum_while_others_leave_on_other_threads)
{
    pthread_t threads[THREADS], looker;
    size_t least = SIZE_MAX;
    struct tally_place *stays = tally_enter(&tally);
    atomic_store(&others_go_on, true);
    assert_int_equal(pthread_create(&looker, NULL, look, &least), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, (void *)(uintptr_t)i), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&others_go_on, false);
    pthread_join(looker, NULL);
    assert_true(least >= 1);
    for (size_t i = 0; i < THREADS; i++) {
        struct tally_place *place = atomic_load(&handed[i]);
        if (place)
            tally_leave(place);
    }
    assert_int_equal(tally_sum(&tally), 1);
    tally_leave(stays);
    assert_int_equal(tally_sum(&tally), 0);
}
