#include "plan/needs.h"

#include "base/search.h"
#include "notation/json_text.h"
#include "pattern/match.h"
#include "pattern/phrase.h"
#include "support/printable.h"
#include "tree/pointer.h"

#define SHOWN 200 /* bytes of a pattern or a value in a sentence */

/* For whom a need is looked at. */
struct needing {
    const struct plan_target *target;
    const struct profile *profile; /* under which the case is judged */
};

static struct str claims_unmet(const struct tree *claims, const struct needing *needing, struct arena *arena)
{
    FOR_EACH_OF(claim, claims)
        if (!target_claims(needing->target, needing->profile, claim->text))
            return arena_printf(arena,
                                "the server does not claim '%s': its metadata does not list it among the extensions",
                                str_printable(arena, claim->text));
    return (struct str){NULL, 0};
}

static struct str state_unmet(const struct tree *state, const struct needing *needing, struct arena *arena)
{
    const struct plan_target *target = needing->target;
    if (ANY(i, target->flags.states.count,
            str_equal(state->text, str_before(str_of(target->flags.states.items[i]), '='))))
        return (struct str){NULL, 0};
    return arena_printf(arena, "needs a server in the state '%s' (--state %s=URL)", str_printable(arena, state->text),
                        str_printable(arena, state->text));
}

static struct str allow_unmet(const struct tree *, const struct needing *needing, struct arena *arena)
{
    const struct tree *probe = tree_member(needing->target->discovery.found, "probe");
    if (!needing->target->flags.allow_mutation)
        return arena_printf(arena, "would change the server's models (--allow-mutation)");
    if (probe && !tree_is_true(probe, "named"))
        return arena_printf(arena, "would change a model that was not named (--model NAME)");
    const struct tree *fixed = tree_member_str(needing->target->discovery.fixed, needing->profile->endpoint->name);
    return fixed ? fixed->text : (struct str){NULL, 0};
}

/* Prints the value as compact JSON, in the arena; "nothing" for NULL. */
static struct str shown(const struct tree *tree, struct arena *arena)
{
    if (!tree)
        return STR("nothing");
    struct buf json = {0}, line = {0};
    json_text(tree, &json);
    append_printable(&line, buf_str(&json), SHOWN);
    struct str copy = arena_take(arena, &line);
    buf_free(&json);
    return copy;
}

/* What cases need of a probed model, in words. */
static const struct {
    const char *pointer, *lacks;
} lacking[] = {
    {"/probe/answer", "no example says what the model must answer (--example FILE, with its \"answer\")"},
    {"/probe/batch", "its metadata fixes the batch, or it refuses a batch of three"},
    {"/probe/texts", "it has no BYTES, or refuses texts beyond ASCII"},
    {"/probe/integers", "it has no integers of 64 bits, or refuses those beyond 2^53"},
    {"/probe/negatives", "it has no integers that can be negative, or refuses the least of them"},
    {"/probe/floats", "it has no FP32 and no FP64"},
    {"/probe/json", "JSON cannot carry its inputs as plain lists"},
    {"/probe/message/raw/0", "the request has no input with raw contents, or a message cannot say it"},
    {"/probe/other-case/output", "the name of its output has no letter"},
    {"/probe/outputs/first/name", "no output of it is known"},
    {"/probe/outputs/last/name", "no output of it is known"},
    {"/probe/outputs/names/1", "it has no second output"},
    {"/probe/refused", "no request is known that it accepts (--example FILE gives one)"},
    {"/probe/same-version", "none of the versions that its metadata lists has the same tensors"},
    {"/probe/unusable", "no request can be made from its metadata alone"},
    {"/probe/versions/0", "its metadata lists no versions"},
    {"/probe/versions", "its metadata lists several versions"},
    {"/probe/json-answer", "JSON cannot carry its outputs as plain lists"},
    {"/probe/classes/count", "its first output is no row of different numbers"},
    {"/probe/configured/known", "its metadata does not say all of its tensors"},
    {"/probe/request/parameters", "its example has parameters of its own"},
};

static struct str lack_of(struct str pointer, struct arena *arena)
{
    const char *lacks = arena_printf(arena, "%.*s is not what the case needs", STR_ARG(pointer)).data;
    for (size_t i = 0; i < COUNT_OF(lacking); i++)
        if (str_is(pointer, lacking[i].pointer))
            lacks = lacking[i].lacks;
    return arena_printf(arena, "the model does not fit this case: %s", lacks);
}

static struct str found_unmet(const struct tree *found, const struct needing *needing, struct arena *arena)
{
    FOR_EACH_IN(pattern, found->first) {
        const struct tree *value = pointer_look(needing->target->discovery.found, pattern->name);
        if (match(pattern, value, arena, NULL, NULL))
            continue;
        if (str_starts(pattern->name, STR("/probe/")))
            return lack_of(pattern->name, arena);
        if (str_starts(pattern->name, STR("/batches/")))
            return arena_printf(arena, "the case does not fit the largest batch that the model takes: %.*s",
                                STR_ARG(value ? value->text : STR("no configuration says it")));
        struct buf wanted = {0};
        append_phrase(&wanted, pattern, SHOWN);
        struct str needed = arena_take(arena, &wanted), had = shown(value, arena);
        return arena_printf(arena, "this case needs %.*s at %s; the target has %.*s", STR_ARG(needed),
                            str_printable(arena, pattern->name), STR_ARG(had));
    }
    return (struct str){NULL, 0};
}

static const struct {
    const char *name;
    struct str (*unmet)(const struct tree *need, const struct needing *needing, struct arena *arena);
} needs_table[] = {{"claims", claims_unmet}, {"state", state_unmet}, {"allow", allow_unmet}, {"found", found_unmet}};

struct str needs_unmet(const struct tree *needs, const struct plan_target *target, const struct profile *profile,
                       struct arena *arena)
{
    const struct needing needing = {target, profile};
    struct str why = {NULL, 0};
    for (size_t i = 0; i < COUNT_OF(needs_table) && !why.size && !target->nominal; i++) {
        const struct tree *need = tree_member(needs, needs_table[i].name);
        if (need)
            why = needs_table[i].unmet(need, &needing, arena);
    }
    return why;
}

struct str needs_state(const struct tree *needs)
{
    return tree_text(needs, "state");
}

bool needs_mutation(const struct tree *needs)
{
    return tree_member(needs, "allow") != NULL;
}

bool needs_alone(const struct tree *needs)
{
    return tree_is_true(needs, "alone");
}
