/* An observation is first found true or false. Then the level of its requirement makes a verdict of it: an unmet MUST
 * fails, an unmet SHOULD warns, and an open row is recorded under the name that was observed. */
#include "judge/verdict.h"

#include "judge/describe.h"
#include "notation/element.h"
#include "pattern/match.h"
#include "tree/pointer.h"

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[VERDICT_COUNT] = {
        [VERDICT_PASS] = "pass",         [VERDICT_PASS_WEAK] = "pass-weak",
        [VERDICT_WARN] = "warn",         [VERDICT_FAIL] = "fail",
        [VERDICT_TIMEOUT] = "timeout",   [VERDICT_ERROR] = "error",
        [VERDICT_BLOCKED] = "blocked",   [VERDICT_NOT_APPLICABLE] = "not-applicable",
        [VERDICT_DISABLED] = "disabled", [VERDICT_WAIVED] = "waived",
    };
    return names[verdict];
}

enum likeness play_likeness(const struct play *play)
{
    const struct tree *alike = tree_member(play->group->probe, "alike");
    if (!play->group->probe)
        return LIKENESS_EXACT;
    return alike && alike->boolean ? LIKENESS_CLOSE : LIKENESS_FORM;
}

bool verdict_is_judged(enum verdict verdict)
{
    return verdict <= VERDICT_TIMEOUT;
}

bool verdict_is_graver(enum verdict verdict, enum verdict other)
{
    static const int grave[VERDICT_COUNT] = {
        [VERDICT_PASS_WEAK] = 1, [VERDICT_PASS] = 2, [VERDICT_NOT_APPLICABLE] = 3, [VERDICT_BLOCKED] = 4,
        [VERDICT_WARN] = 5,      [VERDICT_FAIL] = 7, [VERDICT_TIMEOUT] = 6,        [VERDICT_ERROR] = 8,
    };
    return grave[verdict] > grave[other];
}

struct result result_keep(struct arena *arena, const struct result *result)
{
    struct result kept = *result;
    struct str *texts[] = {&kept.observed, &kept.expected, &kept.received, &kept.why,
                           &kept.sent,     &kept.command,  &kept.grpcurl,  &kept.refused_by};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i]->size)
            *texts[i] = arena_copy(arena, *texts[i]);
    return kept;
}

bool result_fails(const struct result *result, bool strict)
{
    enum level level = result->assertion->requirement->level;
    if (result->verdict == VERDICT_FAIL)
        return true;
    return result->verdict == VERDICT_TIMEOUT && (level == LEVEL_MUST || (strict && level == LEVEL_SHOULD));
}

/* --- Whether an observation is true --- */

struct seen {
    bool holds;
    struct str why, name;
};

static bool matches(const struct observed *observed, const struct assertion *assertion, const struct tree *pattern,
                    struct arena *arena, struct str *why, struct str *name)
{
    if (assertion->play->group->encoding->act != ACT_INFER)
        return match_in_order(pattern, observed->tree, arena, why, name);
    return match(pattern, observed->tree, arena, why, name);
}

/* Whether the answer has ended. Of a stream that is read in parts only the last part says how it ended. */
static bool is_over(const struct observed *observed)
{
    return !observed->answer->open;
}

bool is_refusal(const struct observed *observed, struct arena *arena)
{
    return observed->answer->outcome == OUTCOME_ANSWERED && is_over(observed) &&
           match(observed->profile->refused, observed->tree, arena, NULL, NULL);
}

/* Whether the pattern gives an outcome: of HTTP, of gRPC, or of the HTTP/2 below gRPC. */
static bool gives_outcome(const struct tree *pattern, const struct profile *profile)
{
    static const struct str others[] = {STR("/status"),      STR("/code"),        STR("/closed"),
                                        STR("/http/status"), STR("/http/closed"), STR("/http2")};
    bool gives = pointer_look(pattern, profile->outcome) != NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        gives = gives || pointer_look(pattern, others[i]);
    return gives;
}

/* Whether the answer is a success where the pattern implies that: a pattern that gives no outcome does. */
static bool implied_success(const struct observed *observed, const struct assertion *assertion,
                            const struct tree *pattern, struct arena *arena, struct str *why)
{
    const struct profile *profile = observed->profile;
    if (!is_over(observed))
        return true;
    bool agrees = pattern->type == TREE_STRING && str_is(pattern->text, "agrees");
    if (assertion->of_refusal || assertion->play->watches || (pattern->type != TREE_OBJECT && !agrees) ||
        match_is_matcher(pattern) || gives_outcome(pattern, profile) ||
        match(profile->succeeded, observed->tree, arena, why, NULL))
        return true;
    const struct tree *said = pointer_look(observed->tree, profile->error);
    if (said && said->type == TREE_STRING && said->text.size)
        *why = arena_printf(arena, "%.*s: %s", STR_ARG(*why), str_printable(arena, said->text));
    return false;
}

