#include "commands/decision.h"

#include "base/search.h"
#include "report/summary.h"

/* Whether the plan has inferences of a profile that the user did not leave out: a run without one proves nothing. */
static bool wants_inference(const struct plan *plan, const struct profile *profile)
{
    FOR_EACH(play, plan->plays, plan->play_count)
        if (tree_member(play->act, "infer") && !play->disabled.size && play->group->profile == profile)
            return true;
    return false;
}

static bool is_named(const struct options *options, const struct profile *profile)
{
    return ANY(i, options->selected.profiles.count, str_is(profile->name, options->selected.profiles.items[i]));
}

/* Whether an inference of another profile succeeded at the same endpoint. */
static bool endpoint_infers(const struct target *target, const struct run *run, const struct profile *profile)
{
    return ANY(i, target->profile_count,
               target->profiles[i]->endpoint == profile->endpoint && run->inferences[target->profiles[i]->index]);
}

/* Returns a profile in which no inference succeeded although one had to: --profile names it, or no other one at its
 * endpoint has one. An older protocol at the same endpoint may lack the datatypes of all models. NULL if there is
 * none. */
static const struct profile *profile_without_inference(const struct target *target, const struct run *run)
{
    for (size_t i = 0; i < target->profile_count; i++) {
        const struct profile *profile = target->profiles[i];
        if (wants_inference(&target->plan, profile) && !run->inferences[profile->index] &&
            (is_named(target->options, profile) || !endpoint_infers(target, run, profile)))
            return profile;
    }
    return NULL;
}

/* Whether discovery found a model that takes a request. */
static bool knows_usable_model(const struct target *target)
{
    const struct tree *probes = target->known.discovery.probes;
    return ANY_IN(probe, tree_first(probes), !tree_member(probe, "refused"));
}

/* Returns why the first inference of the profile that is made for any model of the target, and needs nothing else,
 * cannot be played; or empty. */
static struct str why_unplayed(const struct plan *plan, const struct profile *profile)
{
    FOR_EACH(play, plan->plays, plan->play_count) {
        bool is_bare = play->group->probe && !tree_member(play->group->family->tree, "needs");
        if (tree_member(play->act, "infer") && is_bare && play->group->profile == profile)
            return play->not_applicable;
    }
    return STR("");
}

/* Returns why no inference ran over an endpoint, and what helps. */
static struct str why_no_inference(struct target *target, const struct profile *profile)
{
    struct arena *arena = &target->arena;
    struct str unplayed = why_unplayed(&target->plan, profile);
    const char *help =
        "no model was found that accepts a request; name one with --model NAME (make conformance MODEL=NAME), or, if "
        "it refuses what its metadata promises, give a valid request with --example FILE";
    if (knows_usable_model(target) && unplayed.size)
        help = arena_printf(arena, "none of the chosen cases that infer could be played: %.*s", STR_ARG(unplayed)).data;
    else if (knows_usable_model(target))
        help = "none of the chosen cases that infer could be played; the reasons are listed above";
    return arena_printf(arena, "no inference ran over %.*s (%.*s): %s", STR_ARG(profile->endpoint->called),
                        STR_ARG(profile->name), help);
}

static struct str first_suite_fault(const struct run *run)
{
    return FIRST(i, run->result_count, run->results[i].verdict == VERDICT_ERROR, run->results[i].why, run->unrestored);
}

struct demands demands_of(const struct target *target)
{
    const struct options *options = target->options;
    bool is_lenient = options->accept && strcmp(options->accept, "interoperable") == 0;
    return (struct demands){
        .strict = options->strict,
        .layers = {[LAYER_ANSWERS] = true,
                   [LAYER_REFUSALS] = !is_lenient,
                   [LAYER_TRANSPORT] =
                       options->transport || plan_asks_for_transport(&target->suite, &target->known, &target->plan)}};
}

/* Returns what failed, for a reason. */
static struct str what_failed(const struct report *report)
{
    static const char *const texts[LAYERS] = {
        [LAYER_ANSWERS] = "a MUST about answers failed: correct requests are not answered as the documents demand",
        [LAYER_REFUSALS] = "a MUST about refusals failed; --accept interoperable accepts it",
        [LAYER_TRANSPORT] = "a MUST of the transport failed, but none of the documents"};
    const struct run *run = report->run;
    enum layer gravest = LAYER_TRANSPORT;
    bool must = false, open = false;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct requirement *row = run->results[i].assertion->requirement;
        if (!result_counts(&run->results[i], &report->demands))
            continue;
        must |= row->level == LEVEL_MUST;
        open |= row->level == LEVEL_OPEN;
        gravest = row->layer < gravest ? row->layer : gravest;
    }
    return must   ? str_of(texts[gravest])
           : open ? STR("a request got no answer at all, where the documents leave open which one it gets")
                  : STR("a SHOULD failed (--strict)");
}

