/* The level of a requirement makes a verdict of what was observed: an unmet MUST fails, an unmet SHOULD warns, and an
 * open row is recorded under the name that was observed. */
#include "judge/verdict.h"

#include "base/search.h"
#include "judge/describe.h"

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

struct result result_keep(struct arena *arena, const struct secrets *secrets, const struct result *result)
{
    struct result kept = *result;
    struct str *texts[] = {&kept.observed, &kept.expected,   &kept.pattern,   &kept.received, &kept.why,
                           &kept.sent,     &kept.asked,      &kept.outcome,   &kept.command,  &kept.replay_command,
                           &kept.grpcurl,  &kept.transcript, &kept.refused_by};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (texts[i]->size)
            *texts[i] = secrets_keep(secrets, *texts[i], arena);
    return kept;
}

const struct play *result_exchange(const struct result *result)
{
    return result->exchange ? result->exchange : result->assertion->play;
}

bool result_counts(const struct result *result, const struct demands *demands)
{
    return demands->layers[result->assertion->requirement->layer] && result_fails(result, demands->strict);
}

bool result_fails(const struct result *result, bool strict)
{
    enum level level = result->assertion->requirement->level;
    if (result->verdict == VERDICT_FAIL)
        return true;
    return result->verdict == VERDICT_TIMEOUT &&
           (level == LEVEL_MUST || level == LEVEL_OPEN || (strict && level == LEVEL_SHOULD));
}

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

static void block(struct result *result, struct str why, const struct play *waits_for)
{
    result->verdict = VERDICT_BLOCKED;
    result->why = why;
    result->waits_for = waits_for;
}

static void decide_unanswered(const struct assertion *assertion, const struct observed *observed, struct result *result)
{
    const struct requirement *requirement = assertion->requirement;
    const struct answer *answer = observed->answer;
    result->verdict = verdict_of_miss(requirement, assertion->observation, observed->strict);
    if (result->verdict == VERDICT_PASS) /* a MAY allows both outcomes, but it does not allow no answer */
        result->verdict = VERDICT_WARN;
    if (requirement->level == LEVEL_OPEN) /* an open row leaves to the server how it answers, but not whether it does */
        result->verdict = VERDICT_FAIL;
    if (answer->outcome == OUTCOME_TIMEOUT && requirement->level != LEVEL_MAY && !str_is(requirement->binds, "client"))
        result->verdict = VERDICT_TIMEOUT;
    result->why = answer->trouble.size ? answer->trouble : STR("there was no answer");
}

/* Whether the answer that this one must agree with is missing, is a refusal, or has outputs that do not fill their
 * shapes. Then this answer may be right although the two differ. */
static bool lacks_standard(const struct assertion *assertion, const struct observed *observed, struct arena *arena)
{
    struct tree *whole = NULL;
    return assertion->standard &&
           (!is_ok(tree_parse(STR("{\"outputs\":{\"$each\":{\"$tensor\":\"filled\"}}}"), arena, &whole)) ||
            !observed->standard || !match(whole, observed->standard, arena, NULL, NULL));
}

static void decide_answered(const struct assertion *assertion, const struct observed *observed, struct arena *arena,
                            struct result *result)
{
    struct seen seen = observe(observed, assertion, arena);
    if (!seen.holds && !match_is_suite_fault(seen.why) && lacks_standard(assertion, observed, arena)) {
        block(result,
              arena_printf(arena, "%.*s, which it must agree with, has no whole outputs",
                           STR_ARG(assertion->standard->id)),
              assertion->standard);
        return;
    }
    result->observed = seen.name;
    result->why = seen.why;
    if (seen.holds)
        result->verdict = seen.weak ? VERDICT_PASS_WEAK : VERDICT_PASS;
    else if (match_is_suite_fault(seen.why))
        result->verdict = VERDICT_ERROR;
    else
        result->verdict = verdict_of_miss(assertion->requirement, assertion->observation, observed->strict);
    if (assertion->requirement->level == LEVEL_MAY && !seen.name.size)
        result->observed = seen.holds ? STR("yes") : STR("no");
}

static void decide(const struct assertion *assertion, const struct observed *observed, struct arena *arena,
                   struct result *result)
{
    const struct answer *answer = observed->answer;
    bool is_seen =
        answer->outcome == OUTCOME_ANSWERED || (observed->tree && observation_looks_below(assertion->observation));
    if (answer->outcome == OUTCOME_LIMITED)
        block(result, answer->trouble, NULL);
    else if (!is_seen)
        decide_unanswered(assertion, observed, result);
    else if (assertion->of_refusal && !observed_is_refusal(observed, arena))
        block(result, STR("the request was not refused"), assertion->play);
    else
        decide_answered(assertion, observed, arena, result);
}

void judge_assertion(const struct assertion *assertion, const struct observed *observed, struct arena *arena,
                     struct result *result)
{
    *result = (struct result){.assertion = assertion,
                              .refused_by = answer_header(observed->answer, "oip-refused-by"),
                              .seconds = observed->answer->seconds};
    decide(assertion, observed, arena, result);
    if (verdict_passes(result->verdict))
        return;
    result->unserved = !observed->tree || !match(observed->profile->succeeded, observed->tree, arena, NULL, NULL);
    result->expected = describe_expected(assertion, observed->profile, arena);
    result->pattern = describe_pattern(assertion->observation, arena);
    const struct described what = {assertion->observation, result->why};
    result->received =
        describe_answer(&what, assertion->play->group->encoding->transport, observed->answer, observed->tree, arena);
    struct str unlisted = tree_text(assertion->play->group->probe, "unlisted");
    if (unlisted.size)
        result->why = arena_printf(arena, "%.*s: %.*s", STR_ARG(unlisted), STR_ARG(result->why));
}
