/* The report for a person: first every failure with what is needed to discuss it, then the table, then one line with
 * the conclusion. */
#include "report/console.h"

#include "report/remarks.h"
#include "support/exit_code.h"
#include "support/memory.h"
#include "support/printable.h"
#include "support/wrap.h"

#define REASONS      12  /* reasons that are listed for one verdict */
#define REASON       300 /* bytes of one of them */
#define ATLAS_INDENT 6   /* columns before further observations of a row */
#define LIST_INDENT  6   /* columns before what a reason holds for */

void console_paint(struct console *console, const char *sequence)
{
    if (console->colour)
        buf_printf(console->out, "\033[%sm", sequence);
}

void console_text(struct console *console, struct str text, size_t indent)
{
    struct buf printable = {0};
    append_printable(&printable, text, CONSOLE_TEXT);
    append_wrapped(console->out, buf_str(&printable), indent);
    buf_free(&printable);
}

static void atlas(struct console *console)
{
    const struct summary *summary = &console->summary;
    if (summary->atlas_count)
        buf_append_literal(console->out, "\nWhat the documents leave open, and what was seen\n");
    for (size_t i = 0; i < summary->atlas_count; i++) {
        const struct sighting *sighting = &summary->atlas[i];
        bool again = i > 0 && summary->atlas[i - 1].requirement == sighting->requirement;
        if (!again)
            buf_printf(console->out, "%s  %-32.*s", i ? "\n" : "", STR_ARG(sighting->requirement->key));
        console_text(
            console,
            arena_printf(&console->arena, "%s %.*s (%zu)", again ? "," : "", STR_ARG(sighting->name), sighting->count),
            ATLAS_INDENT);
    }
    if (summary->atlas_count)
        buf_append_byte(console->out, '\n');
}

static struct str shortened(struct str text, struct arena *arena)
{
    return text.size > REASON ? arena_printf(arena, "%.*s...", REASON, text.data) : text;
}

/* Appends the models of the kit that the target lacks, with the number of all that cannot be judged without them. */
static void models_that_miss(struct console *console)
{
    const struct run *run = console->report->run;
    size_t count = 0, model_count = 0;
    struct str *models = arena_alloc_zero(&console->arena, run->result_count + 1, sizeof(*models));
    for (size_t i = 0; i < run->result_count; i++) {
        struct str model = missing_model(console->report, &run->results[i]);
        size_t k = 0;
        if (run->results[i].verdict != VERDICT_NOT_APPLICABLE || !model.size)
            continue;
        while (k < model_count && !str_equal(models[k], model))
            k++;
        if (k == model_count)
            models[model_count++] = model;
        count++;
    }
    if (!count)
        return;
    buf_printf(console->out, "  %5zu  ", count);
    console_text(console, STR("models of the kit are not hosted:"), 9);
    for (size_t k = 0; k < model_count; k++)
        console_text(console, arena_printf(&console->arena, " %.*s", STR_ARG(models[k])), 9);
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
        if (run->results[i].verdict != verdict || missing_model(console->report, &run->results[i]).size)
            continue;
        size_t k = 0;
        while (k < distinct && !str_equal(run->results[first[k]].why, run->results[i].why))
            k++;
        if (k == distinct)
            first[distinct++] = i;
        count[k]++;
    }
    buf_printf(console->out, "\n%s\n", heading);
    if (verdict == VERDICT_NOT_APPLICABLE)
        models_that_miss(console);
    for (size_t k = 0; k < distinct && k < REASONS; k++) {
        buf_printf(console->out, "  %5zu  ", count[k]);
        console_text(console, shortened(run->results[first[k]].why, &console->arena), 9);
        buf_append_byte(console->out, '\n');
    }
    if (distinct > REASONS)
        buf_printf(console->out, "         and %zu more reasons (in the reports)\n", distinct - REASONS);
}

/* Lists the encodings of a profile that the target does not offer for this reason, behind the name of the profile. */
static void not_offered_encodings(struct console *console, const struct profile *profile, struct str why)
{
    const struct plan *plan = console->report->plan;
    const char *separator = " (";
    console_text(console, arena_printf(&console->arena, " %.*s", STR_ARG(profile->name)), LIST_INDENT);
    for (size_t i = 0; i < plan->not_offered_count; i++) {
        const struct not_offered *row = &plan->not_offered[i];
        if (row->profile != profile || !str_equal(row->why, why))
            continue;
        console_text(console, arena_printf(&console->arena, "%s%.*s", separator, STR_ARG(row->encoding->name)),
                     LIST_INDENT);
        separator = ", ";
    }
    buf_append_byte(console->out, ')');
}

/* Whether a row before this one has the same reason; with `alike`, one of the same profile. */
static bool is_not_offered_before(const struct plan *plan, size_t index, bool alike)
{
    for (size_t i = 0; i < index; i++)
        if (str_equal(plan->not_offered[i].why, plan->not_offered[index].why) &&
            (!alike || plan->not_offered[i].profile == plan->not_offered[index].profile))
            return true;
    return false;
}