static struct seen look(const struct observed *observed, const struct assertion *assertion,
                        const struct tree *observation, struct arena *arena);

/* Whether the observation, or one of its choices, looks at the HTTP/2 below gRPC. That is there to be seen also where
 * no gRPC answer came. */
static bool looks_below(const struct tree *observation)
{
    const struct tree *any = tree_member(observation, "$any");
    for (const struct tree *choice = any ? any->first : NULL; choice; choice = choice->next)
        if (looks_below(choice))
            return true;
    return tree_member(observation, "http") || tree_member(observation, "http2");
}

/* Returns "refused, served, closed". */
static struct str names_of(const struct tree *choices, struct arena *arena)
{
    struct str names = {0};
    for (const struct tree *choice = choices->first; choice; choice = choice->next)
        names = arena_printf(arena, "%.*s%s%.*s", STR_ARG(names), names.size ? ", " : "", STR_ARG(choice->name));
    return names;
}

static struct seen look_at_choices(const struct observed *observed, const struct assertion *assertion,
                                   const struct tree *choices, struct arena *arena)
{
    struct seen seen = {0};
    for (const struct tree *choice = choices->first; choice; choice = choice->next) {
        struct seen tried = look(observed, assertion, choice, arena);
        if (!tried.holds && match_is_suite_fault(tried.why))
            return tried;
        if (!tried.holds)
            continue;
        if (seen.holds)
            return (struct seen){.why = arena_printf(arena, "suite: both '%.*s' and '%.*s' of $any match",
                                                     STR_ARG(seen.name), STR_ARG(choice->name))};
        seen = (struct seen){.holds = true, .name = choice->name};
    }
    if (!seen.holds)
        seen.why = arena_printf(arena, "it is none of these: %.*s", STR_ARG(names_of(choices, arena)));
    return seen;
}

