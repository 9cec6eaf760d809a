/* Makes one group of a choice: the base, then each neighbour with its change applied. Then assertions are added and
 * codecs resolved. */
#include "plan/planner.h"

#include "notation/codec.h"
#include "plan/needs.h"
#include "tree/change.h"
#include "tree/pointer.h"

static bool resolve_codecs(struct planner *planner, struct place place, struct tree *act)
{
    return plan_report(place, "codec", codec_resolve(act, act, planner->suite->directory.data, planner->arena));
}

/* Returns the path of the family, the neighbour if it is one, and the labels, sorted by the names of their axes. */
static struct str play_id(struct planner *planner, const struct choice *choice, struct str neighbour,
                          const struct encoding *encoding)
{
    const struct family *family = choice->family;
    struct str id = arena_printf(planner->arena, "%.*s%s%.*s", STR_ARG(family->path), neighbour.size ? "/" : "",
                                 STR_ARG(neighbour));
    const struct variable **labels = arena_alloc_zero(planner->arena, choice->label_count, sizeof *labels);
    for (size_t i = 0; i < choice->label_count; i++) {
        size_t at = i;
        for (; at > 0 && str_compare(labels[at - 1]->name, choice->variables[i].name) > 0; at--)
            labels[at] = labels[at - 1];
        labels[at] = &choice->variables[i];
    }
    for (size_t i = 0; i < choice->label_count; i++)
        id = arena_printf(planner->arena, "%.*s@%.*s", STR_ARG(id), STR_ARG(labels[i]->label));
    return arena_printf(planner->arena, "%.*s@%.*s", STR_ARG(id), STR_ARG(encoding->name));
}

static struct play *new_play(struct planner *planner, struct group *group, struct str id, struct str says)
{
    struct play *play = arena_new_of(planner->arena, struct play);
    play->id = id;
    play->says = says;
    play->group = group;
    return play;
}

/* Adds the assertions of a play, or of its steps if it has some, and resolves the codecs of the act. `place` is that of
 * the play. False after a fault. */
static bool add_assertions(struct planner *planner, const struct choice *choice, struct play *play, struct tree *act,
                           struct tree *expect, struct place place)
{
    struct place there = place_below(place, STR("expect"));
    if (tree_member(act, "steps") || tree_member(act, "tcp"))
        return plan_steps(planner, choice, play, act, expect);
    plan_observations(planner, choice, play, expect, there);
    plan_expect(planner, play, expect, there);
    return resolve_codecs(planner, place, act);
}

/* --- Neighbours --- */

/* If an example request already has what a neighbour adds, such as outputs or parameters, removes it: the neighbour's
 * replaces it. */
static void give_way(struct tree *act, const struct tree *changes)
{
    struct str parent, step;
    FOR_EACH_IN(one, tree_first(tree_member(changes, "add"))) {
        struct tree *there = pointer_find(act, one->name);
        if (there && pointer_split(one->name, &parent, &step))
            tree_remove(pointer_find(act, parent), there);
    }
}

/* What the neighbours of a group are made from. */
struct origin {
    struct group *group;        /* with the base */
    const struct tree *raw_act; /* of the base, its codecs not resolved */
    const struct tree *needs;   /* of the base */
};

static void note_lacking(struct planner *planner, struct play *play)
{
    if (planner->lacking.size && !play->not_applicable.size)
        play->not_applicable = arena_printf(planner->arena, "the model lacks what this case is made from: %.*s",
                                            STR_ARG(planner->lacking));
}

/* Returns the act of the base with the changes. If the model is the target's own, or is mapped, the changes may not fit
 * it: then the act stays unchanged, and `unfit` says why. Returns NULL after a fault. */
static struct tree *changed_act(struct planner *planner, const struct choice *choice, const struct origin *origin,
                                const struct tree *changes, struct place place, struct str *unfit)
{
    bool is_theirs = choice->probe || !str_equal(choice->model, choice->kit_model);
    struct tree *act = tree_copy(planner->arena, origin->raw_act);
    if (choice->probe && !planner->target->nominal)
        give_way(act, changes);
    struct status changed = change_apply(&act, changes, planner->arena);
    if (is_ok(changed) || !is_theirs || planner->target->nominal)
        return plan_report(place, "change", changed) ? act : NULL;
    *unfit = arena_printf(planner->arena, "the change does not fit this model: %.*s", STR_ARG(changed.message));
    return tree_copy(planner->arena, origin->raw_act);
}

