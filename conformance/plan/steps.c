/* Steps: a play with more than one exchange. Each step has a play of its own, with its act and its assertions. The
 * whole play asserts each key once; the key holds if every step that expects it meets it.
 *
 * A value that a step saves is known only after that step was played. Until then ${name} stays as it is. */
#include "plan/planner.h"

#include "base/search.h"
#include "notation/codec.h"
#include "json/number.h"

/* --- Names that are known only when the case is played --- */

static void add_late(struct str name, struct variable *variables, size_t *count)
{
    if (ANY(i, *count, i < SAVED_MAX && str_equal(variables[i].name, name)))
        return;
    if (*count < SAVED_MAX)
        variables[*count] = (struct variable){.name = name, .is_late = true};
    ++*count;
}

size_t plan_late_names(const struct tree *case_tree, struct variable *variables)
{
    static const char *const lists[] = {"steps", "finally"};
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        FOR_EACH_IN(step, tree_first(tree_member(case_tree, lists[i]))) {
            FOR_EACH_IN(name, tree_first(tree_member(step, "save")))
                add_late(name->name, variables, &count);
            if (tree_member(step, "together"))
                add_late(STR("i"), variables, &count);
        }
    }
    return count;
}

/* Whether the step uses such a name. It is a fault if the name is saved by this step or a later one. */
static bool uses_late(const struct tree *act, const struct tree *tree, size_t position, struct place place)
{
    struct variable names[SAVED_MAX];
    size_t count = plan_late_names(act, names);
    bool uses = false;
    for (size_t i = 0; i < count && i < SAVED_MAX; i++) {
        if (!variables_used(tree, names[i].name))
            continue;
        uses = true;
        bool known = str_is(names[i].name, "i") && tree_member(tree, "together");
        const struct tree *steps = tree_member(act, "steps"), *step = steps ? steps->first : NULL;
        for (size_t k = 0; step && k < position && !known; k++, step = step->next)
            known = tree_member_str(tree_member(step, "save"), names[i].name) != NULL;
        if (!known)
            fault_add(place, "variables", "${%.*s} has no value here", STR_ARG(names[i].name));
    }
    return uses;
}

/* Makes each $size in the bytes a string of its digits. */
static void spell_sizes(struct tree *bytes)
{
    if (bytes->type == TREE_NUMBER)
        bytes->type = TREE_STRING;
    for (struct tree *child = bytes->first; child; child = child->next)
        spell_sizes(child);
}

/* --- One step --- */

/* Whether the member describes the step; it does not belong to the act that is sent. */
static bool is_about_step(struct str name)
{
    static const char *const about[] = {"conn", "half_close", "expect", "save", "times", "together", "within", "read"};
    return ANY(i, COUNT_OF(about), str_is(name, about[i]));
}

static size_t count_of(const struct tree *tree, const char *name, size_t otherwise)
{
    int64_t value;
    const struct tree *member = tree_member(tree, name);
    return member && tree_to_int64(member, &value) && value > 0 && value <= 1000 ? (size_t)value : otherwise;
}

/* Reads "10s". */
static double seconds_of(struct str text)
{
    double seconds = 0;
    if (text.size > 1 && text.data[text.size - 1] == 's' &&
        number_read_double((struct str){text.data, text.size - 1}, &seconds))
        return seconds;
    return 0;
}

static void add_key(struct play *play, const struct assertion *assertion)
{
    if (ANY(i, play->assertion_count, play->assertions[i].requirement == assertion->requirement))
        return;
    struct assertion *added = &play->assertions[play->assertion_count++];
    *added = *assertion;
    added->play = play;
}

/* Returns the earlier step that sent on the connection of this step, which only reads or closes; NULL if there is
 * none. */
static const struct step *opener_of(const struct play *play, const struct tree *step)
{
    for (size_t i = play->step_count; i-- > 0;)
        if (play->steps[i].conn.size && str_equal(play->steps[i].conn, tree_text(step, "conn")))
            return &play->steps[i];
    return NULL;
}

static enum step_way way_of(const struct tree *step, const struct named_act *sent, const struct step *opener)
{
    if (opener && opener->way == WAY_STREAM)
        return WAY_STREAM;
    if (!sent)
        return opener && opener->way != WAY_BYTES ? WAY_READ : WAY_BYTES;
    if (tree_member(step, "messages") && tree_member(step, "conn"))
        return WAY_STREAM;
    if (sent->act == ACT_TCP)
        return WAY_BYTES;
    return tree_member(step, "conn") ? WAY_SEND : WAY_EXCHANGE;
}

/* Returns the group of a step: that of the case, or one of the profile beside it, over whose transport it is asked. */
static struct group *group_of(struct planner *planner, struct group *group, const struct named_act *sent)
{
    const struct profile *beside = group->profile->beside;
    if (!sent || sent->act == ACT_INFER)
        return group;
    const struct encoding *encoding = registry_act(&planner->suite->registry, sent->act);
    if (!beside || encoding->transport != beside->endpoint->transport)
        return group;
    struct group *other = arena_new_of(planner->arena, struct group);
    *other = *group;
    other->encoding = encoding;
    other->profile = beside;
    other->not_offered = profile_not_asked(planner->target, beside, planner->arena);
    return other;
}

/* How many messages the step reads of its stream: as many as it says, else, if it looks at them, all. */
static size_t reads_of(const struct tree *step, const struct play *own)
{
    return count_of(step, "read", own->assertion_count || tree_member(step, "save") ? SIZE_MAX : 0);
}