/* Lists the profiles and encodings that the target does not offer, by the reason. */
static void not_offered(struct console *console)
{
    const struct plan *plan = console->report->plan;
    if (plan->not_offered_count)
        buf_append_literal(console->out, "\nNot offered by the target, so not asked\n");
    for (size_t i = 0; i < plan->not_offered_count; i++) {
        if (is_not_offered_before(plan, i, false))
            continue;
        struct str why = plan->not_offered[i].why;
        buf_append_literal(console->out, "  ");
        console_text(console, why, 2);
        buf_append_literal(console->out, "\n     ");
        for (size_t k = i; k < plan->not_offered_count; k++)
            if (str_equal(plan->not_offered[k].why, why) && !is_not_offered_before(plan, k, true))
                not_offered_encodings(console, plan->not_offered[k].profile, why);
        buf_append_byte(console->out, '\n');
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
    size_t heading_size = strlen(heading), digits = digits_of(largest);
    return 1 + (int)(heading_size > digits ? heading_size : digits);
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
    int width = name_width(summary) + total_width(summary);
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
        width += has_column(summary, verdict) ? column_width(heading_of(verdict), summary->totals[verdict]) : 0;
    return width;
}

/* A name has a line of its own where the numbers would not fit beside it. */
static void table_name(struct console *console, struct str name)
{
    const struct summary *summary = &console->summary;
    if (table_width(summary) > WRAP_COLUMNS)
        buf_printf(console->out, "%.*s\n%8s", STR_ARG(name), "");
    else
        buf_printf(console->out, "%-*.*s", name_width(summary), STR_ARG(name));
}

static void table_row(struct console *console, struct str name, const size_t *counts)
{
    const struct summary *summary = &console->summary;
    table_name(console, name);
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

static void table(struct console *console)
{
    const struct summary *summary = &console->summary;
    buf_append_byte(console->out, '\n');
    table_name(console, STR("profile"));
    for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
        if (has_column(summary, verdict))
            buf_printf(console->out, "%*s", column_width(heading_of(verdict), summary->totals[verdict]),
                       heading_of(verdict));
    buf_printf(console->out, "%*s\n", total_width(summary), "total");
    for (size_t i = 0; i < summary->profile_count; i++)
        table_row(console, summary->profiles[i].prefix, summary->profiles[i].counts);
    table_row(console, STR("all"), summary->totals);
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
        if (untried_repeats(summary, i))
            continue;
        buf_append_literal(console->out, "  ");
        console_text(console, why, 2);
        buf_append_literal(console->out, "\n     ");
        if (summary->untried[i].left_out) /* the user knows it, and there may be hundreds */
            buf_append_literal(console->out, " (report.json names them)");
        for (size_t k = i; k < summary->untried_count; k++)
            if (!summary->untried[i].left_out && str_equal(summary->untried[k].why, why))
                console_text(console,
                             arena_printf(&console->arena, " %.*s", STR_ARG(summary->untried[k].requirement->key)),
                             LIST_INDENT);
        buf_append_byte(console->out, '\n');
    }
}

/* Appends a paragraph. */
static void tell(struct console *console, struct str text, size_t indent)
{
    console_text(console, text, indent);
    buf_append_byte(console->out, '\n');
}

static void conclusion(struct console *console)
{
    const struct report *report = console->report;
    const struct summary *summary = &console->summary;
    struct arena *arena = &console->arena;
    buf_append_byte(console->out, '\n');
    tell(console,
         arena_printf(arena, "%zu assertions planned, %zu judged, %zu exchanges, %zu jobs, %.1f s",
                      report->plan->assertion_count, run_judged(report->run), report->run->exchanges, report->jobs,
                      report->run->seconds),
         2);
    struct remarks remarks = remarks_on(report, summary, arena);
    for (size_t i = 0; i < remarks.count; i++)
        tell(console, remarks.items[i], 2);
    bool good = report->exit_code == EXIT_CONFORMANT;
    console_paint(console, good ? "1;32" : "1;31");
    buf_printf(console->out, "%s", summary->conclusion);
    console_paint(console, "0");
    if (summary->failing)
        buf_printf(console->out, ": %zu assertion%s failed", summary->failing, summary->failing == 1 ? "" : "s");
    tell(console,
         arena_printf(arena, ", %zu of %zu MUST rows of the asked profiles were tried and hold", summary->must_rows.met,
                      summary->must_rows.asked),
         2);
    if (!summary->failing)
        tell(console, arena_printf(arena, "  (%s: %s)", summary->conclusion, summary->meaning), 2);
    tell(console, arena_printf(arena, "exit code %d: %.*s", report->exit_code, STR_ARG(report->reason)), 2);
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
            console_text(&console, (struct str){report->notes.data + at, size}, 4);
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
