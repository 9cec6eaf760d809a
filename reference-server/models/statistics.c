#include "models/statistics.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct count {
    _Atomic uint64_t number;
    _Atomic uint64_t ns[PARTS];
};

/* Requests and executions with batches of one size. One thread writes, others may read at any moment, so each number is
 * atomic. */
struct row {
    struct row *next;
    uint64_t batch;
    struct count alone;  /* requests that succeeded and had an execution of their own */
    struct count joined; /* requests that succeeded and shared one */
    struct count shared; /* executions that requests shared */
    _Atomic uint64_t failed;
    _Atomic uint64_t failed_ns;
};

/* Where one thread counts. */
struct statistics_place {
    _Alignas(64) struct row one;  /* a batch of one element, or no batch */
    struct row unknown;           /* failed before the size of their batch was known */
    _Atomic(struct row *) others; /* each for another size; new ones come in front */
    _Atomic uint64_t last_ms;     /* since 1970: when the last one succeeded */
    const void *thread;           /* whose place it is */
    struct statistics_place *next;
};

/* --- Places --- */

#define SEATS 64

/* A thread remembers its places in some statistics; it is known by the address of this table. A thread that begins
 * after another has ended may have the same address, and goes on in the same places. */
static _Thread_local struct {
    uint64_t number; /* of the statistics; 0: none */
    struct statistics_place *place;
} slots[SEATS];

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
    *place = (struct statistics_place){.one.batch = 1, .thread = thread, .next = atomic_load(&statistics->places)};
    while (!atomic_compare_exchange_weak(&statistics->places, &place->next, place))
        ;
    return place;
}

/* Returns a place in which nobody else counts until the thread leaves it. */
static struct statistics_place *enter(struct statistics *statistics)
{
    size_t slot = statistics->number % SEATS;
    if (slots[slot].number == statistics->number)
        return slots[slot].place;
    struct statistics_place *place = find_place(statistics, slots);
    if (!place)
        place = add_place(statistics, slots);
    if (place) {
        slots[slot].number = statistics->number;
        slots[slot].place = place;
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

static struct row *add_row(struct statistics_place *place, uint64_t batch)
{
    struct row *row = calloc(1, sizeof(*row));
    if (!row)
        return &place->unknown;
    row->batch = batch;
    row->next = atomic_load(&place->others);
    atomic_store(&place->others, row);
    return row;
}

static struct row *row_of(struct statistics_place *place, uint64_t batch)
{
    if (batch <= 1)
        return batch == 1 ? &place->one : &place->unknown;
    for (struct row *row = atomic_load(&place->others); row; row = row->next)
        if (row->batch == batch)
            return row;
    return add_row(place, batch);
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
        for (struct row *following, *row = atomic_load(&place->others); row; row = following) {
            following = row->next;
            free(row);
        }
        free(place);
    }
    atomic_store(&statistics->places, NULL);
}

/* Adds a count to a sum. Returns the number. */
static uint64_t add_count(uint64_t *number, uint64_t ns[PARTS], const struct count *count)
{
    uint64_t more = atomic_load(&count->number);
    *number += more;
    for (size_t part = 0; part < PARTS; part++)
        ns[part] += atomic_load(&count->ns[part]);
    return more;
}

static void add_up(struct statistics_sum *sum, const struct row *row)
{
    sum->inferences += add_count(&sum->succeeded, sum->ns, &row->alone) * row->batch;
    sum->inferences += add_count(&sum->succeeded, sum->ns, &row->joined) * row->batch;
    add_count(&sum->executions, sum->execution_ns, &row->alone);
    add_count(&sum->executions, sum->execution_ns, &row->shared);
    sum->failed += atomic_load(&row->failed);
    sum->failed_ns += atomic_load(&row->failed_ns);
}

struct statistics_sum statistics_sum(const struct statistics *statistics)
{
    struct statistics_sum sum = {0};
    for (const struct statistics_place *place = atomic_load(&statistics->places); place; place = place->next) {
        uint64_t last_ms = atomic_load(&place->last_ms);
        add_up(&sum, &place->unknown);
        add_up(&sum, &place->one);
        for (const struct row *row = atomic_load(&place->others); row; row = row->next)
            add_up(&sum, row);
        if (last_ms > sum.last_ms)
            sum.last_ms = last_ms;
    }
    return sum;
}

/* --- By the size of the batch --- */

/* The sizes that were found, in the arena. */
struct sizes {
    struct statistics_batch *list;
    size_t count, room;
};

static bool add_size(struct sizes *sizes, const struct row *row, struct arena *arena)
{
    size_t i = 0;
    if (atomic_load(&row->alone.number) + atomic_load(&row->joined.number) + atomic_load(&row->shared.number) +
            atomic_load(&row->failed) ==
        0)
        return true;
    while (i < sizes->count && sizes->list[i].batch != row->batch)
        i++;
    if (i == sizes->room) {
        struct statistics_batch *more = arena_alloc_zero(arena, 2 * i + 4, sizeof(*more));
        if (!more)
            return false;
        if (i)
            memcpy(more, sizes->list, i * sizeof(*more));
        sizes->list = more;
        sizes->room = 2 * i + 4;
    }
    sizes->count += i == sizes->count;
    sizes->list[i].batch = row->batch;
    add_up(&sizes->list[i].sum, row);
    return true;
}

static int by_batch(const void *left, const void *right)
{
    const struct statistics_batch *a = left, *b = right;
    return a->batch < b->batch ? -1 : a->batch > b->batch;
}

bool statistics_by_batch(const struct statistics *statistics, struct arena *arena, struct statistics_batch **list,
                         size_t *count)
{
    struct sizes sizes = {0};
    bool fits = true;
    for (const struct statistics_place *place = atomic_load(&statistics->places); place && fits; place = place->next) {
        fits = add_size(&sizes, &place->unknown, arena) && add_size(&sizes, &place->one, arena);
        for (const struct row *row = atomic_load(&place->others); row && fits; row = row->next)
            fits = add_size(&sizes, row, arena);
    }
    if (sizes.count)
        qsort(sizes.list, sizes.count, sizeof(*sizes.list), by_batch);
    *list = sizes.list;
    *count = sizes.count;
    return fits;
}

/* --- Counting --- */

static uint64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME_COARSE, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void add_one(struct count *count, const uint64_t ns[PARTS])
{
    add(&count->number, 1);
    for (size_t i = 0; i < PARTS; i++)
        add(&count->ns[i], ns[i]);
}

void statistics_succeed(struct statistics *statistics, uint64_t batch, const uint64_t ns[PARTS])
{
    struct statistics_place *place = enter(statistics);
    add_one(&row_of(place, batch)->alone, ns);
    atomic_store_explicit(&place->last_ms, now_ms(), memory_order_release);
    leave(place);
}

void statistics_succeed_joined(struct statistics *statistics, uint64_t batch, const uint64_t ns[PARTS])
{
    struct statistics_place *place = enter(statistics);
    add_one(&row_of(place, batch)->joined, ns);
    atomic_store_explicit(&place->last_ms, now_ms(), memory_order_release);
    leave(place);
}

void statistics_execute(struct statistics *statistics, uint64_t batch, const uint64_t ns[PARTS])
{
    struct statistics_place *place = enter(statistics);
    add_one(&row_of(place, batch)->shared, ns);
    leave(place);
}

void statistics_fail(struct statistics *statistics, uint64_t batch, uint64_t ns)
{
    struct statistics_place *place = enter(statistics);
    struct row *row = row_of(place, batch);
    add(&row->failed, 1);
    add(&row->failed_ns, ns);
    leave(place);
}