/* Returns why a run that is fine is: nothing failed, or only what --accept interoperable excuses. */
static struct str why_fine(const struct report *report)
{
    const struct run *run = report->run;
    bool excused = !report->demands.layers[LAYER_REFUSALS] &&
                   ANY(i, run->result_count,
                       run->results[i].assertion->requirement->layer == LAYER_REFUSALS &&
                           result_fails(&run->results[i], report->demands.strict));
    return excused
               ? STR("no MUST about answers failed, and --accept interoperable accepts those about refusals that did")
               : STR("no MUST of the documents failed");
}

static void decide_exit(struct target *target, const struct run *run, struct report *report)
{
    struct arena *arena = &target->arena;
    const struct profile *without = profile_without_inference(target, run);
    report->demands = demands_of(target);
    report->exit_code = run_exit_code(run, target->options->min, &report->demands);
    switch (report->exit_code) {
    case EXIT_INTERRUPTED:
    case EXIT_TIME_LIMIT:
        report->reason = target_interruption(target->options, run->interrupted, arena);
        break;
    case EXIT_SUITE:
        report->reason = arena_printf(arena, "the suite itself failed: %.*s", STR_ARG(first_suite_fault(run)));
        break;
    case EXIT_UNREACHABLE:
        report->reason = run->unresponsive.size ? run->unresponsive : STR("the target gave no answer");
        break;
    case EXIT_NOT_CONFORMANT:
        report->reason = what_failed(report);
        break;
    case EXIT_TOO_FEW:
        report->reason = arena_printf(arena, "only %zu assertions were judged, but --min demands %zu", run_judged(run),
                                      target->options->min);
        break;
    default:
        if (without)
            report->reason = why_no_inference(target, without);
        else if (run_judged(run) == 0)
            report->reason = STR("nothing was checked");
        else
            report->reason = why_fine(report);
        report->exit_code = without || run_judged(run) == 0 ? EXIT_USAGE : EXIT_CONFORMANT;
    }
    report->ended = !without && run_judged(run) >= target->options->min && run_judged(run) > 0 &&
                    (report->exit_code == EXIT_CONFORMANT || report->exit_code == EXIT_NOT_CONFORMANT);
    if (run->unrestored.size && report->exit_code != EXIT_SUITE)
        report->reason = arena_printf(arena, "%.*s; %.*s", STR_ARG(report->reason), STR_ARG(run->unrestored));
    report->reason = secrets_hide(target->client.secrets, report->reason, arena);
}

/* With --accept certified, a run that is fine but concludes less fails. */
static void demand_certified(struct target *target, struct report *report)
{
    const char *accept = target->options->certified ? "certified" : target->options->accept;
    if (!accept || strcmp(accept, "certified") != 0 || report->exit_code != EXIT_CONFORMANT)
        return;
    struct summary summary = summarize(report, &target->arena);
    if (summary.conclusion == CONCLUSION_CERTIFIED)
        return;
    report->fell_short = true;
    report->exit_code = EXIT_NOT_CONFORMANT;
    report->reason =
        arena_printf(&target->arena,
                     "the target is %s, but --accept certified demands a run of the whole suite in which each of "
                     "%zu MUST requirements is tried and holds; %zu do",
                     conclusion_name(summary.conclusion), summary.must_rows.asked, summary.must_rows.met);
}

/* A run that is fine otherwise fails if its waivers are not. */
static void demand_sound_waivers(struct target *target, struct str faults, struct report *report)
{
    if (!faults.size)
        return;
    report->reason = arena_printf(&target->arena, "%.*s; %.*s", STR_ARG(report->reason), STR_ARG(faults));
    if (report->exit_code == EXIT_CONFORMANT || report->exit_code == EXIT_TOO_FEW || report->exit_code == EXIT_USAGE)
        report->exit_code = EXIT_WAIVER;
}

void decide(struct target *target, const struct run *run, struct status status, struct str faults,
            struct report *report)
{
    decide_exit(target, run, report);
    if (!is_ok(status)) {
        report->exit_code = EXIT_SUITE;
        report->reason = status.message;
    }
    demand_certified(target, report);
    demand_sound_waivers(target, faults, report);
}
