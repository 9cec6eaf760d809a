#include "models/statistics.h"

#include <stdlib.h>
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

/* --- Counting --- */

/* Adds a row for a size in front of the others. Two threads may do so at once, so a size may have two rows. */
static struct statistics_row *add_row(struct statistics_place *place, uint64_t batch)
{
    struct statistics_row *row = calloc(1, sizeof(*row));
    if (!row)
        return &place->unknown;
    row->batch = batch;
    row->next = atomic_load(&place->others);
    while (!atomic_compare_exchange_weak(&place->others, &row->next, row)) {
    }
    return row;
}

static struct statistics_row *row_of(struct statistics_place *place, uint64_t batch)
{
    if (batch <= 1)
        return batch == 1 ? &place->one : &place->unknown;
    for (struct statistics_row *row = atomic_load(&place->others); row; row = row->next)
        if (row->batch == batch)
            return row;
    return add_row(place, batch);
}

void statistics_succeed(struct statistics *statistics, uint64_t batch, const uint64_t ns[PARTS])
{
    struct statistics_place *place = &statistics->places[tally_here()];
    struct statistics_row *row = row_of(place, batch);
    atomic_fetch_add(&row->succeeded, 1);
    for (size_t i = 0; i < PARTS; i++)
        if (ns[i])
            atomic_fetch_add(&row->ns[i], ns[i]);
    atomic_store_explicit(&place->last_ms, read_clock(CLOCK_REALTIME_COARSE) / 1000000, memory_order_relaxed);
}

void statistics_fail(struct statistics *statistics, uint64_t batch, uint64_t ns)
{
    struct statistics_row *row = row_of(&statistics->places[tally_here()], batch);
    atomic_fetch_add(&row->failed, 1);
    atomic_fetch_add(&row->failed_ns, ns);
}

/* --- Adding up --- */

static void add(struct statistics_sum *sum, const struct statistics_row *row, uint64_t batch)
{
    uint64_t succeeded = atomic_load(&row->succeeded);
    sum->succeeded += succeeded;
    sum->inferences += succeeded * batch;
    for (size_t part = 0; part < PARTS; part++)
        sum->ns[part] += atomic_load(&row->ns[part]);
    sum->failed += atomic_load(&row->failed);
    sum->failed_ns += atomic_load(&row->failed_ns);
}

struct statistics_sum statistics_sum(const struct statistics *statistics)
{
    struct statistics_sum sum = {0};
    for (size_t i = 0; i < TALLY_PLACES; i++) {
        const struct statistics_place *place = &statistics->places[i];
        uint64_t last_ms = atomic_load(&place->last_ms);
        add(&sum, &place->unknown, 0);
        add(&sum, &place->one, 1);
        for (const struct statistics_row *row = atomic_load(&place->others); row; row = row->next)
            add(&sum, row, row->batch);
        if (last_ms > sum.last_ms)
            sum.last_ms = last_ms;
    }
    return sum;
}

static int by_batch(const void *left, const void *right)
{
    const struct statistics_batch *a = left, *b = right;
    return a->batch < b->batch ? -1 : a->batch > b->batch;
}

static void add_batch(struct statistics_batch *list, size_t *count, const struct statistics_row *row, uint64_t batch)
{
    size_t i = 0;
    if (atomic_load(&row->succeeded) + atomic_load(&row->failed) == 0)
        return;
    while (i < *count && list[i].batch != batch)
        i++;
    *count += i == *count;
    list[i].batch = batch;
    add(&list[i].sum, row, batch);
}

/* Other threads may add rows meanwhile, so each list is walked from a head that is read once. */
bool statistics_by_batch(const struct statistics *statistics, struct arena *arena, struct statistics_batch **list,
                         size_t *count)
{
    const struct statistics_row *heads[TALLY_PLACES];
    size_t room = 0;
    for (size_t i = 0; i < TALLY_PLACES; i++) {
        heads[i] = atomic_load(&statistics->places[i].others);
        for (const struct statistics_row *row = heads[i]; row; row = row->next)
            room++;
    }
    *count = 0;
    *list = arena_alloc_zero(arena, room + 2, sizeof(**list));
    if (!*list)
        return false;
    for (size_t i = 0; i < TALLY_PLACES; i++) {
        add_batch(*list, count, &statistics->places[i].unknown, 0);
        add_batch(*list, count, &statistics->places[i].one, 1);
        for (const struct statistics_row *row = heads[i]; row; row = row->next)
            add_batch(*list, count, row, row->batch);
    }
    qsort(*list, *count, sizeof(**list), by_batch);
    return true;
}

void statistics_end(struct statistics *statistics)
{
    for (size_t i = 0; i < TALLY_PLACES; i++) {
        struct statistics_row *row = atomic_exchange(&statistics->places[i].others, NULL);
        while (row) {
            struct statistics_row *next = row->next;
            free(row);
            row = next;
        }
    }
}
