/* An observation is a pattern, one of a few words, or a choice of several observations ($any). */
#include "judge/observed.h"

#include "base/search.h"
#include "notation/element.h"
#include "plan/word.h"
#include "support/listing.h"
#include "tree/pointer.h"

enum likeness play_likeness(const struct play *play)
{
    if (!play->group->probe)
        return LIKENESS_EXACT;
    return tree_is_true(play->group->probe, "alike") ? LIKENESS_CLOSE : LIKENESS_FORM;
}

/* --- Success and refusal --- */

/* Whether the answer has ended. If a stream is read in parts, only the last part has the outcome. */
static bool is_over(const struct observed *observed)
{
    return !observed->answer->open;
}

bool observed_is_refusal(const struct observed *observed, struct arena *arena)
{
    return observed->answer->outcome == OUTCOME_ANSWERED && is_over(observed) &&
           match(observed->profile->refused, observed->tree, arena, NULL, NULL);
}

/* Whether the pattern names an outcome: of HTTP, of gRPC, or of HTTP/2 below gRPC. */
static bool gives_outcome(const struct tree *pattern, const struct profile *profile)
{
    static const struct str others[] = {STR("/status"),      STR("/code"),        STR("/closed"),
                                        STR("/http/status"), STR("/http/closed"), STR("/http2")};
    return pointer_look(pattern, profile->outcome) != NULL ||
           ANY(i, COUNT_OF(others), pointer_look(pattern, others[i]));
}

/* Whether the answer must be a success for the pattern to hold, because the pattern names no outcome itself. */
static bool implies_success(const struct tree *pattern, const struct profile *profile)
{
    return pattern->type == TREE_OBJECT && !match_is_matcher(pattern) && !gives_outcome(pattern, profile);
}

bool observation_implies_success(const struct assertion *assertion, const struct tree *pattern,
                                 const struct profile *profile)
{
    return !assertion->of_refusal && !assertion->play->watches && implies_success(pattern, profile);
}

/* Whether the answer is a success, or need not be one, because the row is about refusals, the play is a watcher, or the
 * stream goes on. */
static bool succeeds(const struct observed *observed, const struct assertion *assertion, struct arena *arena,
                     struct str *why)
{
    const struct profile *profile = observed->profile;
    if (assertion->of_refusal || assertion->play->watches || !is_over(observed) ||
        match(profile->succeeded, observed->tree, arena, why, NULL))
        return true;
    const struct tree *said = pointer_look(observed->tree, profile->error);
    if (said && said->type == TREE_STRING && said->text.size &&
        !(why->size && memmem(why->data, why->size, said->text.data, said->text.size)))
        *why = arena_printf(arena, "%.*s: %s", STR_ARG(*why), str_printable(arena, said->text));
    return false;
}

/* --- Words and patterns --- */

static struct seen look_for_refusal(const struct observed *observed, const struct assertion *, struct arena *arena)
{
    struct seen seen = {.why = STR("the stream goes on")};
    seen.holds = is_over(observed) && match(observed->profile->refused, observed->tree, arena, &seen.why, NULL);
    if (!seen.holds)
        seen.why = arena_printf(arena, "it was not refused: %.*s", STR_ARG(seen.why));
    return seen;
}

static struct seen look_for_same(const struct observed *observed, const struct assertion *assertion,
                                 struct arena *arena)
{
    struct seen seen = {.why = STR("suite: \"same\" stands in a base, which has nothing to be the same as")};
    seen.holds =
        observed->base && match_same(observed->base, observed->tree, play_likeness(assertion->play), arena, &seen.why);
    return seen;
}

static struct seen look_for_agreement(const struct observed *observed, const struct assertion *assertion,
                                      struct arena *arena)
{
    struct seen seen = {.why = STR("there is no answer to agree with")};
    seen.holds = tree_member(observed->standard, "outputs") && succeeds(observed, assertion, arena, &seen.why) &&
                 match_alike(observed->standard, observed->tree, play_likeness(assertion->play), arena, &seen.why);
    return seen;
}

