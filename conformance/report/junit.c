/* Writes the report as JUnit XML. */
#include "report/escape.h"
#include "report/flakes.h"
#include "report/remarks.h"

#include "support/exit_code.h"
#include "support/memory.h"
#include "support/version.h"

#define TEXT 4000 /* bytes of a text that a target has influenced */

static void xml_text(struct buf *out, struct str text)
{
    append_escaped(out, text, TEXT);
}

static void attribute(struct buf *out, const char *name, struct str value)
{
    buf_printf(out, " %s=\"", name);
    xml_text(out, value);
    buf_append_byte(out, '"');
}

static void line(struct buf *out, const char *label, struct str text)
{
    if (!text.size)
        return;
    buf_printf(out, "%s: ", label);
    xml_text(out, text);
    buf_append_byte(out, '\n');
}

static void evidence(struct buf *out, const struct report *report, const struct result *result, struct arena *arena)
{
    const struct requirement *requirement = result->assertion->requirement;
    line(out, "flaky", flakes_counts(report->run, result, arena));
    line(out, "requirement", requirement->key);
    line(out, level_name(requirement->level), requirement->says);
    line(out, "source", requirement->source);
    line(out, "case", result->assertion->play->says);
    line(out, "observed", result->observed);
    line(out, "expected", result->expected);
    line(out, "received", result->received);
    line(out, "because", result->why);
    line(out, "refused by", result->refused_by);
    line(out, "sent", result->sent);
    line(out, "reproduce", result->command);
    line(out, "or", result->grpcurl);
}

/* The message is what a CI shows of a failure: which requirement, of which level, and what was seen. */
static void element(struct buf *out, const char *name, const struct report *report, const struct result *result,
                    struct arena *arena)
{
    const struct requirement *requirement = result->assertion->requirement;
    const char *type = result->verdict == VERDICT_FAIL ? level_name(requirement->level) : verdict_name(result->verdict);
    buf_printf(out, "      <%s type=\"%s\"", name, type);
    attribute(out, "message",
              arena_printf(arena, "%.*s (%s): %.*s; %.*s", STR_ARG(requirement->key), level_name(requirement->level),
                           STR_ARG(requirement->says), STR_ARG(result->why)));
    buf_append_byte(out, '>');
    evidence(out, report, result, arena);
    buf_printf(out, "</%s>\n", name);
}

static void system_out(struct buf *out, const struct report *report, const struct result *result, struct arena *arena)
{
    buf_append_literal(out, "      <system-out>");
    if (result->verdict == VERDICT_PASS) {
        line(out, "observed", result->observed);
    } else {
        buf_printf(out, "%s\n", verdict_name(result->verdict));
        evidence(out, report, result, arena);
    }
    buf_append_literal(out, "</system-out>\n");
}

static void skipped(struct buf *out, struct str why)
{
    buf_append_literal(out, "      <skipped");
    attribute(out, "message", why);
    buf_append_literal(out, "/>\n");
}

/* Whether a failure of this result is no failure of the run: it is of a layer that the run does not demand. */
static bool is_excused(const struct report *report, const struct result *result)
{
    bool fails = result->verdict == VERDICT_FAIL || result->verdict == VERDICT_TIMEOUT;
    return fails && !report->demands.layers[result->assertion->requirement->layer];
}

static void testcase(struct buf *out, const struct report *report, const struct result *result, struct arena *arena)
{
    const struct assertion *assertion = result->assertion;
    struct str path = assertion->play->group->family->path;
    char *dotted = arena_alloc(arena, path.size);
    for (size_t i = 0; i < path.size; i++)
        dotted[i] = (char)(path.data[i] == '/' ? '.' : path.data[i]);
    buf_append_literal(out, "    <testcase");
    attribute(out, "classname", (struct str){dotted, path.size});
    attribute(out, "name", assertion->id);
    buf_printf(out, " time=\"%.6f\"", result->seconds);
    if (result->verdict == VERDICT_PASS && !result->observed.size) {
        buf_append_literal(out, "/>\n");
        return;
    }
    buf_append_literal(out, ">\n");
    if (is_excused(report, result)) {
        skipped(out, arena_printf(arena, "%s: %.*s (%s): %.*s; %.*s", layer_name(assertion->requirement->layer),
                                  STR_ARG(assertion->requirement->key), level_name(assertion->requirement->level),
                                  STR_ARG(assertion->requirement->says), STR_ARG(result->why)));
        buf_append_literal(out, "    </testcase>\n");
        return;
    }
    switch (result->verdict) {
    case VERDICT_PASS:
    case VERDICT_PASS_WEAK:
    case VERDICT_WARN:
        system_out(out, report, result, arena);
        break;
    case VERDICT_FAIL:
    case VERDICT_TIMEOUT:
        element(out, "failure", report, result, arena);
        break;
    case VERDICT_ERROR:
        element(out, "error", report, result, arena);
        break;
    default:
        skipped(out, arena_printf(arena, "%s: %.*s", verdict_name(result->verdict), STR_ARG(result->why)));
    }
    buf_append_literal(out, "    </testcase>\n");
}

