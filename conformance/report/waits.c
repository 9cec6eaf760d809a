#include "report/waits.h"

#define CHAIN_MAX 64 /* no case waits for itself, so a longer chain is none */

/* Returns the result of a play for which others wait: the one that was judged and does not pass, else the first one
 * that is blocked itself. NULL: all that was asked of it passed, or it has no result. */
static const struct result *hindrance_of(const struct waits *waits, const struct play *play)
{
    const struct run *run = waits->run;
    const struct result *blocked = NULL;
    for (size_t i = play->index < waits->play_count ? waits->first[play->index] : run->result_count;
         i < run->result_count && result_exchange(&run->results[i]) == play; i++) {
        const struct result *result = &run->results[i];
        if (verdict_is_judged(result->verdict) && !verdict_passes(result->verdict))
            return result;
        if (result->verdict == VERDICT_BLOCKED && !blocked)
            blocked = result;
    }
    return blocked;
}

const struct result *waits_root(const struct waits *waits, const struct result *blocked)
{
    const struct result *result = blocked;
    for (int i = 0; i < CHAIN_MAX && result && result->verdict == VERDICT_BLOCKED; i++)
        result = result->waits_for ? hindrance_of(waits, result->waits_for) : NULL;
    return result && result != blocked && result->verdict != VERDICT_BLOCKED ? result : NULL;
}

struct str waits_what_came(const struct result *result, struct arena *arena)
{
    struct str asked = result->asked.size ? result->asked : result_exchange(result)->id;
    bool is_success = str_starts(result->outcome, STR("2")) || str_is(result->outcome, "OK");
    bool outcome_is_enough = result->outcome.size && (!is_success || !result->why.size);
    return outcome_is_enough ? arena_printf(arena, "%.*s answered %.*s", STR_ARG(asked), STR_ARG(result->outcome))
                             : arena_printf(arena, "%.*s: %.*s", STR_ARG(asked), STR_ARG(result->why));
}

/* Whether both say the same: the same question was answered alike, and broke the same requirement. */
static bool are_alike(const struct result *a, const struct result *b)
{
    return a->assertion->requirement == b->assertion->requirement && str_equal(a->asked, b->asked) &&
           str_equal(a->outcome, b->outcome) && (a->asked.size || a == b);
}

static void count(struct waits *waits, const struct result *root)
{
    struct root *known = FIND(waits->roots, i, waits->root_count, are_alike(waits->roots[i].result, root));
    if (!known) {
        known = &waits->roots[waits->root_count++];
        known->result = root;
    }
    known->waiting++;
}

static int most_first(const void *a, const void *b)
{
    const struct root *left = a, *right = b;
    if (left->waiting != right->waiting)
        return left->waiting < right->waiting ? 1 : -1;
    return left->result < right->result ? -1 : 1;
}

struct waits waits_of(const struct report *report, struct arena *arena)
{
    const struct run *run = report->run;
    size_t play_count = report->plan->play_count;
    size_t *first = arena_alloc_zero(arena, play_count + 1, sizeof(size_t));
    for (size_t i = 0; i < play_count; i++)
        first[i] = run->result_count;
    for (size_t i = run->result_count; i-- > 0;)
        if (!run->results[i].replay && run->results[i].assertion->play->index < play_count)
            first[run->results[i].assertion->play->index] = i;
    struct waits waits = {.run = run,
                          .first = first,
                          .play_count = play_count,
                          .roots = arena_alloc_zero(arena, run->result_count + 1, sizeof(struct root))};
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *root =
            run->results[i].verdict == VERDICT_BLOCKED ? waits_root(&waits, &run->results[i]) : NULL;
        if (root && result_exchange(root) != run->results[i].assertion->play)
            count(&waits, root);
    }
    array_sort(waits.roots, waits.root_count, most_first);
    return waits;
}
