/* Marks the plays that the user leaves out by globs on IDs (--filter). */
#include "plan/planner.h"

#include <fnmatch.h>

static bool meets(struct str text, const char *glob, struct arena *arena)
{
    return fnmatch(glob, arena_copy(arena, text).data, 0) == 0;
}

static bool meets_filter(const struct play *play, const char *glob, struct arena *arena)
{
    const char *at = memchr(play->id.data, '@', play->id.size);
    struct str plain = {play->id.data, (size_t)(at - play->id.data)};
    if (meets(play->id, glob, arena) || meets(plain, glob, arena) || meets(play->group->family->path, glob, arena))
        return true;
    for (size_t i = 0; i < play->assertion_count; i++)
        if (meets(play->assertions[i].id, glob, arena))
            return true;
    return false;
}

static bool is_filtered_in(const struct plan_target *target, const struct play *play, struct arena *arena)
{
    for (size_t i = 0; i < target->filter_count; i++)
        if (meets_filter(play, target->filters[i], arena))
            return true;
    return target->filter_count == 0;
}

void plan_filter(struct planner *planner, struct plan *plan)
{
    struct arena scratch = memory_arena();
    for (size_t i = 0; i < plan->play_count; i++) {
        struct play *play = &plan->plays[i];
        if (!is_filtered_in(planner->target, play, &scratch))
            play->disabled = STR("left out by --filter");
        arena_reset(&scratch, ARENA_NO_BUDGET);
    }
    arena_free(&scratch);
}
