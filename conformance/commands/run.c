/* `run`: judges a server, reports what was seen, and ends with an exit code that a CI can rely on. */
#include "commands/interruption.h"
#include "commands/past_run.h"
#include "commands/progress.h"
#include "commands/reports.h"
#include "commands/target.h"

#include "base/search.h"
#include "client/tape.h"
#include "judge/play_options.h"
#include "judge/repeat.h"
#include "judge/transcript.h"
#include "report/summary.h"
#include "support/memory.h"
#include "support/printable.h"
#include "support/seconds.h"
#include "support/task.h"
#include "support/utc.h"
#include "support/wrap.h"
#include "waivers/waivers.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- What is told while the run goes on --- */

static void show_exchange(void *context, const struct play *play, const struct exchange *exchange,
                          const struct result *results)
{
    const struct progress *progress = context;
    (void)results;
    transcript_print(progress->client, play, exchange, progress->transcript);
}

/* --- The exit code and its reason --- */

/* Returns whether the plan has inferences of a profile that the user did not leave out: then a run without one proves
 * nothing. */
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

/* Returns which broken requirements make the run fail. */
static struct demands demands_of(const struct target *target)
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
            report->reason = STR("no MUST of the documents failed");
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

/* --- The run --- */

/* Returns a folder of its own for what commands need of this run, so that those of an earlier report still work. */
static const char *folder_of_evidence(const struct options *options, time_t started, struct arena *arena)
{
    const char *folder = options->evidence ? options->evidence : "reports/evidence";
    struct str at = utc_text(started, "%Y%m%dT%H%M%SZ", arena);
    return arena_printf(arena, "%s/%.*s-%ld", folder, STR_ARG(at), (long)getpid()).data;
}

/* Returns the folder of the .proto files, which stands beside that of the fixtures; NULL if it is not there. */
static const char *folder_of_protos(const char *fixtures, struct arena *arena)
{
    const char *slash = strrchr(fixtures, '/');
    struct str beside = {fixtures, slash ? (size_t)(slash + 1 - fixtures) : 0};
    const char *folder = arena_printf(arena, "%.*sproto/schema", STR_ARG(beside)).data;
    return access(folder, R_OK) == 0 ? folder : NULL;
}

static struct report new_report(struct target *target, const struct run *run)
{
    const struct options *options = target->options;
    const struct tape_end *end = options->client.tape ? tape_end(options->client.tape) : NULL;
    time_t started = end ? end->started : time(NULL);
    const struct tree *server = target->known.discovery.server;
    const struct secrets *secrets = target->client.secrets;
    struct str command = str_of(target->options->command_line);
    return (struct report){.suite = &target->suite,
                           .plan = &target->plan,
                           .run = run,
                           .target = target->planned,
                           .addresses = target->client.addresses,
                           .server_name = secrets_hide(secrets, tree_text(server, "name"), &target->arena),
                           .server_version = secrets_hide(secrets, tree_text(server, "version"), &target->arena),
                           .suite_digest = suite_digest(&target->suite, &target->arena),
                           .edited = !suite_is_own(&target->suite, &target->arena),
                           .started = started,
                           .evidence = end ? arena_copy(&target->arena, end->folder).data
                                           : folder_of_evidence(options, started, &target->arena),
                           .jobs = target->known.flags.jobs,
                           .seed = target->options->flags.seed,
                           .demands = demands_of(target),
                           .all = target->options->all,
                           .insecure = target->insecure,
                           .notes = target->known.discovery.notes,
                           .requests = target->known.discovery.requests,
                           .command = secrets_hide(secrets, command, &target->arena).data};
}

/* Ends the tape of a run that is over, or takes the time from the one that was played. */
static void settle_tape(struct target *target, struct run *run, struct report *report)
{
    const struct options *options = target->options;
    if (options->client.tape) {
        run->seconds = tape_end(options->client.tape)->seconds;
        report->tape = options->tape_file ? str_of(options->tape_file) : STR("");
        report->tape_digest = options->tape_digest;
    }
    if (!options->record)
        return;
    const struct tape_end end = {report->started, run->seconds, str_of(report->evidence)};
    struct status status = tape_finish(target->client.tape, &end, &target->arena, &report->tape_digest);
    report->tape = str_of(options->record);
    if (!is_ok(status)) {
        report->exit_code = EXIT_SUITE;
        report->reason = status.message;
    }
}

static void greet(const struct target *target, const struct report *report)
{
    struct buf text = {0}, lines = {0};
    const char *separator = "judging ";
    FOR_EACH(address, report->addresses, ENDPOINTS_MAX) {
        if (!address->at.size)
            continue;
        buf_printf(&text, "%s%s", separator, address->endpoint->transport == TRANSPORT_GRPC ? "gRPC " : "");
        append_printable(&text, address->at, 200);
        separator = " and ";
    }
    if (report->server_name.size) {
        buf_append_literal(&text, " (");
        append_printable(&text, report->server_name, 100);
        buf_append_str(&text, report->server_version.size ? STR(" ") : STR(""));
        append_printable(&text, report->server_version, 100);
        buf_append_byte(&text, ')');
    }
    buf_printf(&text, ", seed %zu, %zu assertions", target->options->flags.seed, target->plan.assertion_count);
    if (target->options->repeat > 1)
        buf_printf(&text, ", %zu times", target->options->repeat);
    append_wrapped(&lines, buf_str(&text), 2);
    buf_append_byte(&lines, '\n');
    FILE *out = reports_console(target->options);
    fwrite(lines.data, 1, lines.size, out);
    fflush(out);
    buf_free(&lines);
    buf_free(&text);
}

