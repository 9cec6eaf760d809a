/* The report for a person: first every failure with what is needed to discuss it, then the table, then one line with
 * the conclusion. */
#include "report/console.h"

#include "support/exit_code.h"
#include "support/memory.h"
#include "support/printable.h"

#define REASONS 12 /* reasons that are listed for one verdict */

void console_paint(struct console *console, const char *sequence)
{
    if (console->colour)
        buf_printf(console->out, "\033[%sm", sequence);
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
static void reasons(struct console *console, enum verdict verdict, const char *heading)
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
    buf_printf(console->out, "\n%s\n", heading);
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
        buf_append_literal(console->out, "\nNot offered by the target, so not asked\n");
    for (size_t i = 0; i < plan->not_offered_count; i++) {
        const struct not_offered *row = &plan->not_offered[i];
        buf_printf(console->out, "  %-14.*s %-14.*s %.*s\n", STR_ARG(row->profile->name), STR_ARG(row->encoding->name),
                   STR_ARG(row->why));
    }
}

/* Returns how wide the first column of the table is. */
static int name_width(const struct summary *summary)
{
    size_t width = sizeof "profile" - 1;
    for (size_t i = 0; i < summary->profile_count; i++)
        width = summary->profiles[i].prefix.size > width ? summary->profiles[i].prefix.size : width;
    return (int)width;
}

/* Whether the table has a column for the verdict: not for one that no result has. */
static bool has_column(const struct summary *summary, enum verdict verdict)
{
    return summary->totals[verdict] || verdict == VERDICT_PASS || verdict == VERDICT_FAIL;
}

static int column_width(enum verdict verdict)
{
    int width = (int)strlen(verdict_name(verdict)) + 2;
    return width < 7 ? 7 : width;
}

static void table_row(struct console *console, struct str name, const size_t *counts)
{
    size_t total = 0;
    buf_printf(console->out, "%-*.*s", name_width(&console->summary), STR_ARG(name));
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        total += counts[verdict];
        if (!has_column(&console->summary, verdict))
            continue;
        bool bad =
            counts[verdict] && (verdict == VERDICT_FAIL || verdict == VERDICT_TIMEOUT || verdict == VERDICT_ERROR);
        if (bad)
            console_paint(console, "1;31");
        buf_printf(console->out, "%*zu", column_width(verdict), counts[verdict]);
        if (bad)
            console_paint(console, "0");
    }
    buf_printf(console->out, "%8zu\n", total);
}

static void table(struct console *console)
{
    buf_printf(console->out, "\n%-*s", name_width(&console->summary), "profile");
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
        if (has_column(&console->summary, verdict))
            buf_printf(console->out, "%*s", column_width(verdict), verdict_name(verdict));
    buf_append_literal(console->out, "   total\n");
    for (size_t i = 0; i < console->summary.profile_count; i++)
        table_row(console, console->summary.profiles[i].prefix, console->summary.profiles[i].counts);
    table_row(console, STR("all"), console->summary.totals);
}

/* Lists the MUST rows that were not tried, by the reason. */
static void untried(struct console *console)
{
    const struct summary *summary = &console->summary;
    if (!summary->untried_count || !run_judged(console->report->run))
        return;
    buf_printf(console->out, "\n%zu of %zu MUST rows were not tried\n", summary->untried_count,
               summary->must_rows.asked);
    for (size_t i = 0; i < summary->untried_count; i++) {
        struct str why = summary->untried[i].why;
        bool told = false;
        for (size_t k = 0; k < i && !told; k++)
            told = str_equal(summary->untried[k].why, why);
        if (told)
            continue;
        buf_append_literal(console->out, "  ");
        append_printable(console->out, why, 300);
        buf_append_literal(console->out, "\n     ");
        if (summary->untried[i].left_out) /* the user knows it, and there may be hundreds */
            buf_append_literal(console->out, " (report.json names them)");
        for (size_t k = i; k < summary->untried_count; k++)
            if (!summary->untried[i].left_out && str_equal(summary->untried[k].why, why))
                buf_printf(console->out, " %.*s", STR_ARG(summary->untried[k].requirement->key));
        buf_append_byte(console->out, '\n');
    }
}