static struct seen look_for_answer(const struct observed *observed, const struct assertion *, struct arena *arena)
{
    struct seen seen = {0};
    seen.holds = match(observed->profile->answered, observed->tree, arena, &seen.why, NULL);
    return seen;
}

static struct seen look_for_pattern(const struct observed *observed, const struct assertion *assertion,
                                    const struct tree *pattern, struct arena *arena)
{
    struct seen seen = {0};
    bool is_infer = assertion->play->group->encoding->act == ACT_INFER;
    seen.holds = (!implies_success(pattern, observed->profile) || succeeds(observed, assertion, arena, &seen.why)) &&
                 (is_infer ? match : match_in_order)(pattern, observed->tree, arena, &seen.why, &seen.name);
    return seen;
}

static struct seen (*const words[WORDS])(const struct observed *observed, const struct assertion *assertion,
                                         struct arena *arena) = {
    [WORD_REFUSED] = look_for_refusal,
    [WORD_SAME] = look_for_same,
    [WORD_AGREES] = look_for_agreement,
    [WORD_ANSWERED] = look_for_answer,
};

static struct seen look_for(const struct observed *observed, const struct assertion *assertion,
                            const struct tree *observation, struct arena *arena)
{
    enum word word = word_of(observation);
    return word ? words[word](observed, assertion, arena) : look_for_pattern(observed, assertion, observation, arena);
}

/* --- Choices --- */

bool observation_looks_below(const struct tree *observation)
{
    static const char *const choices[] = {"$any", "$in"};
    return tree_member(observation, "http") || tree_member(observation, "http2") ||
           ANY(i, COUNT_OF(choices),
               ANY_IN(choice, tree_first(tree_member(observation, choices[i])), observation_looks_below(choice)));
}

static struct seen look(const struct observed *observed, const struct assertion *assertion,
                        const struct tree *observation, struct arena *arena);

/* The first that holds is what was observed: a target may do the things that two names mean at once. */
static struct seen look_at_choices(const struct observed *observed, const struct assertion *assertion,
                                   const struct tree *choices, struct arena *arena)
{
    struct listing reasons = {.arena = arena};
    FOR_EACH_IN(choice, choices->first) {
        struct seen tried = look(observed, assertion, choice, arena);
        listing_add(&reasons, arena_printf(arena, "%.*s (%.*s)", STR_ARG(choice->name), STR_ARG(tried.why)));
        if (tried.holds)
            return (struct seen){.holds = true, .name = choice->name};
        if (match_is_suite_fault(tried.why))
            return tried;
    }
    return (struct seen){.why = arena_printf(arena, "it is none of these: %.*s", STR_ARG(listing_text(&reasons)))};
}

static struct seen look(const struct observed *observed, const struct assertion *assertion,
                        const struct tree *observation, struct arena *arena)
{
    const struct tree *choices = observation_choices(observation);
    const struct encoding *encoding = assertion->play->group->encoding;
    bool is_http_act = encoding->act != ACT_INFER && encoding->transport == TRANSPORT_HTTP;
    if (choices)
        return look_at_choices(observed, assertion, choices, arena);
    if (observed->answer->outcome != OUTCOME_ANSWERED && !observation_looks_below(observation))
        return (struct seen){.why = observed->answer->trouble};
    struct seen seen = look_for(observed, assertion, observation, arena);
    /* An answer that does not decode is no success, even if the pattern looks at none of the wrong bytes. */
    if (seen.holds && observed->trouble.size && !is_http_act && !assertion->play->watches &&
        !observed_is_refusal(observed, arena))
        seen = (struct seen){.why = observed->trouble};
    /* What does not decode stands nowhere. Why it does not, and where, says more than that there is nothing. */
    if (!seen.holds && observed->trouble.size && match_found_nothing(seen.why))
        seen.why = str_starts(observed->trouble, STR("/"))
                       ? observed->trouble
                       : arena_printf(arena, "%.*s: %.*s", STR_ARG(seen.why), STR_ARG(observed->trouble));
    return seen;
}

