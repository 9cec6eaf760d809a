/* Writes the report as JUnit XML. */
#include "base/search.h"
#include "report/escape.h"
#include "report/remarks.h"

#include "support/exit_code.h"
#include "support/utc.h"
#include "support/version.h"

#define TEXT 4000 /* bytes of a text that a target has influenced */

struct junit {
    const struct summary *summary;
    const struct report *report; /* the same as in `summary`, and so is `arena` */
    struct arena *arena;
    struct buf *out;
};

static void xml_text(struct junit *junit, struct str text)
{
    append_escaped(junit->out, text, TEXT);
}

static void attribute(struct junit *junit, const char *name, struct str value)
{
    buf_printf(junit->out, " %s=\"", name);
    xml_text(junit, value);
    buf_append_byte(junit->out, '"');
}

static void line(struct junit *junit, const char *label, struct str text)
{
    if (!text.size)
        return;
    buf_printf(junit->out, "%s: ", label);
    xml_text(junit, text);
    buf_append_byte(junit->out, '\n');
}

/* --- One assertion --- */

static void evidence(struct junit *junit, const struct result *result)
{
    const struct requirement *requirement = result->assertion->requirement;
    line(junit, "flaky", flakes_counts(junit->report->run, result, junit->arena));
    line(junit, "requirement", requirement->key);
    line(junit, level_name(requirement->level), requirement->says);
    line(junit, "source", requirement->source);
    line(junit, "case", result->assertion->play->says);
    line(junit, "observed", result->observed);
    line(junit, "expected", result->expected);
    line(junit, "received", result->received);
    line(junit, "because", result->why);
    line(junit, "refused by", result->refused_by);
    line(junit, "sent", result->sent);
    line(junit, "reproduce", result->command);
    line(junit, "or", result->grpcurl);
}

/* Returns which requirement failed, of which level, and what was seen: what a CI shows of a failure. */
static struct str message_of(struct junit *junit, const struct result *result)
{
    const struct requirement *requirement = result->assertion->requirement;
    return arena_printf(junit->arena, "%.*s (%s): %.*s; %.*s", STR_ARG(requirement->key),
                        level_name(requirement->level), STR_ARG(requirement->says), STR_ARG(result->why));
}

static void element(struct junit *junit, const char *name, const struct result *result)
{
    enum level level = result->assertion->requirement->level;
    const char *type = result->verdict == VERDICT_FAIL ? level_name(level) : verdict_name(result->verdict);
    buf_printf(junit->out, "      <%s type=\"%s\"", name, type);
    attribute(junit, "message", message_of(junit, result));
    buf_append_byte(junit->out, '>');
    evidence(junit, result);
    buf_printf(junit->out, "</%s>\n", name);
}

static void system_out(struct junit *junit, const struct result *result)
{
    buf_append_literal(junit->out, "      <system-out>");
    if (result->verdict == VERDICT_PASS) {
        line(junit, "observed", result->observed);
    } else {
        buf_printf(junit->out, "%s\n", verdict_name(result->verdict));
        evidence(junit, result);
    }
    buf_append_literal(junit->out, "</system-out>\n");
}

static void skipped(struct junit *junit, struct str why)
{
    buf_append_literal(junit->out, "      <skipped");
    attribute(junit, "message", why);
    buf_append_literal(junit->out, "/>\n");
}

static bool has_failed(const struct result *result)
{
    return result->verdict == VERDICT_FAIL || result->verdict == VERDICT_TIMEOUT;
}

/* Whether a failure of this result is no failure of the run: it is of a layer that the run does not demand. */
static bool is_excused(const struct report *report, const struct result *result)
{
    return has_failed(result) && !report->demands.layers[result->assertion->requirement->layer];
}

static void outcome(struct junit *junit, const struct result *result)
{
    const char *layer = layer_name(result->assertion->requirement->layer);
    if (is_excused(junit->report, result))
        skipped(junit, arena_printf(junit->arena, "%s: %.*s", layer, STR_ARG(message_of(junit, result))));
    else if (has_failed(result))
        element(junit, "failure", result);
    else if (result->verdict == VERDICT_ERROR)
        element(junit, "error", result);
    else if (verdict_passes(result->verdict) || result->verdict == VERDICT_WARN)
        system_out(junit, result);
    else
        skipped(junit, arena_printf(junit->arena, "%s: %.*s", verdict_name(result->verdict), STR_ARG(result->why)));
}

