/* What a person learns from must be right: an answer that a case tells is judged as one that came, by the newest
 * edition of the documents, and a guide leads through cases that have one. */
#include "lint/linter.h"

#include "judge/verdict.h"
#include "plan/request.h"
#include "protocols/answer.h"

static bool is_expected(const struct linter *linter, const struct assertion *assertion)
{
    const struct registry *registry = &linter->suite->registry;
    return registry_in_edition(registry, assertion->requirement->sources, registry_newest_edition(registry));
}

static void check_answer(struct linter *linter, const struct play *play)
{
    const struct plan_target target = plan_nominal(linter->suite, linter->arena);
    struct place place = family_place(play->group->family, linter->faults);
    struct request request;
    struct answer answer;
    struct observed observed = {.answer = &answer, .profile = play->group->profile};
    struct status status = play_right_exchange(play, &target, linter->arena, &request, &answer);
    if (!is_ok(status)) {
        fault_add(place_below(place, STR("answer")), "answer", "%.*s", STR_ARG(status.message));
        return;
    }
    observed.tree =
        answer_tree(play->group->encoding, play->group->profile, &request, &answer, linter->arena, &observed.trouble);
    for (size_t i = 0; i < play->assertion_count; i++) {
        struct result result = {0};
        judge_assertion(&play->assertions[i], &observed, linter->arena, &result);
        if (is_expected(linter, &play->assertions[i]) && !verdict_passes(result.verdict))
            fault_add(place_below(place, STR("answer")), "answer", "does not meet %.*s: %.*s",
                      STR_ARG(play->assertions[i].requirement->key), STR_ARG(result.why));
    }
}

static void check_guide(struct linter *linter, const struct profile *profile)
{
    const struct tree *cases = tree_member(profile->guide, "cases");
    struct place place = place_in(linter->faults, STR("encodings.json"),
                                  arena_printf(linter->arena, "/profiles/%.*s/guide", STR_ARG(profile->name)));
    if (profile->guide && (!cases || !cases->first))
        fault_add(place, "guide", "has no `cases`");
    FOR_EACH_IN(path, tree_first(cases)) {
        const struct play *play = plan_answered(linter->plan, path->text);
        if (!play || play->group->profile != profile)
            fault_add(place, "guide", "'%s' is no case of the profile with an `answer`",
                      str_printable(linter->arena, path->text));
    }
}

void lint_answers(struct linter *linter)
{
    for (size_t i = 0; i < linter->plan->play_count; i++)
        if (linter->plan->plays[i].answer)
            check_answer(linter, &linter->plan->plays[i]);
    for (size_t i = 0; i < linter->suite->registry.profile_count; i++)
        check_guide(linter, &linter->suite->registry.profiles[i]);
}
