#include "judge/keeper.h"

#include "base/search.h"
#include "support/seconds.h"

#include <stdatomic.h>
#include <time.h>

#define RESTORE_S 30 /* seconds during which models are put back again and again */

static atomic_int open_count;

bool keeper_is_open(void)
{
    return open_count > 0;
}

static bool is_ready(const struct tree *entry)
{
    return index_says(entry, "READY");
}

static bool index_settles(const struct tree *index)
{
    return ANY_IN(entry, tree_first(index), index_says(entry, "LOADING") || index_says(entry, "UNLOADING"));
}

/* Whether the index has that model, READY, in that version. A NULL version means any. */
static bool has_ready(const struct tree *index, struct str name, const struct str *version)
{
    return ANY_IN(entry, index->first,
                  is_ready(entry) && str_equal(tree_text(entry, "name"), name) &&
                      (!version || str_equal(tree_text(entry, "version"), *version)));
}

static bool has_entry(const struct tree *index, struct str name)
{
    return ANY_IN(entry, index->first, str_equal(tree_text(entry, "name"), name));
}

/* Whether each version of the model that is READY in one index is so in the other. */
static bool holds_all(const struct tree *one, const struct tree *other, struct str name)
{
    FOR_EACH_IN(entry, one->first) {
        struct str version = tree_text(entry, "version");
        if (is_ready(entry) && str_equal(tree_text(entry, "name"), name) && !has_ready(other, name, &version))
            return false;
    }
    return true;
}

static bool is_as_before(const struct keeper *keeper, const struct tree *now, struct str name)
{
    return holds_all(keeper->before, now, name) && holds_all(now, keeper->before, name);
}

static struct tree *read_index(struct keeper *keeper)
{
    return inquiry_index(&keeper->prober, keeper->profile);
}

/* Loads or unloads the model as it was before. Returns what came of it. */
static struct str put_back(struct keeper *keeper, struct str name)
{
    bool load = has_ready(keeper->before, name, NULL);
    bool done = inquiry_order(&keeper->prober, keeper->profile, name, load);
    return arena_printf(keeper->prober.arena, "'%s' (to be %s: %.*s)", str_printable(keeper->prober.arena, name),
                        load ? "loaded" : "unloaded",
                        STR_ARG(done ? STR("the order is taken, and changes nothing") : keeper->prober.evidence));
}

/* Returns the names of the models that differ from what they were, once for each version. */
static struct list find_differing(const struct keeper *keeper, const struct tree *now)
{
    const struct tree *lists[] = {keeper->before, now};
    struct list names = {0};
    for (size_t i = 0; i < 2; i++)
        FOR_EACH_IN(entry, lists[i]->first) {
            struct str name = tree_text(entry, "name");
            bool is_known = i == 1 && has_ready(keeper->before, name, NULL);
            if (is_ready(entry) && !is_known && !is_as_before(keeper, now, name))
                list_append_str(&names, name, keeper->prober.arena);
        }
    return names;
}

/* Returns the profile under which the index is read: that of the case, or, if that has no index, another one at the
 * same endpoint. */
static const struct profile *profile_with_index(const struct registry *registry, const struct profile *profile)
{
    if (protocol_inquiry(profile)->index)
        return profile;
    return FIRST(i, registry->profile_count,
                 registry->profiles[i].endpoint == profile->endpoint && protocol_inquiry(&registry->profiles[i])->index,
                 &registry->profiles[i], profile);
}

struct str keeper_open(struct keeper *keeper, const struct registry *registry, const struct group *group,
                       struct client *client, double load_timeout, struct arena *arena)
{
    *keeper = (struct keeper){.prober = {.registry = registry,
                                         .client = client,
                                         .on_tape = arena_printf(arena, "around %.*s", STR_ARG(group->plays[0]->id)),
                                         .arena = arena,
                                         .scratch = memory_arena(),
                                         .held = memory_arena()},
                              .profile = profile_with_index(registry, group->profile),
                              .load_timeout = load_timeout};
    keeper->prober.endpoints[group->profile->endpoint->index].asked_for = true;
    keeper->before = read_index(keeper);
    open_count++;
    if (keeper->before && (!group->model.size || has_entry(keeper->before, group->model)))
        return (struct str){0};
    struct str why =
        arena_printf(arena, "model '%s' could not be put back: %.*s", str_printable(arena, group->model),
                     STR_ARG(keeper->before ? STR("the index does not have it") : keeper->prober.evidence));
    keeper->before = NULL;
    keeper_close(keeper);
    return why;
}

bool keeper_settles(struct keeper *keeper)
{
    return index_settles(read_index(keeper));
}

/* Puts back what differs until nothing does, for RESTORE_S seconds, and longer while the target still loads. Returns
 * what could not be put back. */
static struct str restore(struct keeper *keeper)
{
    double begun = seconds_now(), pause = 0.05;
    struct str trouble = {0};
    struct buf names = {0};
    for (;;) {
        struct tree *now = read_index(keeper);
        bool settles = index_settles(now);
        const struct list differing = now ? find_differing(keeper, now) : (struct list){0};
        double most = settles && keeper->load_timeout > RESTORE_S ? keeper->load_timeout : RESTORE_S;
        if (now && !differing.count && !settles)
            break;
        if (seconds_now() - begun >= most) {
            trouble = now ? arena_printf(keeper->prober.arena, "models of the target could not be put back: %.*s",
                                         STR_ARG(names.size ? buf_str(&names) : STR("it still loads or unloads some")))
                          : arena_printf(keeper->prober.arena,
                                         "the index does not say whether all models were put back: %.*s",
                                         STR_ARG(keeper->prober.evidence));
            break;
        }
        names.size = 0;
        for (size_t i = 0; i < differing.count && !settles; i++)
            buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(put_back(keeper, list_str(&differing, i))));
        nanosleep(&(struct timespec){.tv_sec = (time_t)pause, .tv_nsec = (long)((pause - (long)pause) * 1e9)}, NULL);
        pause = pause < 4 ? pause * 2 : pause;
    }
    buf_free(&names);
    return trouble;
}

struct str keeper_close(struct keeper *keeper)
{
    struct str trouble = keeper->before ? restore(keeper) : (struct str){0};
    buf_free(&keeper->prober.notes);
    arena_free(&keeper->prober.scratch);
    arena_free(&keeper->prober.held);
    open_count--;
    return trouble;
}
