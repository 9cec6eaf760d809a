#include "targets/replay_id.h"

#include "base/search.h"
#include "suite/model_name.h"
#include "support/listing.h"
#include "support/nearest.h"

#define REPLAY STR("/replay")

/* --- Reading --- */

struct replay_id replay_id_read(const char *text, struct arena *arena)
{
    struct replay_id wanted = {.id = str_of(text)};
    const char *hash = strrchr(text, '#');
    if (hash && !strchr(hash, '@')) { /* a model may have "#" in its name */
        wanted.key = str_of(hash + 1);
        wanted.id.size = (size_t)(hash - text);
    }
    struct str path = str_before(wanted.id, '@');
    wanted.base_again = str_ends(path, REPLAY);
    if (wanted.base_again)
        wanted.id = arena_printf(arena, "%.*s%.*s", (int)(path.size - REPLAY.size), path.data,
                                 STR_ARG(str_from(wanted.id, path.size)));
    return wanted;
}

static const struct play *find(const struct plan *plan, struct str id)
{
    return FIND(plan->plays, i, plan->reachable_count, str_equal(plan->plays[i].id, id));
}

/* --- The key --- */

bool expects_key(const struct play *play, struct str key)
{
    return ANY(i, play->assertion_count, str_equal(play->assertions[i].requirement->key, key));
}

struct str key_not_expected(const struct play *play, struct str key, struct arena *arena)
{
    struct listing keys = {.arena = arena};
    for (size_t i = 0; i < play->assertion_count; i++)
        listing_add(&keys, play->assertions[i].requirement->key);
    return arena_printf(arena, "%.*s does not expect %s; it expects %.*s", STR_ARG(play->id), str_printable(arena, key),
                        STR_ARG(listing_text(&keys)));
}

/* --- Without the target --- */

/* Whether the ID is that of a play of the model "*", which has "*" instead of the model's name. */
static bool is_of_any_model(struct str id, const struct play *play, struct str *model)
{
    struct str any = play->id, star = STR("@*@");
    size_t path = str_before(any, '@').size;
    if (!str_starts(str_from(any, path), star) || !str_starts(id, (struct str){any.data, path + 1}))
        return false;
    struct str end = str_from(any, path + star.size - 1); /* "@ENCODING", perhaps with more labels before it */
    if (id.size <= path + 1 + end.size || !str_ends(id, end))
        return false;
    *model = (struct str){id.data + path + 1, id.size - path - 1 - end.size};
    return true;
}

/* Makes the plan, for a target that has everything, of the families whose paths begin the ID's path. Controls of other
 * families are missing; nothing is said of that. */
static void plan_families(const struct suite *suite, struct str id, struct arena *arena, struct plan *plan)
{
    struct suite some = *suite;
    struct faults faults = {.arena = arena};
    struct str path = str_before(id, '@');
    some.families = arena_alloc_zero(arena, suite->family_count, sizeof *some.families);
    some.family_count = 0;
    for (size_t i = 0; i < suite->family_count; i++) {
        struct str own = suite->families[i].path;
        if (str_starts(path, own) && (path.size == own.size || path.data[own.size] == '/'))
            some.families[some.family_count++] = suite->families[i];
    }
    const struct plan_target target = plan_nominal(&some, arena);
    plan_make_all(&some, &target, plan, &faults);
}

/* Returns the play that the ID names in a plan without a target; NULL if there is none. `model` gets the target's name
 * of the model that it needs, or stays empty. */
static const struct play *find_nominal(const struct plan *plan, struct str id, const struct options *options,
                                       struct str *model)
{
    const struct play *found = find(plan, id);
    if (found && found->group->kit_model.size)
        *model = model_name_mapped(found->group->kit_model, &options->flags.map);
    for (size_t i = 0; i < plan->play_count && !found; i++)
        if (is_of_any_model(id, &plan->plays[i], model))
            found = &plan->plays[i];
    return found;
}

/* Returns a sentence with the IDs that come nearest: other forms of the same case, or cases with a similar path. */
static struct str no_case(const struct suite *suite, const char *text, struct str id, struct arena *arena)
{
    struct plan plan = {0};
    const struct plan_target target = plan_nominal(suite, arena);
    struct str path = str_before(id, '@'), same = {0};
    struct nearest forms = {.word = id}, paths = {.word = path};
    bool made = is_ok(plan_make(suite, &target, &plan));
    for (size_t i = 0; i < plan.play_count && made; i++) {
        struct str own = plan.plays[i].id, own_path = str_before(own, '@');
        if (!str_equal(own_path, path)) {
            nearest_try(&paths, own_path);
            continue;
        }
        nearest_try(&forms, own);
        same = same.size ? same : arena_printf(arena, "did you mean %.*s?", STR_ARG(own));
    }
    const char *otherwise = "`oip-conformance list` shows the IDs";
    struct str hint = same.size ? nearest_hint(&forms, NEAREST_MAX, same.data, arena)
                                : nearest_hint(&paths, NEAREST_MAX, otherwise, arena);
    hint = arena_printf(arena, "there is no case '%s'; %.*s", str_printable(arena, str_of(text)), STR_ARG(hint));
    plan_free(&plan);
    return hint;
}

/* Returns why an ID cannot be played whatever the target is; empty if it can. */
static struct str check_one(const struct suite *suite, const struct options *options, const char *text,
                            struct arena *arena, struct str *model)
{
    struct replay_id wanted = replay_id_read(text, arena);
    struct plan plan;
    struct str why = {0};
    plan_families(suite, wanted.id, arena, &plan);
    const struct play *play = find_nominal(&plan, wanted.id, options, model);
    *model = arena_copy(arena, *model);
    if (play && play->watches)
        why = arena_printf(arena,
                           "%.*s sends nothing; it looks at the answers to other cases. A report of its failure has "
                           "the command for the case whose answer failed",
                           STR_ARG(wanted.id));
    else if (play && wanted.base_again && play->is_base)
        why = arena_printf(arena, "%.*s is not a neighbour: no base is played again after it", STR_ARG(wanted.id));
    bool found = play != NULL;
    plan_free(&plan);
    return found ? why : no_case(suite, text, wanted.id, arena);
}

struct str replay_id_check(const struct suite *suite, const struct options *options, struct arena *arena,
                           const char **only)
{
    struct str model = {0}, other = {0};
    struct str why = check_one(suite, options, options->operands.items[0], arena, &model);
    for (size_t i = 0; i < options->after.count && !why.size; i++)
        why = check_one(suite, options, options->after.items[i], arena, &other);
    *only = options->after.count ? NULL : model.size ? model.data : "";
    return why;
}

const struct play *replay_id_playable(const struct plan *plan, struct str id, struct arena *arena, struct str *why)
{
    const struct play *play = find(plan, id);
    if (!play)
        *why = arena_printf(arena, "this target has no case %.*s: its model cannot be probed", STR_ARG(id));
    else if (play->group->not_offered.size || play->not_applicable.size)
        *why = arena_printf(arena, "%.*s cannot be played: %.*s", STR_ARG(id),
                            STR_ARG(play->group->not_offered.size ? play->group->not_offered : play->not_applicable));
    return why->size ? NULL : play;
}
