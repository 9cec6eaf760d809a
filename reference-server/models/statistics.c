#include "models/statistics.h"

#include "base/search.h"

#include <stdlib.h>
#include <time.h>

struct count {
    _Atomic uint64_t number;
    _Atomic uint64_t ns[PARTS];
};

/* Requests and executions with batches of one size, on one place. */
struct statistics_row {
    _Alignas(64) struct statistics_row *next;
    uint64_t batch;
    struct count alone;  /* requests that succeeded and had an execution of their own */
    struct count joined; /* requests that succeeded and shared one */
    struct count shared; /* executions that requests shared */
    _Atomic uint64_t failed;
    _Atomic uint64_t failed_ns;
    _Atomic uint64_t last_ms; /* since 1970: when the last one succeeded */
};

/* --- Counting --- */

/* If two threads add a row for the same size at the same time, there are two such rows, which does no harm. Without
 * memory this returns a row that nobody reads. */
static struct statistics_row *add_row(_Atomic(struct statistics_row *) *rows, uint64_t batch)
{
    static struct statistics_row lost;
    struct statistics_row *row = aligned_alloc(_Alignof(struct statistics_row), sizeof(*row));
    if (!row)
        return &lost;
    *row = (struct statistics_row){.batch = batch, .next = atomic_load(rows)};
    while (!atomic_compare_exchange_weak(rows, &row->next, row))
        ;
    return row;
}

static struct statistics_row *row_of(struct statistics *statistics, uint64_t batch)
{
    _Atomic(struct statistics_row *) *rows = &statistics->places[tally_here()];
    struct statistics_row *row = FIND_IN(at, atomic_load(rows), at->batch == batch);
    return row ? row : add_row(rows, batch);
}

static void add_one(struct count *count, const uint64_t ns[PARTS])
{
    atomic_fetch_add(&count->number, 1);
    for (size_t i = 0; i < PARTS; i++)
        atomic_fetch_add(&count->ns[i], ns[i]);
}

void statistics_succeed(struct statistics *statistics, uint64_t batch, bool is_joined, const uint64_t ns[PARTS])
{
    struct timespec time;
    struct statistics_row *row = row_of(statistics, batch);
    add_one(is_joined ? &row->joined : &row->alone, ns);
    clock_gettime(CLOCK_REALTIME_COARSE, &time);
    atomic_store(&row->last_ms, (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000);
}

void statistics_execute(struct statistics *statistics, uint64_t batch, const uint64_t ns[PARTS])
{
    add_one(&row_of(statistics, batch)->shared, ns);
}

void statistics_fail(struct statistics *statistics, uint64_t batch, uint64_t ns)
{
    struct statistics_row *row = row_of(statistics, batch);
    atomic_fetch_add(&row->failed, 1);
    atomic_fetch_add(&row->failed_ns, ns);
}

/* --- All rows --- */

/* Returns the row after another one (NULL: the first) on all places, one after the other; NULL after the last. */
static struct statistics_row *next_row(const struct statistics *statistics, const struct statistics_row *row,
                                       size_t *place)
{
    struct statistics_row *next = row ? row->next : NULL;
    while (!next && *place < TALLY_PLACES)
        next = atomic_load(&statistics->places[(*place)++]);
    return next;
}

void statistics_close(struct statistics *statistics)
{
    size_t place = 0;
    for (struct statistics_row *next, *row = next_row(statistics, NULL, &place); row; row = next) {
        next = next_row(statistics, row, &place);
        free(row);
    }
    *statistics = (struct statistics){.places = {NULL}};
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

static void add_up(struct statistics_sum *sum, const struct statistics_row *row)
{
    uint64_t last_ms = atomic_load(&row->last_ms);
    sum->inferences += add_count(&sum->succeeded, sum->ns, &row->alone) * row->batch;
    sum->inferences += add_count(&sum->succeeded, sum->ns, &row->joined) * row->batch;
    add_count(&sum->executions, sum->execution_ns, &row->alone);
    add_count(&sum->executions, sum->execution_ns, &row->shared);
    sum->failed += atomic_load(&row->failed);
    sum->failed_ns += atomic_load(&row->failed_ns);
    if (last_ms > sum->last_ms)
        sum->last_ms = last_ms;
}

struct statistics_sum statistics_sum(const struct statistics *statistics)
{
    struct statistics_sum sum = {0};
    size_t place = 0;
    for (const struct statistics_row *row = NULL; (row = next_row(statistics, row, &place));)
        add_up(&sum, row);
    return sum;
}

static int by_batch(const void *left, const void *right)
{
    const struct statistics_batch *a = left, *b = right;
    return a->batch < b->batch ? -1 : a->batch > b->batch;
}

/* Rows may come meanwhile; those that do not fit into the list any more are left out. */
bool statistics_by_batch(const struct statistics *statistics, struct arena *arena, struct statistics_batch **list,
                         size_t *count)
{
    size_t room = 0, place = 0;
    for (const struct statistics_row *row = NULL; (row = next_row(statistics, row, &place));)
        room++;
    *count = place = 0;
    *list = arena_alloc_zero(arena, room, sizeof(**list));
    if (!*list)
        return false;
    for (const struct statistics_row *row = NULL; (row = next_row(statistics, row, &place));) {
        struct statistics_batch *one = FIND(*list, i, *count, (*list)[i].batch == row->batch);
        if (!one && *count < room)
            one = &(*list)[(*count)++];
        if (one) {
            one->batch = row->batch;
            add_up(&one->sum, row);
        }
    }
    qsort(*list, *count, sizeof(**list), by_batch);
    return true;
}
