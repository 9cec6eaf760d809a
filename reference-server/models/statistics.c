#include "models/statistics.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Where one thread counts. Others may read at any moment, so each number is atomic. */
struct statistics_place {
    _Alignas(64) _Atomic uint64_t succeeded;
    _Atomic uint64_t inferences; /* elements of batches that succeeded; a request without a batch is one */
    _Atomic uint64_t ns[PARTS];  /* of those that succeeded */
    _Atomic uint64_t last_ms;    /* since 1970: when the last one succeeded */
    _Atomic uint64_t failed;
    _Atomic uint64_t failed_ns;
    const void *thread; /* whose place it is */
    struct statistics_place *next;
};

/* --- Places --- */

#define SEATS 64

/* A thread remembers its places in some statistics; it is known by the address of this table. A thread that begins
 * after another has ended may have the same address, and goes on in the same places. */
static _Thread_local struct {
    uint64_t number; /* of the statistics; 0: none */
    struct statistics_place *place;
} seats[SEATS];

/* The first place of all statistics is for threads that find no memory for one of their own. They take turns. */
static const char everyone;
static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;

static struct statistics_place *find_place(const struct statistics *statistics, const void *thread)
{
    struct statistics_place *place = atomic_load(&statistics->places);
    while (place && place->thread != thread)
        place = place->next;
    return place;
}

static struct statistics_place *add_place(struct statistics *statistics, const void *thread)
{
    struct statistics_place *place = aligned_alloc(_Alignof(struct statistics_place), sizeof(*place));
    if (!place)
        return NULL;
    *place = (struct statistics_place){.thread = thread, .next = atomic_load(&statistics->places)};
    while (!atomic_compare_exchange_weak(&statistics->places, &place->next, place))
        ;
    return place;
}

/* Returns a place in which nobody else counts until the thread leaves it. */
static struct statistics_place *enter(struct statistics *statistics)
{
    size_t seat = statistics->number % SEATS;
    if (seats[seat].number == statistics->number)
        return seats[seat].place;
    struct statistics_place *place = find_place(statistics, seats);
    if (!place)
        place = add_place(statistics, seats);
    if (place) {
        seats[seat].number = statistics->number;
        seats[seat].place = place;
        return place;
    }
    pthread_mutex_lock(&turns);
    return find_place(statistics, &everyone);
}

static void leave(const struct statistics_place *place)
{
    if (place->thread == &everyone)
        pthread_mutex_unlock(&turns);
}

static void add(_Atomic uint64_t *count, uint64_t more)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more, memory_order_release);
}

/* --- All places --- */

bool statistics_open(struct statistics *statistics)
{
    static _Atomic uint64_t opened;
    statistics->number = atomic_fetch_add(&opened, 1) + 1;
    atomic_init(&statistics->places, NULL);
    return add_place(statistics, &everyone);
}

void statistics_close(struct statistics *statistics)
{
    for (struct statistics_place *next, *place = atomic_load(&statistics->places); place; place = next) {
        next = place->next;
        free(place);
    }
    atomic_store(&statistics->places, NULL);
}

struct statistics_sum statistics_sum(const struct statistics *statistics)
{
    struct statistics_sum sum = {0};
    for (struct statistics_place *place = atomic_load(&statistics->places); place; place = place->next) {
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

/* --- Counting --- */

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
    struct statistics_place *place = enter(statistics);
    add(&place->succeeded, 1);
    add(&place->inferences, inferences);
    for (size_t i = 0; i < PARTS; i++)
        add(&place->ns[i], ns[i]);
    atomic_store_explicit(&place->last_ms, read_clock(CLOCK_REALTIME_COARSE) / 1000000, memory_order_release);
    leave(place);
}

void statistics_fail(struct statistics *statistics, uint64_t ns)
{
    struct statistics_place *place = enter(statistics);
    add(&place->failed, 1);
    add(&place->failed_ns, ns);
    leave(place);
}
