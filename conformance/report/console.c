/* The report for a person: first a block for each requirement that is broken, in the order in which to fix them,
 * then what was not judged, the table, and at the end the conclusion and the one thing to do next. */
#include "report/console.h"

#include "report/headline.h"
#include "report/remarks.h"
#include "support/exit_code.h"
#include "support/wrap.h"

#include <stdio.h>

/* --- The table --- */

/* The widths of the columns. */
struct table {
    int name, word;              /* of a name, and of the word for what it has reached */
    int verdicts[VERDICT_COUNT]; /* 0: the table has no such column */
    int total;
    bool is_too_wide; /* for a screen: a name has a line of its own, with its numbers below */
};

static size_t larger(size_t one, size_t other)
{
    return one > other ? one : other;
}

/* Returns the word for a profile: its conclusion; or for a text: how many of its requirements are broken. */
static const char *word_of(const struct name_counts *counts)
{
    bool broken = counts->broken[LAYER_TRANSPORT] > 0;
    return !counts->is_text     ? conclusion_name(counts->conclusion)
           : broken             ? "findings"
           : counts->must.asked ? "no finding"
                                : "";
}

/* The headings are short, because the table must fit on a screen. */
static const char *heading_of(enum verdict verdict)
{
    return verdict == VERDICT_PASS_WEAK ? "weak" : verdict == VERDICT_NOT_APPLICABLE ? "n/a" : verdict_name(verdict);
}

/* Returns the width of a column with its heading and the largest of its numbers, and of the blank before it. */
static int column_width(const char *heading, size_t largest)
{
    return 1 + (int)larger(strlen(heading), (size_t)snprintf(NULL, 0, "%zu", largest));
}

static size_t total_of(const size_t *counts)
{
    return SUM(verdict, VERDICT_COUNT, counts[verdict]);
}

static struct table table_of(const struct summary *summary)
{
    size_t name = strlen("profile"), word = strlen(conclusion_name(summary->conclusion));
    for (size_t i = 0; i < summary->name_count; i++) {
        name = larger(name, summary->names[i].name.size);
        word = larger(word, strlen(word_of(&summary->names[i])));
    }
    struct table table = {(int)name, (int)word, .total = column_width("total", total_of(summary->totals))};
    int width = table.name + 1 + table.word + table.total;
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        if (summary->totals[verdict] || verdict == VERDICT_PASS || verdict == VERDICT_FAIL)
            table.verdicts[verdict] = column_width(heading_of(verdict), summary->totals[verdict]);
        width += table.verdicts[verdict];
    }
    table.is_too_wide = width > WRAP_COLUMNS;
    return table;
}

static void table_name(struct console *console, const struct table *table, struct str name, const char *word)
{
    if (table->is_too_wide)
        buf_printf(console->out, "%.*s%s%s\n%8s", STR_ARG(name), *word ? ": " : "", word, "");
    else
        buf_printf(console->out, "%-*.*s %-*s", table->name, STR_ARG(name), table->word, word);
}

static void table_head(struct console *console, const struct table *table)
{
    buf_append_byte(console->out, '\n');
    table_name(console, table, STR("profile"), "");
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
        if (table->verdicts[verdict])
            buf_printf(console->out, "%*s", table->verdicts[verdict], heading_of(verdict));
    buf_printf(console->out, "%*s\n", table->total, "total");
}

static void table_row(struct console *console, const struct table *table, struct str name, const char *word,
                      const size_t *counts)
{
    table_name(console, table, name, word);
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        bool fails = verdict == VERDICT_FAIL || verdict == VERDICT_TIMEOUT || verdict == VERDICT_ERROR;
        bool is_bad = counts[verdict] && fails;
        if (!table->verdicts[verdict])
            continue;
        if (is_bad)
            console_paint(console, "1;31");
        buf_printf(console->out, "%*zu", table->verdicts[verdict], counts[verdict]);
        if (is_bad)
            console_paint(console, "0");
    }
    buf_printf(console->out, "%*zu\n", table->total, total_of(counts));
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

/* Writes the profiles, and the texts about the transport together, or with --all each of them. */
static void table(struct console *console)
{
    const struct summary *summary = console->summary;
    const struct table table = table_of(summary);
    struct name_counts transport = transport_of(summary);
    table_head(console, &table);
    for (size_t i = 0; i <= summary->name_count; i++) {
        const struct name_counts *counts = i < summary->name_count ? &summary->names[i] : &transport;
        bool is_single_text = counts->is_text && counts != &transport;
        bool is_shown = !counts->is_text || is_single_text == console->report->all;
        if (is_shown && total_of(counts->counts))
            table_row(console, &table, counts->name, word_of(counts), counts->counts);
    }
    table_row(console, &table, STR("all"), conclusion_name(summary->conclusion), summary->totals);
}

/* --- The conclusion --- */

static void conclusion(struct console *console)
{
    const struct report *report = console->report;
    const struct summary *summary = console->summary;
    struct arena *arena = console->arena;
    struct remarks remarks = remarks_on(summary);
    struct str findings = findings_sentence(summary);
    struct str replays = summary->replays ? arena_printf(arena, ", %zu failed replays", summary->replays) : STR("");
    console_say(console, 2, "\n%zu assertions planned, %zu judged%.*s, %zu exchanges, %zu jobs, %.1f s",
                report->plan->assertion_count, run_judged(report->run), STR_ARG(replays), report->run->exchanges,
                report->jobs, report->run->seconds);
    console_paragraph(console, rows_sentence(&summary->must_rows, arena), 2);
    for (size_t i = 0; i < remarks.count; i++)
        console_paragraph(console, remarks.items[i], 2);
    console_paragraph(console, transport_conclusion(summary), 2);
    console_paint(console, report->exit_code == EXIT_CONFORMANT ? "1;32" : "1;31");
    buf_printf(console->out, "%s", conclusion_name(summary->conclusion));
    console_paint(console, "0");
    console_paragraph(console, findings.size ? arena_printf(arena, ": %.*s", STR_ARG(findings)) : STR(" "), 2);
    if (report->exit_code == EXIT_CONFORMANT) /* else the reason of the exit code says it */
        console_say(console, 2, "  (%s: %s)", conclusion_name(summary->conclusion),
                    conclusion_meaning(summary->conclusion));
    console_say(console, 2, "exit code %d: %.*s", report->exit_code, STR_ARG(report->reason));
}

static void next(struct console *console)
{
    struct next next = next_of(console->summary);
    console_paint(console, "1");
    buf_append_literal(console->out, "Next:");
    console_paint(console, "0");
    console_say(console, 2, " %.*s", STR_ARG(next.sentence));
    if (!next.command.size || console_has_shown(console, next.command))
        return;
    buf_append_literal(console->out, "  ");
    console_command(console, next.command, 4);
}

void report_console(const struct summary *summary, bool colour, struct buf *out)
{
    struct console console = {summary, summary->report, summary->arena, out, colour};
    console_findings(&console);
    console_warnings(&console);
    console_reasons(&console);
    console_flakes(&console);
    table(&console);
    conclusion(&console);
    next(&console);
}