/* What the word means that concludes a run. */
static const struct {
    const char *conclusion, *meaning;
} meanings[] = {
    {"certified", "no MUST failed, and every MUST row of the asked profiles was tried"},
    {"conformant", "no MUST failed; it would be certified if the other MUST rows had been tried too"},
    {"waived", "no MUST failed but where a waiver excuses it; without the waivers it would not be conformant"},
    {"partial", "no MUST failed in the part of the suite that was chosen, which says nothing about the rest"},
    {"not conformant", "a MUST failed"},
    {"not judged", "the run did not reach a judgement"},
};

static void conclusion(struct console *console)
{
    const struct report *report = console->report;
    const struct summary *summary = &console->summary;
    buf_printf(console->out, "\n%zu assertions planned, %zu judged, %zu exchanges, %zu jobs, %.1f s\n",
               report->plan->assertion_count, run_judged(report->run), report->run->exchanges, report->jobs,
               report->run->seconds);
    if (!summary->values_checked && run_judged(report->run))
        buf_append_literal(
            console->out, "Values were not checked: no model was asked of which the suite knows what it computes, only "
                          "form and agreement of\nthe answers were. Host the model kit, or name models that do the "
                          "same: --map KIT=THEIRS.\n");
    for (size_t i = 0; i < summary->text_count; i++)
        buf_printf(console->out,
                   "%.*s: %zu of %zu MUST rows were tried and hold (what the profiles build on is counted "
                   "apart)\n",
                   STR_ARG(summary->texts[i].prefix), summary->texts[i].rows.met, summary->texts[i].rows.asked);
    bool good = report->exit_code == EXIT_CONFORMANT;
    console_paint(console, good ? "1;32" : "1;31");
    buf_printf(console->out, "%s", summary->conclusion);
    console_paint(console, "0");
    if (summary->failing)
        buf_printf(console->out, ": %zu assertion%s failed", summary->failing, summary->failing == 1 ? "" : "s");
    buf_printf(console->out, ", %zu of %zu MUST rows of the asked profiles were tried and hold\n",
               summary->must_rows.met, summary->must_rows.asked);
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (strcmp(meanings[i].conclusion, summary->conclusion) == 0 && !summary->failing)
            buf_printf(console->out, "  (%s: %s)\n", meanings[i].conclusion, meanings[i].meaning);
    buf_printf(console->out, "exit code %d: ", report->exit_code);
    append_printable(console->out, report->reason, CONSOLE_LINE);
    buf_append_byte(console->out, '\n');
}

void report_console(const struct report *report, bool colour, struct buf *out)
{
    struct console console = {.report = report, .arena = memory_arena(), .out = out, .colour = colour};
    console.summary = summarize(report, &console.arena);
    console_failures(&console);
    atlas(&console);
    reasons(&console, VERDICT_WAIVED, "Waived");
    reasons(&console, VERDICT_BLOCKED, "Blocked");
    reasons(&console, VERDICT_NOT_APPLICABLE, "Not applicable");
    not_offered(&console);
    if (report->notes.size) {
        buf_append_literal(out, "\nNoticed before the first case\n");
        for (size_t at = 0; at < report->notes.size;) {
            const char *end = memchr(report->notes.data + at, '\n', report->notes.size - at);
            size_t size = end ? (size_t)(end - report->notes.data) - at : report->notes.size - at;
            buf_append_literal(out, "  ");
            append_printable(out, (struct str){report->notes.data + at, size}, CONSOLE_LINE);
            buf_append_byte(out, '\n');
            at += size + 1;
        }
    }
    untried(&console);
    console_failed_rows(&console);
    table(&console);
    conclusion(&console);
    arena_free(&console.arena);
}