/* --- How much was compared --- */

enum { DATA_NONE, DATA_ZEROS, DATA_TELLING };

/* How much the data below `tree` can show: none, only zeros, or something else. */
static int data_in(const struct tree *tree, enum datatype datatype, bool inside)
{
    int most = DATA_NONE;
    if (inside && tree->type != TREE_ARRAY && tree->type != TREE_OBJECT) {
        struct element element;
        bool read = datatype && element_read(tree, datatype, ELEMENT_EXPECTED, &element);
        return read && element_is_zero(&element) ? DATA_ZEROS : DATA_TELLING;
    }
    if (inside && tree->type == TREE_OBJECT)
        return DATA_TELLING; /* a codec or a matcher */
    if (inside && tree->count == 0)
        return DATA_ZEROS;
    const struct tree *named = tree_member(tree, "datatype");
    for (const struct tree *child = tree->first; child && most < DATA_TELLING; child = child->next) {
        bool is_data = tree->type == TREE_OBJECT && str_is(child->name, "data");
        int found = data_in(child, is_data && named ? datatype_from_name(named->text) : datatype, inside || is_data);
        most = found > most ? found : most;
    }
    return most;
}

/* Returns what holds the data that the observation compares with those of the answer; NULL if it compares none. */
static const struct tree *compared_with(const struct observed *observed, const struct tree *observation)
{
    enum word word = word_of(observation);
    if (observation->type != TREE_STRING)
        return tree_member(observation, "$any") ? NULL : observation;
    return word == WORD_SAME ? observed->base : word == WORD_AGREES ? observed->standard : NULL;
}

/* Whether a success can meet the observation. */
static bool admits_success(const struct tree *observation, const struct profile *profile, struct arena *arena)
{
    const struct tree *choices = observation_choices(observation);
    if (choices)
        return ANY_IN(choice, choices->first, admits_success(choice, profile, arena));
    if (word_of(observation))
        return word_of(observation) != WORD_REFUSED;
    const struct tree *outcome = pointer_look(observation, profile->outcome);
    const struct tree *success = pointer_look(profile->succeeded, profile->outcome);
    const struct tree *range = tree_member(success, "$range");
    success = range ? range->first : success; /* the least of them stands for all */
    bool is_plain = success && success->type != TREE_OBJECT;
    return outcome && is_plain ? match(outcome, success, arena, NULL, NULL)
                               : implies_success(observation, profile) || outcome;
}

/* Returns why the observation proves little although it holds; empty if it proves enough. */
static struct str weakness_of(const struct observed *observed, const struct assertion *assertion, struct arena *arena)
{
    const struct tree *observation = assertion->observation, *data = compared_with(observed, observation);
    const struct requirement *row = assertion->requirement;
    if (word_agrees(observation) && play_likeness(assertion->play) == LIKENESS_FORM)
        return STR("the model answers differently each time, so only the form of the answers was compared");
    if (data && data_in(data, DATATYPE_NONE, false) == DATA_ZEROS)
        return STR("only zeros or emptiness were compared");
    if (!assertion->of_refusal && row->layer == LAYER_ANSWERS && row->level <= LEVEL_SHOULD &&
        observed_is_refusal(observed, arena) && admits_success(observation, observed->profile, arena))
        return STR("only a refusal came, which does not show how a correct request is answered");
    return (struct str){0};
}

struct seen observe(const struct observed *observed, const struct assertion *assertion, struct arena *arena)
{
    struct seen seen = look(observed, assertion, assertion->observation, arena);
    struct str weakness = seen.holds ? weakness_of(observed, assertion, arena) : (struct str){0};
    seen.weak = weakness.size > 0;
    seen.why = seen.weak ? weakness : seen.why;
    return seen;
}
