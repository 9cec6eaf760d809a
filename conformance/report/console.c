/* The report for a person: first a block for each requirement that is broken, in the order in which one mends them,
 * then what was not judged, the table, and at the end the conclusion and the one thing to do next. */
#include "report/console.h"

#include "report/next.h"
#include "report/remarks.h"
#include "support/exit_code.h"
#include "support/wrap.h"

/* --- The table --- */

static size_t larger(size_t one, size_t other)
{
    return one > other ? one : other;
}

/* Returns how wide the first column of the table is. */
static int name_width(const struct summary *summary)
{
    size_t width = sizeof "profile" - 1;
    for (size_t i = 0; i < summary->name_count; i++)
        width = larger(width, summary->names[i].name.size);
    return (int)width;
}

/* Returns the word for what a name has reached: its rung, or of a text how many of its requirements are broken. */
static const char *word_of(const struct name_counts *counts)
{
    bool broken = counts->broken[LAYER_TRANSPORT] > 0;
    return !counts->is_text ? rung_name(counts->rung) : broken ? "findings" : counts->must.asked ? "no finding" : "";
}

/* Returns how wide the column of these words is. */
static int word_width(const struct summary *summary)
{
    size_t width = strlen(summary->conclusion);
    for (size_t i = 0; i < summary->name_count; i++)
        width = larger(width, strlen(word_of(&summary->names[i])));
    return (int)width;
}

/* Whether the table has a column for the verdict: not for one that no result has. */
static bool has_column(const struct summary *summary, enum verdict verdict)
{
    return summary->totals[verdict] || verdict == VERDICT_PASS || verdict == VERDICT_FAIL;
}

/* The headings are short, because the table must fit on a screen. */
static const char *heading_of(enum verdict verdict)
{
    return verdict == VERDICT_PASS_WEAK ? "weak" : verdict == VERDICT_NOT_APPLICABLE ? "n/a" : verdict_name(verdict);
}

static size_t digits_of(size_t number)
{
    size_t digits = 1;
    while (number /= 10)
        digits++;
    return digits;
}

/* Returns the width of a column with its heading and the largest of its numbers, and of the blank before it. */
static int column_width(const char *heading, size_t largest)
{
    return 1 + (int)larger(strlen(heading), digits_of(largest));
}

static size_t total_of(const size_t *counts)
{
    size_t total = 0;
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
        total += counts[verdict];
    return total;
}

static int total_width(const struct summary *summary)
{
    return column_width("total", total_of(summary->totals));
}

static int table_width(const struct summary *summary)
{
    int width = name_width(summary) + 1 + word_width(summary) + total_width(summary);
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
        width += has_column(summary, verdict) ? column_width(heading_of(verdict), summary->totals[verdict]) : 0;
    return width;
}

/* A name has a line of its own where the numbers would not fit beside it. */
static void table_name(struct console *console, struct str name, const char *word)
{
    const struct summary *summary = &console->summary;
    if (table_width(summary) > WRAP_COLUMNS)
        buf_printf(console->out, "%.*s%s%s\n%8s", STR_ARG(name), *word ? ": " : "", word, "");
    else
        buf_printf(console->out, "%-*.*s %-*s", name_width(summary), STR_ARG(name), word_width(summary), word);
}

static void table_row(struct console *console, struct str name, const char *word, const size_t *counts)
{
    const struct summary *summary = &console->summary;
    table_name(console, name, word);
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        if (!has_column(summary, verdict))
            continue;
        bool bad =
            counts[verdict] && (verdict == VERDICT_FAIL || verdict == VERDICT_TIMEOUT || verdict == VERDICT_ERROR);
        if (bad)
            console_paint(console, "1;31");
        buf_printf(console->out, "%*zu", column_width(heading_of(verdict), summary->totals[verdict]), counts[verdict]);
        if (bad)
            console_paint(console, "0");
    }
    buf_printf(console->out, "%*zu\n", total_width(summary), total_of(counts));
}