/* Makes the step and its own play. `tree` is resolved, its codecs too. `play` has the steps before. */
static struct step make_step(struct planner *planner, struct play *play, const struct tree *tree,
                             const struct tree *expect, struct place place)
{
    struct arena *arena = planner->arena;
    struct play *own = arena_new_of(arena, struct play);
    const struct named_act *sent = FIND(plan_acts, i, ACTS, tree_member(tree, plan_acts[i].name));
    const struct step *opener = sent ? NULL : opener_of(play, tree);
    enum step_way way = way_of(tree, sent, opener);
    struct tree *act = tree_new(arena, TREE_OBJECT);
    FOR_EACH_IN(member, tree->first)
        if (!is_about_step(member->name))
            tree_add(act, member->name, tree_copy(arena, member));
    if (tree_member(act, "tcp"))
        spell_sizes(tree_member(act, "tcp"));
    if (opener && way == WAY_STREAM) {
        tree_add(act, STR("grpc"), tree_copy(arena, tree_member(opener->play->act, "grpc")));
        if (!tree_member(act, "messages"))
            tree_add(act, STR("messages"), tree_new(arena, TREE_ARRAY));
    }
    *own = (struct play){.id = play->id,
                         .says = play->says,
                         .group = opener ? opener->play->group : group_of(planner, play->group, sent),
                         .is_base = play->is_base,
                         .act = opener && way == WAY_READ ? opener->play->act : act,
                         .state = play->state};
    plan_expect(planner, own, expect, place);
    const struct tree *values = tree_member(tree, "together");
    values = values && values->type == TREE_ARRAY ? values : NULL;
    struct str http = tree_text(act, "http");
    return (struct step){.play = own,
                         .is_order =
                             registry_is_order(&planner->suite->registry, http.size ? http : tree_text(act, "grpc")),
                         .way = way,
                         .conn = tree_text(tree, "conn"),
                         .save = tree_member(tree, "save"),
                         .times = count_of(tree, "times", 1),
                         .together = values ? values->count : count_of(tree, "together", 1),
                         .values = values,
                         .within = seconds_of(tree_text(tree, "within")),
                         .half_close = tree_is_true(tree, "half_close"),
                         .opens = way == WAY_STREAM && sent,
                         .cancels = tree_is_true(tree, "cancel"),
                         .reads = reads_of(tree, own)};
}

/* --- All steps --- */

/* Moves the `expect` of each step out of the act before codecs are resolved there: patterns keep their codecs. */
static void take_expectations(struct tree *steps, struct list *expectations, struct arena *arena)
{
    for (struct tree *step = tree_first(steps); step; step = step->next) {
        struct tree *expect = tree_member(step, "expect");
        list_append(expectations, expect, arena);
        if (expect)
            tree_remove(step, expect);
    }
}

/* Makes a list of one step from the case `tcp`. */
static struct tree *single_step(struct tree *act, struct arena *arena)
{
    struct tree *steps = tree_new(arena, TREE_ARRAY), *half_close = tree_member(act, "half_close");
    tree_append(steps, tree_object(arena, {"tcp", tree_copy(arena, tree_member(act, "tcp"))},
                                   {"conn", tree_string(arena, STR("only"))},
                                   {"half_close", half_close ? tree_copy(arena, half_close) : NULL}));
    return steps;
}

static void add_step(struct planner *planner, const struct choice *choice, struct play *play, const struct tree *act,
                     const struct tree *tree, struct tree *expect, struct place place)
{
    struct place there = place_below(place, STR("expect"));
    plan_observations(planner, choice, play, expect, there);
    struct step step = make_step(planner, play, tree, expect, there);
    step.late =
        uses_late(act, tree, play->step_count, place) || (expect && uses_late(act, expect, play->step_count, place));
    play->steps[play->step_count++] = step;
}

/* Gives the play each key of its steps once. */
static void add_keys(struct play *play, struct arena *arena)
{
    size_t most = SUM(i, play->step_count, play->steps[i].play->assertion_count);
    play->assertions = arena_alloc_zero(arena, most, sizeof *play->assertions);
    play->assertion_count = 0;
    for (size_t i = 0; i < play->step_count; i++)
        for (size_t k = 0; k < play->steps[i].play->assertion_count; k++)
            add_key(play, &play->steps[i].play->assertions[k]);
}

bool plan_steps(struct planner *planner, const struct choice *choice, struct play *play, struct tree *act,
                struct tree *expect)
{
    struct arena *arena = planner->arena;
    struct tree *steps = tree_member(act, "steps"), *finally = tree_member(act, "finally");
    struct list expectations = {0}; /* struct tree, or NULL: of each step */
    take_expectations(steps, &expectations, arena);
    for (size_t i = 0; i < expectations.count && !play->is_base; i++)
        expectations.items[i] = NULL; /* a neighbour is judged by its own `expect`, at the last step */
    take_expectations(finally, &expectations, arena);
    if (!plan_report(choice->place, "codec", codec_resolve(act, act, planner->suite->directory.data, arena)))
        return false;
    if (!steps) {
        steps = single_step(act, arena);
        list_append(&expectations, NULL, arena);
    }
    play->finally_count = finally ? finally->count : 0;
    play->steps = arena_alloc_zero(arena, steps->count + play->finally_count, sizeof *play->steps);
    FOR_EACH_IN(step, steps->first) {
        struct place place = place_at(place_below(choice->place, STR("steps")), play->step_count);
        struct tree *own = expectations.items[play->step_count];
        bool takes_all = expect && !step->next;
        if (takes_all && own)
            fault_add(place, "steps", "the case's `expect` is that of the last step, which has one of its own");
        add_step(planner, choice, play, act, step, takes_all ? expect : own, place);
    }
    FOR_EACH_IN(step, tree_first(finally))
        add_step(planner, choice, play, act, step, expectations.items[play->step_count],
                 place_at(place_below(choice->place, STR("finally")), play->step_count - steps->count));
    add_keys(play, arena);
    return true;
}
