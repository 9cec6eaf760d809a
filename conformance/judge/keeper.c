#include "judge/keeper.h"

#include "support/memory.h"

#include <stdatomic.h>

static atomic_int open_count;

bool keeper_is_open(void)
{
    return open_count > 0;
}

/* Servers write the state in different words ("State.READY"). */
static bool is_ready(const struct tree *entry)
{
    struct str state = tree_text(entry, "state"), end = STR(".READY");
    return str_is(state, "READY") || (state.size > end.size && str_equal(str_from(state, state.size - end.size), end));
}

/* Whether the index has that model, READY, in that version. A NULL version means any. */
static bool has_ready(const struct tree *index, struct str name, const struct str *version)
{
    for (const struct tree *entry = index->first; entry; entry = entry->next)
        if (is_ready(entry) && str_equal(tree_text(entry, "name"), name) &&
            (!version || str_equal(tree_text(entry, "version"), *version)))
            return true;
    return false;
}

static bool has_entry(const struct tree *index, struct str name)
{
    for (const struct tree *entry = index->first; entry; entry = entry->next)
        if (str_equal(tree_text(entry, "name"), name))
            return true;
    return false;
}

/* Whether each version of the model that is READY in one index is so in the other. */
static bool holds_all(const struct tree *one, const struct tree *other, struct str name)
{
    for (const struct tree *entry = one->first; entry; entry = entry->next) {
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

static struct tree *read_index(struct keeper *keeper, struct str *evidence)
{
    return side_index(&keeper->prober, keeper->profile, evidence);
}

/* Orders what brings the model back. */
static void put_back(struct keeper *keeper, struct str name)
{
    struct str evidence;
    side_order(&keeper->prober, keeper->profile, name, has_ready(keeper->before, name, NULL), &evidence);
}

/* Calls `put_back` for each model that differs, or, if `names` is given, appends its name there. */
static void look_at_differences(struct keeper *keeper, const struct tree *now, struct buf *names)
{
    const struct tree *lists[] = {keeper->before, now};
    for (size_t i = 0; i < 2; i++)
        for (const struct tree *entry = lists[i]->first; entry; entry = entry->next) {
            struct str name = tree_text(entry, "name");
            bool is_known = i == 1 && has_ready(keeper->before, name, NULL);
            if (!is_ready(entry) || is_known || is_as_before(keeper, now, name))
                continue;
            if (names)
                buf_printf(names, "%s'%s'", names->size ? ", " : "", str_printable(keeper->prober.arena, name));
            else
                put_back(keeper, name);
        }
}

/* Returns the profile by which the index is asked: that of the case, or, if it has no such question, another one at the
 * same endpoint. */
static const struct profile *profile_with_index(const struct registry *registry, const struct profile *profile)
{
    if (protocol_side(profile)->index)
        return profile;
    for (size_t i = 0; i < registry->profile_count; i++)
        if (registry->profiles[i].endpoint == profile->endpoint && protocol_side(&registry->profiles[i])->index)
            return &registry->profiles[i];
    return profile;
}

struct str keeper_open(struct keeper *keeper, const struct registry *registry, const struct group *group,
                       struct worker *worker, const struct server *server, struct arena *arena)
{
    struct str evidence = {0};
    *keeper = (struct keeper){.prober = {.registry = registry,
                                         .client = worker_client(worker, server),
                                         .arena = arena,
                                         .scratch = memory_arena(),
                                         .held = memory_arena()},
                              .profile = profile_with_index(registry, group->profile)};
    keeper->prober.lines[group->profile->endpoint->index].asked_for = true;
    keeper->before = read_index(keeper, &evidence);
    open_count++;
    if (keeper->before && (!group->model.size || has_entry(keeper->before, group->model)))
        return (struct str){0};
    struct str why = arena_printf(arena, "model '%s' could not be put back: %.*s", str_printable(arena, group->model),
                                  STR_ARG(keeper->before ? STR("the index does not have it") : evidence));
    keeper->before = NULL;
    keeper_close(keeper);
    return why;
}

struct str keeper_close(struct keeper *keeper)
{
    struct str evidence = {0}, trouble = {0};
    struct buf names = {0};
    struct tree *now = keeper->before ? read_index(keeper, &evidence) : NULL;
    if (now) {
        look_at_differences(keeper, now, NULL);
        now = read_index(keeper, &evidence);
    }
    if (now)
        look_at_differences(keeper, now, &names);
    if (names.size)
        trouble = arena_printf(keeper->prober.arena, "models of the target could not be put back: %.*s",
                               STR_ARG(buf_str(&names)));
    else if (keeper->before && !now)
        trouble = arena_printf(keeper->prober.arena, "the index does not say whether all models were put back: %.*s",
                               STR_ARG(evidence));
    buf_free(&names);
    buf_free(&keeper->prober.notes);
    arena_free(&keeper->prober.scratch);
    arena_free(&keeper->prober.held);
    open_count--;
    return trouble;
}