/* Writes one skipped test for each encoding and profile that the target does not offer. */
static void not_offered(struct buf *out, const struct plan *plan, const char *started)
{
    if (!plan->not_offered_count)
        return;
    buf_printf(out,
               "  <testsuite name=\"not-offered\" tests=\"%zu\" failures=\"0\" errors=\"0\" skipped=\"%zu\" "
               "time=\"0.000000\" timestamp=\"%s\">\n",
               plan->not_offered_count, plan->not_offered_count, started);
    for (size_t i = 0; i < plan->not_offered_count; i++) {
        buf_append_literal(out, "    <testcase");
        attribute(out, "classname", plan->not_offered[i].profile->name);
        attribute(out, "name", plan->not_offered[i].encoding->name);
        buf_append_literal(out, ">\n");
        skipped(out, plan->not_offered[i].why);
        buf_append_literal(out, "    </testcase>\n");
    }
    buf_append_literal(out, "  </testsuite>\n");
}

/* Writes one skipped test for each claimed extension of which nothing was judged. */
static void claims(struct buf *out, const struct summary *summary, const char *started, struct arena *arena)
{
    if (!summary->claim_count)
        return;
    buf_printf(out,
               "  <testsuite name=\"claims\" tests=\"%zu\" failures=\"0\" errors=\"0\" skipped=\"%zu\" "
               "time=\"0.000000\" timestamp=\"%s\">\n",
               summary->claim_count, summary->claim_count, started);
    for (size_t i = 0; i < summary->claim_count; i++) {
        buf_append_literal(out, "    <testcase");
        attribute(out, "classname", summary->claims[i].claim);
        attribute(out, "name", claim_profiles(&summary->claims[i], arena));
        buf_append_literal(out, ">\n");
        skipped(out, arena_printf(arena, "warning: %.*s", STR_ARG(claim_sentence(&summary->claims[i], arena))));
        buf_append_literal(out, "    </testcase>\n");
    }
    buf_append_literal(out, "  </testsuite>\n");
}

/* What a suite holds. */
struct tally {
    size_t tests, failures, errors, skipped;
    double seconds;
};

static void add_result(struct tally *tally, const struct report *report, const struct result *result)
{
    bool excused = is_excused(report, result);
    tally->tests++;
    tally->failures += !excused && (result->verdict == VERDICT_FAIL || result->verdict == VERDICT_TIMEOUT);
    tally->errors += result->verdict == VERDICT_ERROR;
    tally->skipped += excused || result->verdict == VERDICT_BLOCKED || result->verdict == VERDICT_NOT_APPLICABLE ||
                      result->verdict == VERDICT_WAIVED;
    tally->seconds += result->seconds;
}

static void counts(struct buf *out, const struct tally *tally)
{
    buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\"", tally->tests,
               tally->failures, tally->errors, tally->skipped, tally->seconds);
}

