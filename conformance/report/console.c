/* The report for a person: first every failure with what is needed to discuss it, then the table, then one line with
 * the conclusion. */
#include "judge/describe.h"
#include "report/summary.h"

#include "support/exit_code.h"
#include "support/memory.h"
#include "support/printable.h"

#define FULL_BLOCKS 3  /* failures of one requirement that are printed in full */
#define REASONS     12 /* reasons that are listed for one verdict */
#define LINE        2000

struct console {
    const struct report *report;
    struct summary summary;
    struct arena arena;
    struct buf *out;
    bool colour;
};

static void paint(struct console *console, const char *sequence)
{
    if (console->colour)
        buf_printf(console->out, "\033[%sm", sequence);
}

static void member(struct console *console, const char *label, struct str text)
{
    if (!text.size)
        return;
    buf_printf(console->out, "  %-10s", label);
    append_printable(console->out, text, LINE);
    buf_append_byte(console->out, '\n');
}

static void heading(struct console *console, const char *colour, const struct result *result)
{
    paint(console, colour);
    const char *name = verdict_name(result->verdict);
    for (const char *c = name; *c; c++)
        buf_append_byte(console->out, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
    paint(console, "0");
    buf_append_byte(console->out, ' ');
    append_printable(console->out, result->assertion->id, LINE);
    buf_append_byte(console->out, '\n');
}

static void block(struct console *console, const struct result *result)
{
    const struct requirement *requirement = result->assertion->requirement;
    buf_append_byte(console->out, '\n');
    heading(console, "1;31", result);
    member(console, level_name(requirement->level), requirement->says);
    member(console, "source", requirement->source);
    member(console, "case", result->assertion->play->says);
    member(console, "expected", result->expected);
    member(console, "received", result->received);
    member(console, "because", result->why);
    member(console, "refused by", result->refused_by);
    if (result->command.size) {
        buf_append_literal(console->out, "  reproduce ");
        append_printable(console->out, result->command, (size_t)-1);
        buf_append_byte(console->out, '\n');
    }
}

/* Counts the results before this one that have the same requirement and are printed in the same section. */
static size_t told_before(const struct run *run, size_t index, bool (*told)(const struct result *, bool), bool strict)
{
    size_t count = 0;
    for (size_t i = 0; i < index; i++)
        count += told(&run->results[i], strict) &&
                 run->results[i].assertion->requirement == run->results[index].assertion->requirement;
    return count;
}

static bool is_failure(const struct result *result, bool strict)
{
    return result_fails(result, strict) || result->verdict == VERDICT_ERROR || result->verdict == VERDICT_TIMEOUT;
}

static bool is_warning(const struct result *result, bool strict)
{
    (void)strict;
    return result->verdict == VERDICT_WARN;
}

static void failures(struct console *console)
{
    const struct run *run = console->report->run;
    for (size_t i = 0; i < run->result_count; i++) {
        if (!is_failure(&run->results[i], console->report->strict))
            continue;
        if (told_before(run, i, is_failure, console->report->strict) < FULL_BLOCKS)
            block(console, &run->results[i]);
        else
            heading(console, "31", &run->results[i]);
    }
}

static void warnings(struct console *console)
{
    const struct run *run = console->report->run;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        if (!is_warning(result, false) || told_before(run, i, is_warning, false))
            continue;
        size_t more = 0;
        for (size_t k = i + 1; k < run->result_count; k++)
            more += is_warning(&run->results[k], false) &&
                    run->results[k].assertion->requirement == result->assertion->requirement;
        buf_append_byte(console->out, '\n');
        heading(console, "33", result);
        member(console, level_name(result->assertion->requirement->level), result->assertion->requirement->says);
        member(console, "because", result->why);
        if (more)
            buf_printf(console->out, "  and %zu more of this requirement\n", more);
    }
}

static void atlas(struct console *console)
{
    const struct summary *summary = &console->summary;
    if (summary->atlas_count)
        buf_append_literal(console->out, "\nWhat the documents leave open, and what was seen\n");
    for (size_t i = 0; i < summary->atlas_count; i++) {
        const struct sighting *sighting = &summary->atlas[i];
        bool again = i > 0 && summary->atlas[i - 1].requirement == sighting->requirement;
        if (again)
            buf_append_literal(console->out, ", ");
        else
            buf_printf(console->out, "%s  %-32.*s ", i ? "\n" : "", STR_ARG(sighting->requirement->key));
        append_printable(console->out, sighting->name, 100);
        buf_printf(console->out, " (%zu)", sighting->count);
    }
    if (summary->atlas_count)
        buf_append_byte(console->out, '\n');
}