static void begin_testcase(struct junit *junit, struct str class, struct str name)
{
    buf_append_literal(junit->out, "    <testcase");
    attribute(junit, "classname", class);
    attribute(junit, "name", name);
}

static void testcase(struct junit *junit, const struct result *result)
{
    struct str path = result->assertion->play->group->family->path;
    char *dotted = arena_alloc(junit->arena, path.size);
    for (size_t i = 0; i < path.size; i++)
        dotted[i] = (char)(path.data[i] == '/' ? '.' : path.data[i]);
    begin_testcase(junit, (struct str){dotted, path.size}, result->assertion->id);
    buf_printf(junit->out, " time=\"%.6f\"", result->seconds);
    if (result->verdict == VERDICT_PASS && !result->observed.size) {
        buf_append_literal(junit->out, "/>\n");
        return;
    }
    buf_append_literal(junit->out, ">\n");
    outcome(junit, result);
    buf_append_literal(junit->out, "    </testcase>\n");
}

static void skipped_testcase(struct junit *junit, struct str class, struct str name, struct str why)
{
    begin_testcase(junit, class, name);
    buf_append_literal(junit->out, ">\n");
    skipped(junit, why);
    buf_append_literal(junit->out, "    </testcase>\n");
}

/* --- Suites --- */

/* What a suite holds. */
struct tally {
    size_t tests, failures, errors, skipped;
    double seconds;
};

static void add_result(struct tally *tally, const struct report *report, const struct result *result)
{
    bool excused = is_excused(report, result);
    tally->tests++;
    tally->failures += !excused && has_failed(result);
    tally->errors += result->verdict == VERDICT_ERROR;
    tally->skipped += excused || result->verdict == VERDICT_BLOCKED || result->verdict == VERDICT_NOT_APPLICABLE ||
                      result->verdict == VERDICT_WAIVED;
    tally->seconds += result->seconds;
}

static void counts(struct junit *junit, const struct tally *tally)
{
    buf_printf(junit->out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\"", tally->tests,
               tally->failures, tally->errors, tally->skipped, tally->seconds);
}

static void begin_suite(struct junit *junit, struct str name, struct tally tally)
{
    buf_append_literal(junit->out, "  <testsuite");
    attribute(junit, "name", name);
    counts(junit, &tally);
    attribute(junit, "timestamp", utc_text(junit->report->started, "%Y-%m-%dT%H:%M:%S", junit->arena));
    buf_append_literal(junit->out, ">\n");
}

static void end_suite(struct junit *junit)
{
    buf_append_literal(junit->out, "  </testsuite>\n");
}

/* Writes one skipped test for each encoding and profile that the target does not offer. */
static void not_offered(struct junit *junit)
{
    const struct plan *plan = junit->report->plan;
    if (!plan->not_offered_count)
        return;
    begin_suite(junit, STR("not-offered"),
                (struct tally){.tests = plan->not_offered_count, .skipped = plan->not_offered_count});
    FOR_EACH(row, plan->not_offered, plan->not_offered_count)
        skipped_testcase(junit, row->profile->name, row->encoding->name, row->why);
    end_suite(junit);
}

/* Writes one skipped test for each claimed extension of which nothing was judged. */
static void claims(struct junit *junit)
{
    const struct summary *summary = junit->summary;
    if (!summary->claim_count)
        return;
    begin_suite(junit, STR("claims"), (struct tally){.tests = summary->claim_count, .skipped = summary->claim_count});
    FOR_EACH(claim, summary->claims, summary->claim_count)
        skipped_testcase(junit, claim->claim, claim_profiles(claim, junit->arena),
                         arena_printf(junit->arena, "warning: %.*s", STR_ARG(claim_sentence(claim, junit->arena))));
    end_suite(junit);
}

/* Writes an error of its own for a run that did not reach its end, so that the file is not read as a success. */
static void broken_run(struct junit *junit)
{
    begin_suite(junit, STR("oip-conformance"), (struct tally){.tests = 1, .errors = 1});
    begin_testcase(junit, STR("oip-conformance"), STR("run"));
    buf_printf(junit->out, ">\n      <error type=\"exit-code-%d\"", junit->report->exit_code);
    attribute(junit, "message", junit->report->reason);
    buf_append_byte(junit->out, '>');
    xml_text(junit, junit->report->reason); /* some viewers show no message */
    buf_append_literal(junit->out, "</error>\n    </testcase>\n");
    end_suite(junit);
}

