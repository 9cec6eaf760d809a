/* What the globs of a user (--filter, --skip) name: nothing, by mistake, or the transport alone. */
#include "base/search.h"
#include "plan/planner.h"
#include "support/nearest.h"

static bool meets_a_part(const char *glob, const struct play *play, struct arena *arena)
{
    return glob_meets_play(play, glob, arena) ||
           ANY(i, play->assertion_count, glob_meets(play->assertions[i].id, glob, arena));
}

static bool meets_plan(const char *glob, const struct plan *plan, struct arena *arena)
{
    return ANY(i, plan->play_count, meets_a_part(glob, &plan->plays[i], arena));
}

/* Whether the glob matches a case that any target could be asked for. */
static bool is_of_suite(const char *glob, const struct suite *suite, struct arena *arena)
{
    const struct plan_target whole = plan_nominal(suite, arena);
    struct plan plan = {0};
    bool met = is_ok(plan_make(suite, &whole, &plan)) && meets_plan(glob, &plan, arena);
    plan_free(&plan);
    return met;
}

/* Returns the first glob that matches nothing; NULL without. */
static const char *first_unmatched(const struct values *globs, const struct suite *suite, const struct plan *plan)
{
    const char *unmatched = NULL;
    for (size_t i = 0; i < globs->count && !unmatched; i++) {
        const char *glob = globs->items[i];
        struct arena scratch = memory_arena();
        if (!ANY(k, suite->ledger.count, glob_meets(suite->ledger.rows[k].key, glob, &scratch)) &&
            !meets_plan(glob, plan, &scratch) && !is_of_suite(glob, suite, &scratch))
            unmatched = glob;
        arena_free(&scratch);
    }
    return unmatched;
}

struct str plan_unmatched_glob(const struct suite *suite, const struct plan_target *target, const struct plan *plan,
                               struct arena *arena)
{
    const char *filter = first_unmatched(&target->selected.filters, suite, plan);
    const char *unmatched = filter ? filter : first_unmatched(&target->selected.skips, suite, plan);
    struct nearest nearest = {.word = str_of(unmatched ? unmatched : "")};
    if (!unmatched)
        return (struct str){0};
    for (size_t i = 0; i < suite->ledger.count; i++)
        nearest_try(&nearest, suite->ledger.rows[i].key);
    return arena_printf(arena, "%s '%s' matches nothing; %.*s", filter ? "--filter" : "--skip",
                        str_printable(arena, str_of(unmatched)),
                        STR_ARG(nearest_hint(&nearest, 1, "`oip-conformance list` shows the IDs", arena)));
}

/* --- Filters for the transport alone --- */

/* What a glob was seen to name. */
struct named {
    bool transport, other;
};

static void note(struct named *named, const struct requirement *row)
{
    named->transport |= row->layer == LAYER_TRANSPORT;
    named->other |= row->layer != LAYER_TRANSPORT;
}

static struct named named_keys(const char *glob, const struct ledger *ledger, struct arena *arena)
{
    struct named named = {0};
    for (size_t i = 0; i < ledger->count; i++)
        if (glob_meets(ledger->rows[i].key, glob, arena))
            note(&named, &ledger->rows[i]);
    return named;
}

static struct named named_cases(const char *glob, const struct plan *plan, struct arena *arena)
{
    struct named named = {0};
    FOR_EACH(play, plan->plays, plan->play_count) {
        for (size_t k = 0; k < play->assertion_count; k++)
            if (glob_meets_play(play, glob, arena) || glob_meets(play->assertions[k].id, glob, arena))
                note(&named, play->assertions[k].requirement);
        arena_reset(arena, ARENA_NO_BUDGET);
    }
    return named;
}

bool plan_asks_for_transport(const struct suite *suite, const struct plan_target *target, const struct plan *plan)
{
    struct arena scratch = memory_arena();
    bool asks = false;
    for (size_t i = 0; i < target->selected.filters.count && !asks; i++) {
        struct named named = named_keys(target->selected.filters.items[i], &suite->ledger, &scratch);
        if (!named.transport && !named.other)
            named = named_cases(target->selected.filters.items[i], plan, &scratch);
        asks = named.transport && !named.other;
    }
    arena_free(&scratch);
    return asks;
}
