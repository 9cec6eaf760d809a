/* Lets many threads read data that one thread replaces, without a lock. A reader is inside for a short time only, from
 * readers_enter to readers_leave. The writer replaces a pointer, and calls readers_wait: when it returns, no reader
 * uses what the pointer pointed to before, so it can be freed.
 *
 * Readers are counted in one of two tallies, and the writer says which is in use. A reader reads the number of the
 * round, enters the tally of that round, and reads the number again. If it has changed, the reader leaves and starts
 * again. The writer begins a new round, and waits until the tally of the round before is zero. All these steps are
 * sequentially consistent, so all threads see them in one order: a reader that saw the old number twice entered before
 * the new round began, so every later sum of its tally includes it until it leaves. A reader that saw the new number
 * reads the pointer after the writer has replaced it. Counting shares no cache line with other processors
 * (base/tally.h), and the number is written only when models are loaded or unloaded. */
#pragma once

#include "base/tally.h"

struct readers {
    struct tally rounds[2]; /* all zero at the start */
    atomic_size_t round;
};

/* `here` is of tally_here. */
static inline struct tally_place *readers_enter(struct readers *readers, size_t here)
{
    for (;;) {
        size_t round = atomic_load(&readers->round);
        struct tally_place *place = tally_enter_at(&readers->rounds[round % 2], here);
        if (atomic_load(&readers->round) == round)
            return place;
        tally_leave(place);
    }
}

static inline void readers_leave(struct tally_place *place)
{
    tally_leave(place);
}

/* Waits until all readers that entered before have left. Only one thread may call it at a time, and not while it is a
 * reader itself. */
static inline void readers_wait(struct readers *readers)
{
    size_t round = atomic_fetch_add(&readers->round, 1);
    while (tally_sum(&readers->rounds[round % 2]) > 0)
        sched_yield();
}