static void property(struct junit *junit, const char *name, struct str value)
{
    if (!value.size)
        return;
    buf_printf(junit->out, "      <property name=\"%s\"", name);
    attribute(junit, "value", value);
    buf_append_literal(junit->out, "/>\n");
}

/* Returns the text with "; " for each end of a line but the last. */
static struct str on_one_line(struct str text, struct arena *arena)
{
    struct buf line = {0};
    while (text.size) {
        buf_append_str(&line, line.size ? STR("; ") : STR(""));
        buf_append_str(&line, str_take(&text, '\n'));
    }
    return arena_take(arena, &line);
}

static void properties(struct junit *junit)
{
    const struct report *report = junit->report;
    struct arena *arena = junit->arena;
    buf_append_literal(junit->out, "    <properties>\n");
    for (size_t i = 0; i < ENDPOINTS_MAX; i++)
        if (report->addresses[i].at.size)
            property(junit, arena_copy(arena, report->addresses[i].endpoint->name).data, report->addresses[i].at);
    property(junit, "server.name", report->server_name);
    property(junit, "server.version", report->server_version);
    property(junit, "suite.version", STR(PROGRAM_VERSION));
    property(junit, "suite.fixtures", report->suite_digest);
    property(junit, "insecure", report->insecure ? STR("the certificate of the server was not checked") : STR(""));
    property(junit, "discovery",
             on_one_line(arena_printf(arena, "%.*s%.*s", STR_ARG(report->notes), STR_ARG(report->requests)), arena));
    property(junit, "command", str_of(report->command));
    property(junit, "evidence", str_of(report->evidence));
    property(junit, "repeat", flakes_sentence(report->run, &junit->summary->flakes, arena));
    property(junit, "conclusion", str_of(conclusion_name(junit->summary->conclusion)));
    property(junit, "transport", transport_conclusion(junit->summary));
    property(junit, "exit-code", arena_printf(arena, "%d", report->exit_code));
    buf_append_literal(junit->out, "    </properties>\n");
}

/* Whether the result is one of the suite of that name, in which all that is about the transport is together. */
static bool is_of_suite(const struct result *result, struct str name)
{
    const struct requirement *requirement = result->assertion->requirement;
    struct str suite = requirement->layer == LAYER_TRANSPORT ? STR("transport") : requirement->under;
    return result->verdict != VERDICT_DISABLED && str_equal(suite, name);
}

static void testsuite(struct junit *junit, struct str name)
{
    const struct run *run = junit->report->run;
    struct tally tally = {0};
    for (size_t i = 0; i < run->result_count; i++)
        if (is_of_suite(&run->results[i], name))
            add_result(&tally, junit->report, &run->results[i]);
    if (!tally.tests)
        return;
    begin_suite(junit, name, tally);
    properties(junit);
    for (size_t i = 0; i < run->result_count; i++)
        if (is_of_suite(&run->results[i], name))
            testcase(junit, &run->results[i]);
    end_suite(junit);
}

/* --- The file --- */

/* Returns what the file holds as a whole. */
static struct tally tally_of_all(const struct summary *summary, bool broken)
{
    const struct report *report = summary->report;
    size_t not_asked = report->plan->not_offered_count + summary->claim_count;
    struct tally tally = {.tests = not_asked + broken, .errors = broken, .skipped = not_asked};
    for (size_t i = 0; i < report->run->result_count; i++)
        if (report->run->results[i].verdict != VERDICT_DISABLED)
            add_result(&tally, report, &report->run->results[i]);
    tally.seconds = report->run->seconds;
    return tally;
}

void report_junit(const struct summary *summary, struct buf *out)
{
    const struct report *report = summary->report;
    struct junit junit = {.summary = summary, .report = report, .arena = summary->arena, .out = out};
    bool broken =
        report->exit_code != EXIT_CONFORMANT && (report->exit_code != EXIT_NOT_CONFORMANT || report->fell_short);
    struct tally tally = tally_of_all(summary, broken);
    buf_append_literal(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"oip-conformance\"");
    counts(&junit, &tally);
    buf_append_literal(out, ">\n");
    for (size_t i = 0; i < summary->name_count; i++)
        if (!summary->names[i].is_text)
            testsuite(&junit, summary->names[i].name);
    testsuite(&junit, STR("transport"));
    not_offered(&junit);
    claims(&junit);
    if (broken)
        broken_run(&junit);
    buf_append_literal(out, "</testsuites>\n");
}