static struct seen look(const struct observed *observed, const struct assertion *assertion,
                        const struct tree *observation, struct arena *arena)
{
    struct seen seen = {0};
    const struct tree *any = tree_member(observation, "$any");
    const struct encoding *encoding = assertion->play->group->encoding;
    bool is_http_act = encoding->act != ACT_INFER && encoding->transport == TRANSPORT_HTTP, refused = false;
    if (any && any->type == TREE_OBJECT)
        return look_at_choices(observed, assertion, any, arena);
    if (observed->answer->outcome != OUTCOME_ANSWERED && !looks_below(observation))
        return (struct seen){.why = observed->answer->trouble};
    if (observation->type == TREE_STRING && str_is(observation->text, "refused")) {
        refused = true;
        seen.why = STR("the stream goes on");
        seen.holds = is_over(observed) && match(observed->profile->refused, observed->tree, arena, &seen.why, NULL);
        if (!seen.holds)
            seen.why = arena_printf(arena, "it was not refused: %.*s", STR_ARG(seen.why));
    } else if (observation->type == TREE_STRING && str_is(observation->text, "same")) {
        if (observed->base)
            seen.holds = match_same(observed->base, observed->tree, play_likeness(assertion->play), arena, &seen.why);
        else
            seen.why = STR("suite: \"same\" stands in a base, which has nothing to be the same as");
    } else if (observation->type == TREE_STRING && str_is(observation->text, "agrees")) {
        seen.why = STR("there is no answer to agree with");
        seen.holds = observed->standard && implied_success(observed, assertion, observation, arena, &seen.why) &&
                     match_alike(observed->standard, observed->tree, play_likeness(assertion->play), arena, &seen.why);
    } else if (observation->type == TREE_STRING && str_is(observation->text, "answered")) {
        seen.holds = match(observed->profile->answered, observed->tree, arena, &seen.why, NULL);
    } else if (implied_success(observed, assertion, observation, arena, &seen.why)) {
        seen.holds = matches(observed, assertion, observation, arena, &seen.why, &seen.name);
        refused = assertion->of_refusal;
    }
    /* An answer that does not decode is no success, even if the pattern looks at none of the wrong bytes. */
    if (seen.holds && !refused && observed->trouble.size && !is_http_act && !assertion->play->watches &&
        !is_refusal(observed, arena))
        seen = (struct seen){.why = observed->trouble};
    /* What does not decode stands nowhere. Why it does not says more than that there is nothing. */
    if (!seen.holds && observed->trouble.size && match_found_nothing(seen.why))
        seen.why = arena_printf(arena, "%.*s: %.*s", STR_ARG(seen.why), STR_ARG(observed->trouble));
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

static bool is_weak(const struct observed *observed, const struct play *play, const struct tree *observation)
{
    const struct tree *any = tree_member(observation, "$any");
    if (any)
        return false;
    if (observation->type == TREE_STRING && str_is(observation->text, "agrees"))
        return play_likeness(play) == LIKENESS_FORM || data_in(observed->standard, DATATYPE_NONE, false) == DATA_ZEROS;
    if (observation->type == TREE_STRING)
        return str_is(observation->text, "same") && observed->base &&
               data_in(observed->base, DATATYPE_NONE, false) == DATA_ZEROS;
    return data_in(observation, DATATYPE_NONE, false) == DATA_ZEROS;
}

/* --- The verdict --- */

enum verdict verdict_of_level(const struct requirement *requirement, bool strict)
{
    bool fails = requirement->level == LEVEL_MUST || (strict && requirement->level == LEVEL_SHOULD);
    return fails && !str_is(requirement->binds, "client") ? VERDICT_FAIL : VERDICT_WARN;
}

static enum verdict verdict_of_miss(const struct requirement *requirement, const struct tree *observation, bool strict)
{
    bool both_are_fine = requirement->level == LEVEL_MAY && !tree_member(observation, "$any");
    return both_are_fine ? VERDICT_PASS : verdict_of_level(requirement, strict);
}

static struct str refused_by(const struct answer *answer)
{
    const struct header *headers = answer->headers;
    size_t count = answer->header_count;
    for (int side = 0; side < 2; side++, headers = answer->trailers, count = answer->trailer_count)
        for (size_t i = 0; i < count; i++)
            if (str_equal_ignoring_case(headers[i].name, STR("oip-refused-by")))
                return headers[i].value;
    return (struct str){0};
}

static void decide(const struct assertion *assertion, const struct observed *observed, struct arena *arena,
                   struct result *result)
{
    const struct requirement *requirement = assertion->requirement;
    const struct answer *answer = observed->answer;
    if (answer->outcome == OUTCOME_LIMITED) {
        result->verdict = VERDICT_BLOCKED;
        result->why = answer->trouble;
        return;
    }
    bool is_seen = answer->outcome == OUTCOME_ANSWERED || (observed->tree && looks_below(assertion->observation));
    if (!is_seen) {
        result->verdict = verdict_of_miss(requirement, assertion->observation, observed->strict);
        if (answer->outcome == OUTCOME_TIMEOUT && requirement->level <= LEVEL_SHOULD &&
            !str_is(requirement->binds, "client"))
            result->verdict = VERDICT_TIMEOUT;
        if (result->verdict == VERDICT_PASS) /* of a may row both outcomes are fine, but no answer is not */
            result->verdict = VERDICT_WARN;
        result->why = answer->trouble.size ? answer->trouble : STR("there was no answer");
        return;
    }
    if (assertion->of_refusal && !is_refusal(observed, arena)) {
        result->verdict = VERDICT_BLOCKED;
        result->why = STR("the request was not refused");
        return;
    }
    if (assertion->standard && !tree_member(observed->standard, "outputs")) {
        result->verdict = VERDICT_BLOCKED;
        result->why =
            arena_printf(arena, "%.*s, which it must agree with, has no outputs", STR_ARG(assertion->standard->id));
        return;
    }
    struct seen seen = look(observed, assertion, assertion->observation, arena);
    result->observed = seen.name;
    result->why = seen.why;
    if (seen.holds)
        result->verdict = is_weak(observed, assertion->play, assertion->observation) ? VERDICT_PASS_WEAK : VERDICT_PASS;
    else if (match_is_suite_fault(seen.why))
        result->verdict = VERDICT_ERROR;
    else
        result->verdict = verdict_of_miss(requirement, assertion->observation, observed->strict);
    if (requirement->level == LEVEL_MAY && !seen.name.size)
        result->observed = seen.holds ? STR("yes") : STR("no");
}

void judge_assertion(const struct assertion *assertion, const struct observed *observed, struct arena *arena,
                     struct result *result)
{
    *result = (struct result){
        .assertion = assertion, .refused_by = refused_by(observed->answer), .seconds = observed->answer->seconds};
    decide(assertion, observed, arena, result);
    if (verdict_passes(result->verdict))
        return;
    result->expected = describe_observation(assertion->observation, observed->profile, arena);
    result->received =
        describe_answer(assertion->play->group->encoding->transport, observed->answer, observed->tree, arena);
}