/* Returns the counts of all that is about the transport. */
static struct name_counts transport_of(const struct summary *summary)
{
    struct name_counts transport = {.name = STR("transport"), .is_text = true, .must = summary->transport};
    for (size_t i = 0; i < summary->name_count; i++)
        for (enum verdict verdict = 0; verdict < VERDICT_COUNT && summary->names[i].is_text; verdict++)
            transport.counts[verdict] += summary->names[i].counts[verdict];
    memcpy(transport.broken, summary->broken, sizeof transport.broken);
    return transport;
}

/* Whether the table has a row for the name: not for each text, unless everything is told. */
static bool is_shown(const struct console *console, const struct name_counts *counts)
{
    return total_of(counts->counts) && (!counts->is_text || console->report->all);
}

static void table(struct console *console)
{
    const struct summary *summary = &console->summary;
    buf_append_byte(console->out, '\n');
    table_name(console, STR("profile"), "");
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
        if (has_column(summary, verdict))
            buf_printf(console->out, "%*s", column_width(heading_of(verdict), summary->totals[verdict]),
                       heading_of(verdict));
    buf_printf(console->out, "%*s\n", total_width(summary), "total");
    for (size_t i = 0; i < summary->name_count; i++)
        if (is_shown(console, &summary->names[i]))
            table_row(console, summary->names[i].name, word_of(&summary->names[i]), summary->names[i].counts);
    struct name_counts transport = transport_of(summary);
    if (total_of(transport.counts) && !console->report->all)
        table_row(console, transport.name, word_of(&transport), transport.counts);
    table_row(console, STR("all"), summary->conclusion, summary->totals);
}

/* --- The conclusion --- */

static void conclusion(struct console *console)
{
    const struct report *report = console->report;
    const struct summary *summary = &console->summary;
    struct arena *arena = &console->arena;
    struct remarks remarks = remarks_on(report, summary, arena);
    struct str findings = findings_sentence(&console->failures, arena);
    struct str replays = summary->replays ? arena_printf(arena, ", %zu failed replays", summary->replays) : STR("");
    console_paragraph(console,
                      arena_printf(arena, "\n%zu assertions planned, %zu judged%.*s, %zu exchanges, %zu jobs, %.1f s",
                                   report->plan->assertion_count, run_judged(report->run), STR_ARG(replays),
                                   report->run->exchanges, report->jobs, report->run->seconds),
                      2);
    console_paragraph(console, rows_sentence(&summary->must_rows, arena), 2);
    for (size_t i = 0; i < remarks.count; i++)
        console_paragraph(console, remarks.items[i], 2);
    console_paragraph(console, transport_conclusion(report, summary, &console->failures, arena), 2);
    console_paint(console, report->exit_code == EXIT_CONFORMANT ? "1;32" : "1;31");
    buf_printf(console->out, "%s", summary->conclusion);
    console_paint(console, "0");
    console_paragraph(console, findings.size ? arena_printf(arena, ": %.*s", STR_ARG(findings)) : STR(" "), 2);
    if (report->exit_code == EXIT_CONFORMANT) /* else the reason of the exit code says it */
        console_paragraph(console, arena_printf(arena, "  (%s: %s)", summary->conclusion, rung_meaning(summary->rung)),
                          2);
    console_paragraph(console, arena_printf(arena, "exit code %d: %.*s", report->exit_code, STR_ARG(report->reason)),
                      2);
}

static void next(struct console *console)
{
    struct next next = next_of(console->report, &console->summary, &console->failures, &console->arena);
    console_paint(console, "1");
    buf_append_literal(console->out, "Next:");
    console_paint(console, "0");
    console_paragraph(console, arena_printf(&console->arena, " %.*s", STR_ARG(next.sentence)), 2);
    if (!next.command.size || console_has_shown(console, next.command))
        return;
    buf_append_literal(console->out, "  ");
    console_command(console, next.command, 4);
}

void report_console(const struct report *report, bool colour, struct buf *out)
{
    struct console console = {.report = report, .arena = memory_arena(), .out = out, .colour = colour};
    console.summary = summarize(report, &console.arena);
    console.failures = findings_of(report, FINDING_FAILURE, &console.arena);
    console.warnings = findings_of(report, FINDING_WARNING, &console.arena);
    console_findings(&console);
    console_warnings(&console);
    console_reasons(&console);
    console_flakes(&console);
    table(&console);
    conclusion(&console);
    next(&console);
    arena_free(&console.arena);
}
