/* Controls: the IDs in `control` become plays of the plan. An ID may leave out its encoding; then the nearest one is
 * taken: the encoding of the play that needs the control, else an act. It may also leave out labels that both cases
 * share. A word means the list that the play's profile has under it (`proofs` in encodings.json), of which one entry
 * must hold. An ID in that list means its plays with all labels and in all encodings of the profile. */
#include "plan/planner.h"

#include "base/search.h"
#include "protocols/protocol.h"

#include <stdlib.h>

/* Plays sorted by ID, for searching. */
struct index {
    struct play **plays;
    size_t count;
};

static int compare_plays(const void *a, const void *b)
{
    const struct play *const *left = a, *const *right = b;
    return str_compare((*left)->id, (*right)->id);
}

static struct index make_index(struct planner *planner, struct plan *plan)
{
    struct index index = {arena_alloc_zero(planner->arena, plan->reachable_count, sizeof *index.plays),
                          plan->reachable_count};
    for (size_t i = 0; i < plan->reachable_count; i++)
        index.plays[i] = &plan->plays[i];
    qsort(index.plays, index.count, sizeof *index.plays, compare_plays);
    return index;
}

/* Returns the index of the first play whose ID is not less than this text. */
static size_t find_first(const struct index *index, struct str text)
{
    size_t from = 0, to = index->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (str_compare(index->plays[middle]->id, text) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static struct play *find_exactly(const struct index *index, struct str id)
{
    size_t at = find_first(index, id);
    return at < index->count && str_equal(index->plays[at]->id, id) ? index->plays[at] : NULL;
}

/* Returns the labels of a play's ID without the encoding: "@INT32@first". */
static struct str labels_of(const struct play *play)
{
    struct str tail = str_from(play->id, str_before(play->id, '@').size);
    return (struct str){tail.data, tail.size - play->group->encoding->name.size - 1};
}

/* The play of that ID with labels in an encoding; NULL if there is none. */
static struct play *find_in(const struct index *index, struct str labelled, const struct encoding *encoding,
                            struct arena *arena)
{
    return find_exactly(index, arena_printf(arena, "%.*s@%.*s", STR_ARG(labelled), STR_ARG(encoding->name)));
}

/* Finds a control whose ID has no encoding. The first that exists is taken: the encoding of the play that needs it, an
 * act of the same transport, an encoding of inferences of the same transport (in the order in which the protocol tries
 * them), then the same for the other transport. */
static struct play *find_nearest(struct planner *planner, const struct index *index, struct str labelled,
                                 const struct group *group)
{
    const struct registry *registry = &planner->suite->registry;
    const struct protocol *protocol = protocol_named(group->profile->protocol);
    struct play *play = find_in(index, labelled, group->encoding, planner->arena);
    for (int other = 0; other < 2 && !play; other++) {
        for (size_t i = 0; i < registry->encoding_count && !play; i++) {
            const struct encoding *encoding = &registry->encodings[i];
            if (encoding->act != ACT_INFER && (encoding->transport != group->encoding->transport) == other)
                play = find_in(index, labelled, encoding, planner->arena);
        }
        for (size_t i = 0; protocol && i < protocol->form_count && !play; i++) {
            const struct encoding *encoding = registry_encoding(registry, str_of(protocol->forms[i].encoding));
            if (encoding && (encoding->transport != group->encoding->transport) == other)
                play = find_in(index, labelled, encoding, planner->arena);
        }
    }
    return play;
}

static struct play *find_play(struct planner *planner, const struct index *index, struct str id,
                              const struct play *for_play)
{
    struct play *play = find_exactly(index, id);
    struct str labels[] = {STR(""), labels_of(for_play)};
    for (size_t i = 0; i < 2 && !play; i++) {
        struct str labelled = arena_printf(planner->arena, "%.*s%.*s", STR_ARG(id), STR_ARG(labels[i]));
        play = find_nearest(planner, index, labelled, for_play->group);
    }
    return play;
}

static const struct assertion *find_assertion(const struct planner *planner, const struct play *play, struct str key)
{
    const struct group *group = play->group;
    const struct requirement *requirement =
        plan_requirement(planner->suite, group->encoding, group->profile, key, planner->arena);
    return FIND(play->assertions, i, play->assertion_count, play->assertions[i].requirement == requirement);
}

/* --- Words --- */

/* Appends the plays of the profile that an entry ("ID" or "ID#KEY") of its proofs means: with `ready` those that can be
 * played here, and not only alone; otherwise the others. Returns whether the entry means any play at all. */
static bool add_proofs(struct planner *planner, const struct index *index, const struct profile *profile,
                       struct str entry, bool ready, struct list *proofs)
{
    struct str key = entry, id = str_take(&key, '#'), path = arena_printf(planner->arena, "%.*s@", STR_ARG(id));
    bool has_key = id.size < entry.size;
    bool any = false;
    for (size_t i = find_first(index, path); i < index->count && str_starts(index->plays[i]->id, path); i++) {
        struct play *play = index->plays[i];
        struct control *proof = arena_new_of(planner->arena, struct control);
        *proof = (struct control){.play = play, .or_next = true};
        if (has_key)
            proof->assertion = find_assertion(planner, play, key);
        if (play->group->profile != profile || (has_key && !proof->assertion))
            continue;
        any = true;
        if ((!play->not_applicable.size && !play->group->alone) == ready)
            list_append(proofs, proof, planner->arena);
    }
    return any;
}

/* Returns the plays that a profile lists under the word; none if it has no such word. Plays that cannot be played here
 * prove nothing, and plays that must be played alone come late; both are taken only if there are no others. */
static struct list proofs_of(struct planner *planner, const struct index *index, const struct profile *profile,
                             struct str word)
{
    const struct profile *other = profile->proofs && profile->proofs->type == TREE_STRING
                                      ? registry_profile(&planner->suite->registry, profile->proofs->text)
                                      : NULL;
    const struct profile *owner = other ? other : profile;
    struct list proofs = {0};
    for (int rest = 0; rest < 2 && !proofs.count; rest++)
        FOR_EACH_IN(entry, tree_first(tree_member_str(owner->proofs, word)))
            if (!add_proofs(planner, index, owner, entry->text, !rest, &proofs) && planner->target->nominal)
                fault_add(place_in(planner->faults, STR("encodings.json"), STR("/profiles")), "control-known",
                          "'%.*s' proves nothing about %.*s: there is no such case", STR_ARG(entry->text),
                          STR_ARG(owner->name));
    return proofs;
}

/* Appends the proofs, one of which must hold. */
static void add_all(const struct list *proofs, struct arena *arena, struct list *controls)
{
    for (size_t i = 0; i < proofs->count; i++)
        list_append(controls, proofs->items[i], arena);
    if (proofs->count)
        ((struct control *)proofs->items[proofs->count - 1])->or_next = false;
}

/* Appends what the word stands for. False if the profile has no such word. */
static bool add_word(struct planner *planner, const struct index *index, const struct play *play, struct str word,
                     struct place place, struct list *controls)
{
    const struct list proofs = proofs_of(planner, index, play->group->profile, word);
    for (size_t i = 0; i < proofs.count; i++) {
        const struct control *proof = proofs.items[i];
        if (proof->play->group == play->group)
            fault_add(place_below(place, STR("control")), "control-acyclic", "'%.*s' stands for this case too",
                      STR_ARG(word));
    }
    add_all(&proofs, planner->arena, controls);
    return proofs.count > 0;
}

static void add_control(struct planner *planner, const struct index *index, struct play *play, struct str text,
                        struct place place, struct list *controls)
{
    bool has_key = str_has(text, '#');
    struct str key = text, id = str_take(&key, '#');
    if (add_word(planner, index, play, text, place, controls))
        return;
    struct control *control = arena_new_of(planner->arena, struct control);
    control->play = id.size ? find_play(planner, index, id, play) : play;
    if (!control->play || (!id.size && !has_key)) {
        fault_add(place_below(place, STR("control")), "control-known", "there is no case '%s'",
                  str_printable(planner->arena, text));
        return;
    }
    if (has_key) {
        control->assertion = find_assertion(planner, control->play, key);
        if (!control->assertion) {
            fault_add(place_below(place, STR("control")), "control-known", "'%.*s' does not expect '%s'",
                      STR_ARG(control->play->id), str_printable(planner->arena, key));
            return;
        }
    }
    if (control->play != play || control->assertion)
        list_append(controls, control, planner->arena);
    else
        fault_add(place_below(place, STR("control")), "control-acyclic", "the case is its own control");
}

/* Appends the proofs that an extension is served. All cases of the extension wait for them, except the proofs
 * themselves. */
static void add_served(struct planner *planner, const struct index *index, const struct play *play,
                       const struct profile *extension, struct list *controls)
{
    const struct list proofs = proofs_of(planner, index, extension, STR("served"));
    size_t playable = 0;
    for (size_t i = 0; i < proofs.count; i++) {
        const struct control *proof = proofs.items[i];
        if (proof->play->group == play->group)
            return;
        playable += !proof->play->not_applicable.size;
    }
    if (playable)
        add_all(&proofs, planner->arena, controls);
}

/* Searches depth-first from the bases. `seen` is 1 while a base is on the stack, 2 when it is done. Each entry of the
 * stack remembers its next control. */
static void find_cycles(struct planner *planner, struct plan *plan)
{
    struct step {
        const struct play *play;
        size_t next;
    } *stack = arena_alloc_zero(planner->arena, plan->reachable_count + 1, sizeof *stack);
    char *seen = arena_alloc_zero(planner->arena, plan->reachable_count + 1, 1);
    for (size_t i = 0; i < plan->play_count; i++) {
        size_t depth = 0;
        if (plan->plays[i].is_base && !seen[i]) {
            stack[depth++] = (struct step){&plan->plays[i], 0};
            seen[i] = 1;
        }
        while (depth) {
            struct step *top = &stack[depth - 1];
            if (top->next == top->play->control_count) {
                seen[top->play->index] = 2;
                depth--;
                continue;
            }
            const struct control *control = &top->play->controls[top->next++];
            const struct play *next = control->play->group->plays[0];
            if (next == top->play && control->play == top->play)
                continue; /* another key of the same exchange */
            if (seen[next->index] == 1)
                fault_add(place_below(family_place(top->play->group->family, planner->faults), STR("control")),
                          "control-acyclic", "'%.*s' waits for '%.*s', which waits for it", STR_ARG(top->play->id),
                          STR_ARG(control->play->id));
            else if (!seen[next->index]) {
                seen[next->index] = 1;
                stack[depth++] = (struct step){next, 0};
            }
        }
    }
}

/* Makes a neighbour wait for the first assertion of an earlier neighbour. */
static void control_neighbour(struct planner *planner, const struct index *index, struct play *play, struct place place)
{
    struct play *other = find_exactly(index, play->waits_for);
    if (!other || other->group != play->group || other->index >= play->index) {
        fault_add(place_below(place, STR("neighbours")), "control-known",
                  "'%.*s' waits for '%.*s', which does not stand before it", STR_ARG(play->id),
                  STR_ARG(play->waits_for));
        return;
    }
    play->controls = arena_new_of(planner->arena, struct control);
    *play->controls = (struct control){.play = other, .assertion = &other->assertions[0]};
    play->control_count = 1;
}

void plan_controls(struct planner *planner, struct plan *plan)
{
    struct index index = make_index(planner, plan);
    for (size_t i = 1; i < index.count; i++)
        if (str_equal(index.plays[i - 1]->id, index.plays[i]->id))
            fault_add(family_place(index.plays[i]->group->family, planner->faults), "id-once",
                      "the ID '%.*s' is used twice", STR_ARG(index.plays[i]->id));
    for (size_t i = 0; i < plan->play_count; i++) {
        struct play *play = &plan->plays[i];
        struct place place = family_place(play->group->family, planner->faults);
        if (play->waits_for.size)
            control_neighbour(planner, &index, play, place);
        if (!play->is_base)
            continue;
        const struct tree *clause = tree_member(play->group->family->tree, "control");
        struct list controls = {0};
        FOR_EACH_OF(control, clause)
            add_control(planner, &index, play, control->text, place, &controls);
        add_served(planner, &index, play, play->group->profile, &controls);
        if (play->group->encoding->also)
            add_served(planner, &index, play, play->group->encoding->also, &controls);
        play->control_count = controls.count;
        play->controls = arena_alloc_zero(planner->arena, controls.count, sizeof *play->controls);
        for (size_t k = 0; k < controls.count; k++)
            play->controls[k] = *(const struct control *)controls.items[k];
    }
    find_cycles(planner, plan);
}
