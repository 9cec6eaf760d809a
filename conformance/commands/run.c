/* `run`: judges a server, reports what was seen, and ends with an exit code that a CI can rely on. */
#include "commands/commands.h"
#include "commands/decision.h"
#include "commands/past_run.h"
#include "commands/progress.h"
#include "commands/reports.h"
#include "targets/interruption.h"

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
#include <unistd.h>

/* --- What is told while the run goes on --- */

static void show_exchange(void *context, const struct play *play, const struct exchange *exchange,
                          const struct result *)
{
    const struct progress *progress = context;
    transcript_print(progress->client, play, exchange, progress->transcript);
}

/* --- The run --- */

/* Returns a new folder for the files that commands of this run need, so that commands of earlier reports still work. */
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

static struct progress new_progress(const struct target *target)
{
    const struct options *options = target->options;
    return (struct progress){.transcript = reports_console(options),
                             .client = &target->client,
                             .live = isatty(STDERR_FILENO) && isatty(STDOUT_FILENO),
                             .inference_seconds = target->known.discovery.inference_seconds,
                             .timeout = options->client.timeout,
                             .jobs = target->known.flags.jobs,
                             .planned = options->repeat * progress_planned(&target->plan),
                             .begun = seconds_now()};
}

/* Threads that an interruption left behind use `called` and `progress` until the program ends. Recorded exchanges are
 * judged again without progress. */
static struct run_options new_run_options(struct target *target, const struct report *report,
                                          const struct called *called, struct progress *progress)
{
    const struct options *options = target->options;
    struct run_options run_options = target_run_options(target);
    run_options.transcripts = options->files.html != NULL;
    run_options.evidence = report->evidence;
    run_options.protos = folder_of_protos(options->fixtures, &target->arena);
    run_options.called = called;
    run_options.progress = options->recomputed ? NULL : progress_show;
    run_options.on_exchange = options->on_exchange ? options->on_exchange : options->verbose ? show_exchange : NULL;
    run_options.context = options->on_exchange ? options->on_exchange_context : progress;
    return run_options;
}

static int run_and_report(struct target *target, const struct waivers *waivers)
{
    const struct options *options = target->options;
    struct run run = {0};
    struct report report = new_report(target, &run);
    struct progress progress = new_progress(target);
    const struct called called = {options->program, options_decisive(options, &target->arena)};
    const struct run_options run_options = new_run_options(target, &report, &called, &progress);
    if (!options->recomputed)
        greet(target, &report);
    struct status status = repeat_plan(&target->suite, &target->plan, &run_options, options->repeat, &run);
    interruption_stop_clock();
    struct str faults = waivers_apply(waivers, &target->suite, &target->plan, report.started, &run);
    decide(target, &run, status, faults, &report);
    settle_tape(target, &run, &report);
    if (options->recomputed) {
        const struct summary summary = summarize(&report, &target->arena);
        report_json(&summary, options->recomputed);
    } else {
        reports_write(options, &report, &target->arena);
    }
    if (run.left)
        task_exit(report.exit_code);
    run_free(&run);
    return report.exit_code;
}

/* Reports that nothing was played, and why. */
static void report_nothing(struct target *target, int code, struct str why)
{
    struct run nothing = {.arena = memory_arena()};
    const struct plan no_plan = {0};
    struct report report = new_report(target, &nothing);
    report.plan = &no_plan;
    report.exit_code = code;
    report.reason = why;
    complain(why);
    if (!target->options->recomputed)
        reports_write(target->options, &report, &target->arena);
    if (target->left)
        task_exit(code);
    run_free(&nothing);
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
    FOR_EACH_IN(result, tree_member(past.report, "results")->first) {
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
               : status_invalid(arena, "nothing fails or warns in '%s', so there is nothing to play again",
                                str_printable(arena, str_of(options->rerun)));
}

static int judge_target(const struct options *options, const struct waivers *waivers)
{
    struct target *target;
    struct str why = {0};
    int code = target_open(options, &target, &why);
    if (code == EXIT_CONFORMANT)
        code = run_and_report(target, waivers);
    else
        report_nothing(target, code, why);
    target_close(target);
    return code;
}

int command_run(const struct options *given)
{
    struct options options = *given;
    struct arena arena = memory_arena();
    struct waivers waivers;
    struct status status = options.rerun ? choose_failed(&options, &arena) : STATUS_IS_OK;
    if (is_ok(status))
        status = waivers_read(options.waivers, &arena, &waivers);
    int code = EXIT_USAGE;
    if (!complain_of(status) && can_report(&options))
        code = judge_target(&options, &waivers);
    arena_free(&arena);
    return code;
}
