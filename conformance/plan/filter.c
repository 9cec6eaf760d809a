/* Marks the plays that the user leaves out by globs on IDs (--filter, --skip, --shard). */
#include "base/search.h"
#include "plan/planner.h"

#include <fnmatch.h>
#include <stdlib.h>

bool glob_meets(struct str text, const char *glob, struct arena *arena)
{
    return fnmatch(glob, arena_copy(arena, text).data, 0) == 0;
}

bool glob_meets_play(const struct play *play, const char *glob, struct arena *arena)
{
    return glob_meets(play->id, glob, arena) || glob_meets(str_before(play->id, '@'), glob, arena) ||
           glob_meets(play->group->family->path, glob, arena);
}

static bool meets_assertion(const struct assertion *assertion, const char *glob, struct arena *arena)
{
    return glob_meets(assertion->id, glob, arena) || glob_meets(assertion->requirement->key, glob, arena);
}

static int compare_ids(const void *id, const void *one)
{
    return str_compare(*(const struct str *)id, str_of(*(const char *const *)one));
}

static bool is_filtered_in(const struct plan_target *target, const struct play *play, struct arena *arena)
{
    const struct values *plays = &target->selected.plays, *filters = &target->selected.filters;
    if (plays->count)
        return bsearch(&play->id, plays->items, plays->count, sizeof *plays->items, compare_ids) != NULL;
    for (size_t i = 0; i < filters->count; i++) {
        if (glob_meets_play(play, filters->items[i], arena))
            return true;
        for (size_t k = 0; k < play->assertion_count; k++)
            if (meets_assertion(&play->assertions[k], filters->items[i], arena))
                return true;
    }
    return filters->count == 0;
}

/* Groups lie in the order of their cases, so each part has some of all kinds. */
static bool is_in_shard(const struct plan_target *target, const struct plan *plan, const struct play *play)
{
    return target->selected.shards == 0 ||
           (size_t)(play->group - plan->groups) % target->selected.shards == target->selected.shard - 1;
}

static bool is_skipped(const struct plan_target *target, const struct assertion *assertion, struct arena *arena)
{
    return ANY(i, target->selected.skips.count,
               glob_meets_play(assertion->play, target->selected.skips.items[i], arena) ||
                   meets_assertion(assertion, target->selected.skips.items[i], arena));
}

void plan_filter(struct planner *planner, struct plan *plan)
{
    struct arena scratch = memory_arena();
    for (size_t i = 0; i < plan->play_count; i++) {
        struct play *play = &plan->plays[i];
        size_t skipped = 0;
        if (!is_filtered_in(planner->target, play, &scratch))
            play->disabled =
                planner->target->selected.plays.count ? STR("left out by --rerun") : STR("left out by --filter");
        else if (!is_in_shard(planner->target, plan, play))
            play->disabled = STR("left out by --shard");
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