static struct play *make_neighbour(struct planner *planner, const struct choice *choice, const struct origin *origin,
                                   const struct tree *neighbour)
{
    struct arena *arena = planner->arena;
    struct group *group = origin->group;
    const struct play *base = group->plays[0];
    struct place place = place_below(place_below(choice->place, STR("neighbours")), neighbour->name);
    planner->lacking = STR("");
    struct tree *changes = plan_resolve(planner, choice, place, neighbour);
    if (!changes)
        return NULL;
    struct str says = tree_text(changes, "says");
    if (!says.size)
        says = arena_printf(arena, "%.*s: %.*s", STR_ARG(base->says), STR_ARG(neighbour->name));
    struct play *play = new_play(planner, group, play_id(planner, choice, neighbour->name, group->encoding), says);
    struct str unfit = {0};
    struct tree *act = changed_act(planner, choice, origin, changes, place, &unfit);
    play->act = act;
    if (!act || !add_assertions(planner, choice, play, act, tree_member(changes, "expect"), place) ||
        !play->assertion_count)
        return NULL;
    play->base_act = base->act;
    struct tree *bytes = tree_member(changes, "bytes") ? tree_copy(arena, tree_member(changes, "bytes")) : NULL;
    if (bytes && !plan_report(place, "codec", codec_resolve(bytes, act, planner->suite->directory.data, arena)))
        return NULL;
    play->bytes_edit = bytes;

    const struct tree *needs = tree_member(changes, "needs");
    play->state = needs_state(needs).size ? needs_state(needs) : base->state;
    play->not_applicable = base->not_applicable.size ? base->not_applicable
                                                     : plan_not_applicable(planner, choice, play, origin->needs, needs);
    note_lacking(planner, play);
    if (!play->not_applicable.size)
        play->not_applicable = unfit;
    group->mutates |= needs_mutation(needs);
    group->alone |= needs_alone(needs) || group->mutates;
    return play;
}

/* Makes the plays of one neighbour, one for each choice of its own values. */
static void add_neighbour(struct planner *planner, const struct choice *choice, const struct origin *origin,
                          const struct tree *neighbour, struct list *plays)
{
    struct arena *arena = planner->arena;
    struct axes axes;
    struct place place = place_below(place_below(choice->place, STR("neighbours")), neighbour->name);
    if (!plan_is_over(tree_member(neighbour, "over"), origin->group->encoding))
        return;
    if (!plan_report(place_below(place, STR("for")), "for",
                     axes_read(tree_member(neighbour, "for"), planner->suite->tables, arena, &axes)))
        return;
    for (size_t i = 0; i < axes.choices; i++) {
        struct choice inner = *choice;
        inner.label_count = axes.count + choice->label_count;
        inner.variable_count = axes.count + choice->variable_count;
        inner.variables = arena_alloc_zero(arena, inner.variable_count, sizeof *inner.variables);
        axes_choose(&axes, i, inner.variables);
        memcpy(inner.variables + axes.count, choice->variables, choice->variable_count * sizeof *inner.variables);
        struct play *play = make_neighbour(planner, &inner, origin, neighbour);
        if (!play)
            continue;
        if (tree_text(neighbour, "control").size)
            play->waits_for = play_id(planner, &inner, tree_text(neighbour, "control"), origin->group->encoding);
        list_append(plays, play, arena);
    }
}

/* --- The group --- */

static struct group *new_group(const struct planner *planner, const struct choice *choice,
                               const struct encoding *encoding, const struct profile *profile, const struct tree *needs)
{
    bool is_large = tree_is_true(choice->probe, "large");
    struct group *group = arena_new_of(planner->arena, struct group);
    *group = (struct group){.family = choice->family,
                            .encoding = encoding,
                            .profile = profile,
                            .not_offered = encoding_not_offered(planner->target, encoding, profile, planner->arena),
                            .kit_model = choice->kit_model,
                            .model = choice->model,
                            .probe = choice->probe,
                            .large = is_large,
                            .alone = needs_alone(needs) || needs_mutation(needs) || is_large,
                            .mutates = needs_mutation(needs)};
    return group;
}

/* Returns NULL after a fault. */
static struct play *make_base(struct planner *planner, const struct choice *choice, const struct origin *origin)
{
    const struct tree *tree = choice->family->tree;
    struct group *group = origin->group;
    struct str id = play_id(planner, choice, STR(""), group->encoding);
    struct play *base = new_play(planner, group, id, tree_text(tree, "says"));
    struct tree *act = tree_copy(planner->arena, origin->raw_act);
    base->is_base = true;
    base->act = act;
    base->state = needs_state(origin->needs);
    base->watches = tree_member(tree, "on") != NULL;
    if (!add_assertions(planner, choice, base, act, plan_member(planner, choice, "expect"), choice->place))
        return NULL;
    struct tree *answer = planner->target->nominal ? plan_member(planner, choice, "answer") : NULL;
    if (answer && resolve_codecs(planner, place_below(choice->place, STR("answer")), answer))
        base->answer = answer;
    base->not_applicable = plan_not_applicable(planner, choice, base, origin->needs, NULL);
    note_lacking(planner, base);
    return base;
}

void plan_group(struct planner *planner, const struct choice *choice, const struct tree *raw_act,
                const struct encoding *encoding, const struct profile *profile)
{
    struct arena *arena = planner->arena;
    const struct tree *needs = plan_member(planner, choice, "needs");
    struct str lacking = planner->lacking; /* of the act, for all encodings */
    struct group *group = new_group(planner, choice, encoding, profile, needs);
    const struct origin origin = {group, raw_act, needs};
    struct play *base = make_base(planner, choice, &origin);
    if (!base)
        return;
    struct list plays = {0};
    list_append(&plays, base, arena);
    group->plays = (struct play **)plays.items;
    FOR_EACH_IN(neighbour, tree_first(tree_member(choice->family->tree, "neighbours")))
        add_neighbour(planner, choice, &origin, neighbour, &plays);
    planner->lacking = lacking;
    if (plays.count == 1 && !base->assertion_count)
        return;
    group->plays = (struct play **)plays.items;
    group->play_count = plays.count;
    list_append(&planner->groups, group, arena);
    for (size_t i = 0; i < plays.count; i++)
        list_append(&planner->plays, plays.items[i], arena);
}
