#include "judge/repeat.h"
#include "base/search.h"

/* The runs of all rounds become one: the first, into which the results of the others are merged. */
struct merging {
    struct run *all;
    struct repeated *repeated; /* by the number of the result */
    bool keeps;                /* a result of the round was kept, and with it its memory */
};

bool repeated_differs(const struct repeated *repeated)
{
    return SUM(i, VERDICT_COUNT, repeated->counts[i] > 0) > 1;
}

static const struct result *copied(const struct result *result, struct arena *arena)
{
    struct result *copy = arena_new_of(arena, struct result);
    *copy = *result;
    return copy;
}

/* A result that was there before comes again. */
static void take(struct merging *merging, size_t at, const struct result *result)
{
    struct repeated *repeated = &merging->repeated[at];
    struct result *known = &merging->all->results[at];
    bool is_new = repeated->counts[result->verdict]++ == 0;
    if (!is_new)
        return;
    if (!repeated->first[known->verdict])
        repeated->first[known->verdict] = copied(known, &merging->all->arena);
    repeated->first[result->verdict] = copied(result, &merging->all->arena);
    if (verdict_is_graver(result->verdict, known->verdict))
        *known = *result;
    merging->keeps = true;
}

/* Makes room for a replay that failed for the first time, and held in the rounds before. */
static void insert(struct merging *merging, size_t at, const struct result *result)
{
    struct run *all = merging->all;
    size_t count = all->result_count, behind = count - at;
    struct result *results = arena_alloc_zero(&all->arena, count + 1, sizeof *results);
    struct repeated *repeated = arena_alloc_zero(&all->arena, count + 1, sizeof *repeated);
    memcpy(results, all->results, at * sizeof *results);
    memcpy(results + at + 1, all->results + at, behind * sizeof *results);
    memcpy(repeated, merging->repeated, at * sizeof *repeated);
    memcpy(repeated + at + 1, merging->repeated + at, behind * sizeof *repeated);
    results[at] = *result;
    repeated[at].counts[VERDICT_PASS] = all->rounds;
    repeated[at].counts[result->verdict] = 1;
    repeated[at].first[result->verdict] = copied(result, &all->arena);
    all->results = results;
    all->result_count++;
    merging->repeated = repeated;
    merging->keeps = true;
}

/* Returns where the result is, or belongs, from there on: a replay that failed among those of its neighbour, all else
 * after them. */
static size_t find_result(const struct run *all, size_t at, const struct result *result)
{
    for (size_t i = at; i < all->result_count; i++) {
        if (str_equal(all->results[i].assertion->id, result->assertion->id))
            return i;
        if (!all->results[i].replay)
            break;
    }
    return at;
}

static void merge(struct merging *merging, const struct run *round)
{
    struct run *all = merging->all;
    size_t at = 0;
    for (size_t i = 0; i < round->result_count; i++, at++) {
        const struct result *result = &round->results[i];
        for (size_t to = find_result(all, at, result); at < to; at++) /* replays that held this time */
            merging->repeated[at].counts[VERDICT_PASS]++;
        if (at < all->result_count && str_equal(all->results[at].assertion->id, result->assertion->id))
            take(merging, at, result);
        else
            insert(merging, at, result);
    }
    for (; at < all->result_count; at++)
        merging->repeated[at].counts[VERDICT_PASS]++;
    all->rounds++;
}

/* Takes over what is told of the whole round. */
static void add_up(struct run *all, const struct run *round, const struct suite *suite)
{
    all->exchanges += round->exchanges;
    all->seconds += round->seconds;
    all->interrupted = round->interrupted;
    all->left = round->left;
    all->unreachable |= round->unreachable;
    all->unresponsive = all->unresponsive.size ? all->unresponsive : arena_copy(&all->arena, round->unresponsive);
    all->unrestored = all->unrestored.size ? all->unrestored : arena_copy(&all->arena, round->unrestored);
    for (size_t i = 0; i < suite->registry.profile_count; i++)
        all->inferences[i] += round->inferences[i];
}

static struct repeated *begin(struct run *all)
{
    struct repeated *repeated = arena_alloc_zero(&all->arena, all->result_count + 1, sizeof *repeated);
    for (size_t i = 0; i < all->result_count; i++)
        repeated[i].counts[all->results[i].verdict] = 1;
    return repeated;
}

struct status repeat_plan(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                          size_t rounds, struct run *run)
{
    struct status status = run_plan(suite, plan, options, run);
    if (!is_ok(status) || rounds <= 1)
        return status;
    struct merging merging = {.all = run, .repeated = begin(run)};
    while (is_ok(status) && run->rounds < rounds && !run->interrupted && !run->unresponsive.size) {
        struct run *round = arena_new_of(&run->arena, struct run);
        status = run_plan(suite, plan, options, round);
        merging.keeps = round->left;
        if (is_ok(status) && !round->interrupted)
            merge(&merging, round);
        add_up(run, round, suite);
        if (merging.keeps) {
            round->next = run->next;
            run->next = round;
        } else {
            run_free(round);
        }
    }
    run->repeated = merging.repeated;
    return status;
}
