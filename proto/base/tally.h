/* A tally counts how many of something are going on at the moment. Many threads count at once and do not wait for each
 * other, because each processor counts in a cache line of its own. A thread that enters gets the place in which it was
 * counted, and leaves at the same place, on any thread. So no place falls below zero, and the sum always includes
 * everyone who was in during the whole summation. All operations are sequentially consistent. */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#define TALLY_PLACES 16 /* further processors share these places */

struct tally_place {
    _Alignas(64) atomic_size_t count;
};

struct tally {
    struct tally_place places[TALLY_PLACES]; /* all zero at the start */
};

/* Returns the place of the processor on which the thread is; it may be on another one a moment later. */
static inline size_t tally_here(void)
{
    int processor = sched_getcpu(); /* negative if the system cannot tell */
    return processor > 0 ? (size_t)processor % TALLY_PLACES : 0;
}

/* Enters at that place: for a thread that enters several tallies at once, since to ask for the processor costs as much
 * as to count. */
static inline struct tally_place *tally_enter_at(struct tally *tally, size_t here)
{
    struct tally_place *place = &tally->places[here];
    atomic_fetch_add(&place->count, 1);
    return place;
}

static inline struct tally_place *tally_enter(struct tally *tally)
{
    return tally_enter_at(tally, tally_here());
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