static int run_and_report(struct target *target, const struct waivers *waivers)
{
    const struct options *options = target->options;
    struct run run = {0};
    struct report report = new_report(target, &run);
    struct progress progress = {.transcript = reports_console(options),
                                .client = &target->client,
                                .live = isatty(STDERR_FILENO) && isatty(STDOUT_FILENO),
                                .inference_seconds = target->known.discovery.inference_seconds,
                                .timeout = options->client.timeout,
                                .jobs = target->known.flags.jobs,
                                .planned = options->repeat * progress_planned(&target->plan),
                                .begun = seconds_now()};
    const struct called called = {options->program, options_decisive(options, &target->arena)};
    struct run_options run_options = target_run_options(target);
    run_options.transcripts = options->files.html != NULL;
    run_options.evidence = report.evidence;
    run_options.protos = folder_of_protos(options->fixtures, &target->arena);
    run_options.called = &called;
    run_options.progress = progress_show;
    run_options.context = &progress;
    if (options->verbose)
        run_options.on_exchange = show_exchange;
    if (options->recomputed)
        run_options.progress = NULL;
    else
        greet(target, &report);
    if (options->on_exchange) {
        run_options.on_exchange = options->on_exchange;
        run_options.context = options->on_exchange_context;
    }
    struct status status = repeat_plan(&target->suite, &target->plan, &run_options, options->repeat, &run);
    interruption_stop_clock();
    struct str faults = waivers_apply(waivers, &target->suite, &target->plan, report.started, &run);
    decide_exit(target, &run, &report);
    if (!is_ok(status)) {
        report.exit_code = EXIT_SUITE;
        report.reason = status.message;
    }
    demand_certified(target, &report);
    demand_sound_waivers(target, faults, &report);
    settle_tape(target, &run, &report);
    if (options->recomputed) {
        const struct summary summary = summarize(&report, &target->arena);
        report_json(&summary, options->recomputed);
    } else
        reports_tell(options, &report, &target->arena);
    if (run.left)
        task_exit(report.exit_code);
    run_free(&run);
    return report.exit_code;
}

/* Says before a run, which may take long, which of its reports cannot be written. */
static bool can_report(const struct options *options)
{
    struct arena arena = memory_arena();
    bool failed = complain_of(reports_try(options, &arena));
    arena_free(&arena);
    return !failed;
}

/* Chooses the cases in which a result of an earlier report fails or warns. */
static struct status choose_failed(struct options *options, struct arena *arena)
{
    struct past_run past;
    struct str last = {0};
    struct status status = past_run_read(options->rerun, arena, &past);
    if (!is_ok(status))
        return status;
    for (const struct tree *result = tree_member(past.report, "results")->first; result; result = result->next) {
        struct str verdict = tree_text(result, "verdict"), id = tree_text(result, "id");
        struct str played = str_before(id, '#');
        bool failed = str_is(verdict, "fail") || str_is(verdict, "timeout") || str_is(verdict, "warn");
        if (!failed || str_equal(played, last))
            continue;
        last = played;
        values_add(&options->selected.plays, arena_copy(arena, played).data, arena);
    }
    values_sort(&options->selected.plays, arena);
    return options->selected.plays.count
               ? STATUS_IS_OK
               : status_error(arena, STATUS_INVALID_ARGUMENT,
                              "nothing fails or warns in '%s', so there is nothing to play again",
                              str_printable(arena, str_of(options->rerun)));
}

static int judge_target(const struct options *options)
{
    struct target *target;
    struct waivers waivers;
    struct str why = {0};
    int code = target_open(options, &target, &why);
    if (code == EXIT_CONFORMANT) {
        struct status status = waivers_read(options->waivers, &target->arena, &waivers);
        code = is_ok(status) ? EXIT_CONFORMANT : EXIT_USAGE;
        why = status.message;
    }
    if (code == EXIT_CONFORMANT) {
        code = run_and_report(target, &waivers);
    } else {
        struct run nothing = {.arena = memory_arena()};
        const struct plan no_plan = {0};
        struct report report = new_report(target, &nothing);
        report.plan = &no_plan;
        report.exit_code = code;
        report.reason = why;
        complain(why);
        if (!options->recomputed)
            reports_tell(options, &report, &target->arena);
        if (target->left)
            task_exit(code);
        run_free(&nothing);
    }
    target_close(target);
    return code;
}

int command_run(const struct options *given)
{
    struct options options = *given;
    struct arena arena = memory_arena();
    struct status status = options.rerun ? choose_failed(&options, &arena) : STATUS_IS_OK;
    int code = EXIT_USAGE;
    if (!complain_of(status) && can_report(&options))
        code = judge_target(&options);
    arena_free(&arena);
    return code;
}
