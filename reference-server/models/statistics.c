#include "models/statistics.h"

#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t statistics_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void statistics_succeed(struct statistics *statistics, uint64_t inferences, const uint64_t ns[PARTS])
{
    struct statistics_place *place = &statistics->places[tally_here()];
    atomic_fetch_add(&place->succeeded, 1);
    atomic_fetch_add(&place->inferences, inferences);
    for (size_t i = 0; i < PARTS; i++)
        if (ns[i])
            atomic_fetch_add(&place->ns[i], ns[i]);
    atomic_store_explicit(&place->last_ms, read_clock(CLOCK_REALTIME_COARSE) / 1000000, memory_order_relaxed);
}

void statistics_fail(struct statistics *statistics, uint64_t ns)
{
    struct statistics_place *place = &statistics->places[tally_here()];
    atomic_fetch_add(&place->failed, 1);
    atomic_fetch_add(&place->failed_ns, ns);
}

struct statistics_sum statistics_sum(const struct statistics *statistics)
{
    struct statistics_sum sum = {0};
    for (size_t i = 0; i < TALLY_PLACES; i++) {
        const struct statistics_place *place = &statistics->places[i];
        uint64_t last_ms = atomic_load(&place->last_ms);
        sum.succeeded += atomic_load(&place->succeeded);
        sum.inferences += atomic_load(&place->inferences);
        for (size_t part = 0; part < PARTS; part++)
            sum.ns[part] += atomic_load(&place->ns[part]);
        sum.failed += atomic_load(&place->failed);
        sum.failed_ns += atomic_load(&place->failed_ns);
        if (last_ms > sum.last_ms)
            sum.last_ms = last_ms;
    }
    return sum;
}
