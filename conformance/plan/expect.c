/* Assertions: each key of `expect` becomes one, if its requirement can apply in the play's encoding. */
#include "base/search.h"
#include "plan/planner.h"
#include "plan/word.h"

const struct requirement *plan_requirement(const struct suite *suite, const struct encoding *encoding,
                                           const struct profile *profile, struct str key, struct arena *arena)
{
    if (str_has(key, '.'))
        return ledger_find(&suite->ledger, key);
    const struct requirement *own =
        ledger_find(&suite->ledger, arena_printf(arena, "%.*s.%.*s", STR_ARG(profile->name), STR_ARG(key)));
    if (own || !encoding->inherits)
        return own;
    return ledger_find(&suite->ledger,
                       arena_printf(arena, "%.*s.%.*s", STR_ARG(encoding->inherits->name), STR_ARG(key)));
}

static void add_assertion(struct planner *planner, struct play *play, const struct requirement *requirement,
                          const struct tree *observation, bool of_refusal)
{
    play->assertions[play->assertion_count++] = (struct assertion){
        .id = arena_printf(planner->arena, "%.*s#%.*s", STR_ARG(play->id), STR_ARG(requirement->key)),
        .requirement = requirement,
        .observation = observation,
        .of_refusal = of_refusal,
        .play = play,
    };
}

static bool asserts(const struct play *play, const struct requirement *requirement)
{
    return ANY(i, play->assertion_count, play->assertions[i].requirement == requirement);
}

/* `wrong`: the request is wrong, which is what a row about refusals says of it. */
static void add_refusal_rows(struct planner *planner, struct play *play, bool wrong)
{
    const struct profile *profile = play->group->profile;
    for (size_t i = 0; i < profile->row_count; i++) {
        const struct requirement *requirement = ledger_find(&planner->suite->ledger, profile->rows[i].key);
        if (requirement && (wrong || !profile->rows[i].blames) && !asserts(play, requirement))
            add_assertion(planner, play, requirement, profile->rows[i].expect, true);
    }
}

/* Finds the row that a member of `expect` means. NULL after a fault, and if the row does not apply here or the encoding
 * lacks what the slug means. A bare slug means a row of the play's own profile. A full key may belong to another
 * transport: an inference is played over several. */
static const struct requirement *row_of(struct planner *planner, const struct play *play, struct str key,
                                        struct place place)
{
    const struct encoding *encoding = play->group->encoding;
    const struct profile *profile = play->group->profile;
    bool bare = !str_has(key, '.');
    const char *printable = str_printable(planner->arena, key);
    if (bare && encoding->act != ACT_INFER) {
        fault_add(place, "key-full", "'%s' needs its prefix, as in '%.*s.%s': only infer cases may leave it out",
                  printable, STR_ARG(profile->name), printable);
        return NULL;
    }
    if (encoding_lacks(encoding, key))
        return NULL;
    const struct requirement *row = plan_requirement(planner->suite, encoding, profile, key, planner->arena);
    if (!row && bare)
        fault_add(place, "key-known", "the ledger has no row '%.*s.%s', which '%s' means in the encoding %.*s",
                  STR_ARG(profile->name), printable, printable, STR_ARG(encoding->name));
    else if (!row)
        fault_add(place, "key-known", "the ledger has no row '%s'", printable);
    if (!row || !registry_in_edition(&planner->suite->registry, row->sources, planner->target->discovery.edition))
        return NULL;
    return bare || registry_binds(&planner->suite->registry, row->prefix, profile) ? row : NULL;
}

/* Whether an answer that is a refusal meets the observation, because it is "refused" or one of its choices is. */
static bool allows_refusal(const struct tree *observation)
{
    return word_of(observation) == WORD_REFUSED ||
           ANY_IN(choice, tree_first(observation_choices(observation)), allows_refusal(choice));
}

void plan_expect(struct planner *planner, struct play *play, const struct tree *expect, struct place place)
{
    bool refused = false, wrong = false;
    size_t most = (expect ? expect->count : 0) + play->group->profile->row_count;
    play->assertions = arena_alloc_zero(planner->arena, most, sizeof *play->assertions);
    FOR_EACH_IN(member, tree_first(expect)) {
        const struct requirement *row = row_of(planner, play, member->name, place);
        if (row && asserts(play, row)) {
            fault_add(place, "key-once", "'%.*s' is expected twice", STR_ARG(row->key));
            continue;
        }
        if (row)
            add_assertion(planner, play, row, member, false);
        refused |= row && allows_refusal(member);
        wrong |= row && allows_refusal(member) && row->layer == LAYER_REFUSALS;
    }
    if (refused)
        add_refusal_rows(planner, play, wrong);
}
