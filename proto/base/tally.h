/* How many of something go on at the moment, counted by many threads that do not wait for one another: each processor
 * counts in a cache line of its own. Who enters keeps the place it was counted in and leaves there, on any thread; so
 * no place falls below zero, and whoever was in all the while is in the sum. All orders are sequentially consistent. */
#ifndef BASE_TALLY_H
#define BASE_TALLY_H

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#define TALLY_PLACES 16 /* processors beyond that share */

struct tally_place {
    _Alignas(64) atomic_size_t count;
};

struct tally {
    struct tally_place places[TALLY_PLACES]; /* zero at first */
};

static inline struct tally_place *tally_enter(struct tally *tally)
{
    int processor = sched_getcpu(); /* below 0 where the system does not tell */
    struct tally_place *place = &tally->places[processor > 0 ? processor % TALLY_PLACES : 0];
    atomic_fetch_add(&place->count, 1);
    return place;
}

static inline void tally_leave(struct tally_place *place)
{
    atomic_fetch_sub(&place->count, 1);
}

static inline size_t tally_sum(const struct tally *tally)
{
    size_t sum = 0;
    for (size_t i = 0; i < TALLY_PLACES; i++)
        sum += atomic_load(&tally->places[i].count);
    return sum;
}

#endif