/* Lists the reasons of one verdict, each once with its number. */
static void reasons(struct console *console, enum verdict verdict)
{
    const struct run *run = console->report->run;
    if (!console->summary.totals[verdict])
        return;
    size_t distinct = 0, *first = arena_alloc_zero(&console->arena, run->result_count, sizeof(*first));
    size_t *count = arena_alloc_zero(&console->arena, run->result_count, sizeof(*count));
    for (size_t i = 0; i < run->result_count; i++) {
        if (run->results[i].verdict != verdict)
            continue;
        size_t k = 0;
        while (k < distinct && !str_equal(run->results[first[k]].why, run->results[i].why))
            k++;
        if (k == distinct)
            first[distinct++] = i;
        count[k]++;
    }
    buf_printf(console->out, "\n%s\n", verdict == VERDICT_BLOCKED ? "Blocked" : "Not applicable");
    for (size_t k = 0; k < distinct && k < REASONS; k++) {
        buf_printf(console->out, "  %5zu  ", count[k]);
        append_printable(console->out, run->results[first[k]].why, 300);
        buf_append_byte(console->out, '\n');
    }
    if (distinct > REASONS)
        buf_printf(console->out, "         and %zu more reasons (in the reports)\n", distinct - REASONS);
}

/* Prints a line for each encoding and profile that the target does not offer. */
static void not_offered(struct console *console)
{
    const struct plan *plan = console->report->plan;
    if (plan->not_offered_count)
        buf_append_literal(console->out, "\nNot offered, and not asked\n");
    for (size_t i = 0; i < plan->not_offered_count; i++) {
        const struct not_offered *row = &plan->not_offered[i];
        buf_printf(console->out, "  %-14.*s %-14.*s %.*s\n", STR_ARG(row->profile->name), STR_ARG(row->encoding->name),
                   STR_ARG(row->why));
    }
}

static void table_row(struct console *console, struct str name, const size_t *counts)
{
    size_t total = 0;
    buf_printf(console->out, "%-14.*s", STR_ARG(name));
    for (int verdict = 0; verdict < VERDICT_WAIVED; verdict++) {
        total += counts[verdict];
        int width = (int)strlen(verdict_name((enum verdict)verdict)) + 2;
        bool bad =
            counts[verdict] && (verdict == VERDICT_FAIL || verdict == VERDICT_TIMEOUT || verdict == VERDICT_ERROR);
        if (bad)
            paint(console, "1;31");
        buf_printf(console->out, "%*zu", width < 7 ? 7 : width, counts[verdict]);
        if (bad)
            paint(console, "0");
    }
    buf_printf(console->out, "%8zu\n", total);
}

static void table(struct console *console)
{
    buf_printf(console->out, "\n%-14s", "profile");
    for (int verdict = 0; verdict < VERDICT_WAIVED; verdict++) {
        int width = (int)strlen(verdict_name((enum verdict)verdict)) + 2;
        buf_printf(console->out, "%*s", width < 7 ? 7 : width, verdict_name((enum verdict)verdict));
    }
    buf_append_literal(console->out, "   total\n");
    for (size_t i = 0; i < console->summary.profile_count; i++)
        table_row(console, console->summary.profiles[i].prefix, console->summary.profiles[i].counts);
    table_row(console, STR("all"), console->summary.totals);
}

static void conclusion(struct console *console)
{
    const struct report *report = console->report;
    const struct summary *summary = &console->summary;
    buf_printf(console->out, "\n%zu assertions planned, %zu judged, %zu exchanges, %zu jobs, %.1f s\n",
               report->plan->assertion_count, run_judged(report->run), report->run->exchanges, report->jobs,
               report->run->seconds);
    bool good = report->exit_code == EXIT_CONFORMANT;
    paint(console, good ? "1;32" : "1;31");
    buf_printf(console->out, "%s", summary->conclusion);
    paint(console, "0");
    if (summary->failing)
        buf_printf(console->out, ": %zu assertions failed", summary->failing);
    buf_printf(console->out, ", %zu of %zu MUST rows of the asked profiles were tried and hold\n",
               summary->must_rows_met, summary->must_rows);
    buf_printf(console->out, "exit code %d: ", report->exit_code);
    append_printable(console->out, report->reason, LINE);
    buf_append_byte(console->out, '\n');
}

void report_console(const struct report *report, bool colour, struct buf *out)
{
    struct console console = {.report = report, .arena = memory_arena(), .out = out, .colour = colour};
    console.summary = summarize(report, &console.arena);
    failures(&console);
    warnings(&console);
    atlas(&console);
    reasons(&console, VERDICT_BLOCKED);
    reasons(&console, VERDICT_NOT_APPLICABLE);
    not_offered(&console);
    if (report->notes.size) {
        buf_append_literal(out, "\nNoticed before the first case\n");
        for (size_t at = 0; at < report->notes.size;) {
            const char *end = memchr(report->notes.data + at, '\n', report->notes.size - at);
            size_t size = end ? (size_t)(end - report->notes.data) - at : report->notes.size - at;
            buf_append_literal(out, "  ");
            append_printable(out, (struct str){report->notes.data + at, size}, LINE);
            buf_append_byte(out, '\n');
            at += size + 1;
        }
    }
    table(&console);
    conclusion(&console);
    arena_free(&console.arena);
}
