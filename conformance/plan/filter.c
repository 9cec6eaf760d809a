/* Marks the plays that the user leaves out by globs on IDs (--filter, --skip). */
#include "plan/planner.h"
#include "support/nearest.h"

#include <fnmatch.h>

static bool meets(struct str text, const char *glob, struct arena *arena)
{
    return fnmatch(glob, arena_copy(arena, text).data, 0) == 0;
}

/* Whether the glob matches the play as a whole. */
static bool meets_play(const struct play *play, const char *glob, struct arena *arena)
{
    const char *at = memchr(play->id.data, '@', play->id.size);
    struct str plain = {play->id.data, (size_t)(at - play->id.data)};
    return meets(play->id, glob, arena) || meets(plain, glob, arena) || meets(play->group->family->path, glob, arena);
}

static bool meets_assertion(const struct assertion *assertion, const char *glob, struct arena *arena)
{
    return meets(assertion->id, glob, arena) || meets(assertion->requirement->key, glob, arena);
}

static bool is_filtered_in(const struct plan_target *target, const struct play *play, struct arena *arena)
{
    for (size_t i = 0; i < target->filter_count; i++) {
        if (meets_play(play, target->filters[i], arena))
            return true;
        for (size_t k = 0; k < play->assertion_count; k++)
            if (meets_assertion(&play->assertions[k], target->filters[i], arena))
                return true;
    }
    return target->filter_count == 0;
}

static bool is_skipped(const struct plan_target *target, const struct assertion *assertion, struct arena *arena)
{
    for (size_t i = 0; i < target->skip_count; i++)
        if (meets_play(assertion->play, target->skips[i], arena) || meets_assertion(assertion, target->skips[i], arena))
            return true;
    return false;
}

static bool glob_meets_play(const char *glob, const struct play *play, struct arena *arena)
{
    bool met = meets_play(play, glob, arena);
    for (size_t i = 0; i < play->assertion_count && !met; i++)
        met = meets(play->assertions[i].id, glob, arena);
    return met;
}

static bool glob_meets_key(const char *glob, const struct ledger *ledger, struct arena *arena)
{
    for (size_t i = 0; i < ledger->count; i++)
        if (meets(ledger->rows[i].key, glob, arena))
            return true;
    return false;
}

static bool glob_meets_plan(const char *glob, const struct plan *plan, struct arena *arena)
{
    for (size_t i = 0; i < plan->play_count; i++)
        if (glob_meets_play(glob, &plan->plays[i], arena))
            return true;
    return false;
}

/* Whether the glob matches a case that any target could be asked for. */
static bool is_of_suite(const char *glob, const struct suite *suite, struct arena *arena)
{
    const struct plan_target whole = plan_nominal(suite, arena);
    struct plan plan = {0};
    bool met = is_ok(plan_make(suite, &whole, &plan)) && glob_meets_plan(glob, &plan, arena);
    plan_free(&plan);
    return met;
}

/* Returns the first glob that matches nothing; NULL without. */
static const char *first_vain(const char *const *globs, size_t count, const struct suite *suite,
                              const struct plan *plan)
{
    const char *vain = NULL;
    for (size_t i = 0; i < count && !vain; i++) {
        struct arena scratch = memory_arena();
        if (!glob_meets_key(globs[i], &suite->ledger, &scratch) && !glob_meets_plan(globs[i], plan, &scratch) &&
            !is_of_suite(globs[i], suite, &scratch))
            vain = globs[i];
        arena_free(&scratch);
    }
    return vain;
}

struct str plan_vain_glob(const struct suite *suite, const struct plan_target *target, const struct plan *plan,
                          struct arena *arena)
{
    const char *filter = first_vain(target->filters, target->filter_count, suite, plan);
    const char *vain = filter ? filter : first_vain(target->skips, target->skip_count, suite, plan);
    struct nearest nearest = {.word = str_of(vain ? vain : "")};
    if (!vain)
        return (struct str){0};
    for (size_t i = 0; i < suite->ledger.count; i++)
        nearest_try(&nearest, suite->ledger.rows[i].key);
    return arena_printf(arena, "%s '%s' matches nothing; %.*s", filter ? "--filter" : "--skip",
                        str_printable(arena, str_of(vain)),
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
        if (meets(ledger->rows[i].key, glob, arena))
            note(&named, &ledger->rows[i]);
    return named;
}

static struct named named_cases(const char *glob, const struct plan *plan, struct arena *arena)
{
    struct named named = {0};
    for (size_t i = 0; i < plan->play_count; i++) {
        const struct play *play = &plan->plays[i];
        for (size_t k = 0; k < play->assertion_count; k++)
            if (meets_play(play, glob, arena) || meets(play->assertions[k].id, glob, arena))
                note(&named, play->assertions[k].requirement);
        arena_reset(arena, ARENA_NO_BUDGET);
    }
    return named;
}

bool plan_asks_for_transport(const struct suite *suite, const struct plan_target *target, const struct plan *plan)
{
    struct arena scratch = memory_arena();
    bool asks = false;
    for (size_t i = 0; i < target->filter_count && !asks; i++) {
        struct named named = named_keys(target->filters[i], &suite->ledger, &scratch);
        if (!named.transport && !named.other)
            named = named_cases(target->filters[i], plan, &scratch);
        asks = named.transport && !named.other;
    }
    arena_free(&scratch);
    return asks;
}

/* --- The plan --- */

void plan_filter(struct planner *planner, struct plan *plan)
{
    struct arena scratch = memory_arena();
    for (size_t i = 0; i < plan->play_count; i++) {
        struct play *play = &plan->plays[i];
        size_t skipped = 0;
        if (!is_filtered_in(planner->target, play, &scratch))
            play->disabled = STR("left out by --filter");
        for (size_t k = 0; k < play->assertion_count; k++) {
            bool skips = is_skipped(planner->target, &play->assertions[k], &scratch);
            play->assertions[k].disabled = skips ? STR("left out by --skip") : (struct str){0};
            skipped += skips;
        }
        if (skipped && skipped == play->assertion_count)
            play->disabled = STR("left out by --skip");
        arena_reset(&scratch, ARENA_NO_BUDGET);
    }
    arena_free(&scratch);
}