static void property(struct buf *out, const char *name, struct str value)
{
    if (!value.size)
        return;
    buf_printf(out, "      <property name=\"%s\"", name);
    attribute(out, "value", value);
    buf_append_literal(out, "/>\n");
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

/* Writes an error of its own for a run that did not reach its end, so that the file is not read as a success. */
static void broken_run(struct buf *out, const struct report *report, const char *started)
{
    buf_printf(out,
               "  <testsuite name=\"oip-conformance\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" "
               "time=\"0.000000\" timestamp=\"%s\">\n",
               started);
    buf_append_literal(out, "    <testcase classname=\"oip-conformance\" name=\"run\">\n      <error");
    buf_printf(out, " type=\"exit-code-%d\"", report->exit_code);
    attribute(out, "message", report->reason);
    buf_append_byte(out, '>');
    xml_text(out, report->reason); /* some viewers show no message */
    buf_append_literal(out, "</error>\n    </testcase>\n  </testsuite>\n");
}

static void properties(struct buf *out, const struct report *report, const struct summary *summary, struct arena *arena)
{
    struct findings failures = findings_of(report, FINDING_FAILURE, arena);
    buf_append_literal(out, "    <properties>\n");
    for (size_t i = 0; i < ENDPOINTS_MAX; i++)
        if (report->addresses[i].at.size)
            property(out, arena_copy(arena, report->addresses[i].endpoint->name).data, report->addresses[i].at);
    property(out, "server.name", report->server_name);
    property(out, "server.version", report->server_version);
    property(out, "suite.version", STR(PROGRAM_VERSION));
    property(out, "suite.fixtures", report->suite_digest);
    property(out, "insecure", report->insecure ? STR("the certificate of the server was not checked") : STR(""));
    property(out, "discovery",
             on_one_line(arena_printf(arena, "%.*s%.*s", STR_ARG(report->notes), STR_ARG(report->requests)), arena));
    property(out, "command", str_of(report->command));
    property(out, "evidence", str_of(report->evidence));
    property(out, "repeat", flakes_sentence(report->run, arena));
    property(out, "conclusion", str_of(summary->conclusion));
    property(out, "transport", transport_conclusion(report, summary, &failures, arena));
    property(out, "exit-code", arena_printf(arena, "%d", report->exit_code));
    buf_append_literal(out, "    </properties>\n");
}

/* Whether the result is one of the suite of that name, in which all that is about the transport is together. */
static bool is_of_suite(const struct result *result, struct str name)
{
    const struct requirement *requirement = result->assertion->requirement;
    struct str suite = requirement->layer == LAYER_TRANSPORT ? STR("transport") : requirement->under;
    return result->verdict != VERDICT_DISABLED && str_equal(suite, name);
}

static struct tally tally_of(const struct report *report, struct str name)
{
    struct tally tally = {0};
    for (size_t i = 0; i < report->run->result_count; i++)
        if (is_of_suite(&report->run->results[i], name))
            add_result(&tally, report, &report->run->results[i]);
    return tally;
}

static void testsuite(struct buf *out, const struct report *report, const struct summary *summary, struct str name,
                      const char *started, struct arena *arena)
{
    struct tally tally = tally_of(report, name);
    if (!tally.tests)
        return;
    buf_append_literal(out, "  <testsuite");
    attribute(out, "name", name);
    counts(out, &tally);
    attribute(out, "timestamp", str_of(started));
    buf_append_literal(out, ">\n");
    properties(out, report, summary, arena);
    for (size_t i = 0; i < report->run->result_count; i++)
        if (is_of_suite(&report->run->results[i], name))
            testcase(out, report, &report->run->results[i], arena);
    buf_append_literal(out, "  </testsuite>\n");
}

/* Returns what the file holds as a whole. */
static struct tally tally_of_all(const struct report *report, const struct summary *summary, bool broken)
{
    size_t not_asked = report->plan->not_offered_count + summary->claim_count;
    struct tally tally = {.tests = not_asked + broken, .errors = broken, .skipped = not_asked};
    for (size_t i = 0; i < report->run->result_count; i++)
        if (report->run->results[i].verdict != VERDICT_DISABLED)
            add_result(&tally, report, &report->run->results[i]);
    tally.seconds = report->run->seconds;
    return tally;
}

void report_junit(const struct report *report, struct buf *out)
{
    struct arena arena = memory_arena();
    struct summary summary = summarize(report, &arena);
    bool broken =
        report->exit_code != EXIT_CONFORMANT && (report->exit_code != EXIT_NOT_CONFORMANT || report->fell_short);
    struct tally tally = tally_of_all(report, &summary, broken);
    char started[sizeof "2025-01-01T00:00:00"];
    struct tm utc;
    gmtime_r(&report->started, &utc);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%S", &utc);
    buf_append_literal(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"oip-conformance\"");
    counts(out, &tally);
    buf_append_literal(out, ">\n");
    for (size_t i = 0; i < summary.name_count; i++)
        if (!summary.names[i].is_text)
            testsuite(out, report, &summary, summary.names[i].name, started, &arena);
    testsuite(out, report, &summary, STR("transport"), started, &arena);
    not_offered(out, report->plan, started);
    claims(out, &summary, started, &arena);
    if (broken)
        broken_run(out, report, started);
    buf_append_literal(out, "</testsuites>\n");
    arena_free(&arena);
}
