/* What was not judged, and why; and what is left open. On a screen each list is short: --all shows it whole. */
#include "report/console.h"

#include "base/search.h"

#define FEW          5   /* reasons, lines and models of a list without --all */
#define NOTES        3   /* lines of what discovery noticed without --all */
#define NAMES        8   /* models of a reason without --all */
#define REASON       300 /* bytes of a reason */
#define LIST_INDENT  6   /* columns before what a reason holds for */
#define ATLAS_INDENT 6   /* columns before further observations of a row */

/* How many of a list are shown. */
static size_t limit(const struct console *console, size_t few)
{
    return console->report->all ? SIZE_MAX : few;
}

static void more(struct console *console, size_t total, size_t few, const char *what)
{
    if (total > limit(console, few))
        buf_printf(console->out, "         and %zu more %s%s (--all)\n", total - few, what,
                   total - few == 1 ? "" : "s");
}

static struct str shortened(struct str text, struct arena *arena)
{
    return text.size > REASON ? arena_printf(arena, "%.*s...", REASON, text.data) : text;
}

/* Appends a number and a reason. */
static void counted(struct console *console, size_t count, struct str reason)
{
    buf_printf(console->out, "  %5zu  ", count);
    console_paragraph(console, shortened(reason, console->arena), 9);
}

/* --- Blocked --- */

/* Tells for which failures blocked assertions wait, and how many for each. */
static void blocked(struct console *console)
{
    const struct waits *waits = &console->summary->waits;
    struct arena *arena = console->arena;
    if (!waits->root_count)
        return;
    buf_append_literal(console->out, "\nBlocked, because something else did not pass\n");
    for (size_t i = 0; i < waits->root_count && i < limit(console, FEW); i++) {
        const struct result *result = waits->roots[i].result;
        counted(console, waits->roots[i].waiting,
                arena_printf(arena, "%.*s (%.*s)", STR_ARG(waits_what_came(result, arena)),
                             STR_ARG(result->assertion->requirement->key)));
    }
    more(console, waits->root_count, FEW, "cause");
}

/* --- Other reasons --- */

/* Appends the models of the kit that the target lacks, with the number of all that cannot be judged without them. */
static void models_that_miss(struct console *console)
{
    const struct run *run = console->report->run;
    struct str *models = arena_alloc_zero(console->arena, run->result_count + 1, sizeof(*models));
    size_t count = 0, model_count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        struct str model = missing_model(console->report, &run->results[i]);
        if (run->results[i].verdict != VERDICT_NOT_APPLICABLE || !model.size)
            continue;
        if (!ANY(k, model_count, str_equal(models[k], model)))
            models[model_count++] = model;
        count++;
    }
    if (!count)
        return;
    struct str names = STR("models of the kit are not hosted:");
    for (size_t k = 0; k < model_count && k < limit(console, NAMES); k++)
        names = arena_printf(console->arena, "%.*s %.*s", STR_ARG(names), STR_ARG(models[k]));
    if (model_count > limit(console, NAMES))
        names = arena_printf(console->arena, "%.*s and %zu more", STR_ARG(names), model_count - NAMES);
    buf_printf(console->out, "  %5zu  ", count);
    console_paragraph(console, names, 9);
}

/* Reasons of one verdict, each once with its number. */
struct reasons {
    size_t *first; /* index of a result that has it */
    size_t *count;
    size_t distinct;
};

static struct reasons reasons_of(struct console *console, enum verdict verdict)
{
    const struct run *run = console->report->run;
    struct reasons reasons = {arena_alloc_zero(console->arena, run->result_count + 1, sizeof(size_t)),
                              arena_alloc_zero(console->arena, run->result_count + 1, sizeof(size_t)), 0};
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        if (result->verdict != verdict || missing_model(console->report, result).size ||
            waits_root(&console->summary->waits, result))
            continue;
        size_t k = 0;
        while (k < reasons.distinct && !str_equal(run->results[reasons.first[k]].why, result->why))
            k++;
        if (k == reasons.distinct)
            reasons.first[reasons.distinct++] = i;
        reasons.count[k]++;
    }
    return reasons;
}

/* Returns the reason that most have and that was not told yet; `distinct` if all were. */
static size_t commonest(const struct reasons *reasons)
{
    size_t best = reasons->distinct;
    for (size_t k = 0; k < reasons->distinct; k++)
        if (reasons->count[k] && (best == reasons->distinct || reasons->count[k] > reasons->count[best]))
            best = k;
    return best;
}

static void list(struct console *console, enum verdict verdict, const char *heading)
{
    const struct run *run = console->report->run;
    struct reasons reasons = reasons_of(console, verdict);
    bool misses = verdict == VERDICT_NOT_APPLICABLE;
    size_t next;
    if (!reasons.distinct && !misses)
        return;
    if (!console->summary->totals[verdict])
        return;
    buf_printf(console->out, "\n%s\n", heading);
    if (misses)
        models_that_miss(console);
    for (size_t told = 0; told < limit(console, FEW) && (next = commonest(&reasons)) < reasons.distinct; told++) {
        counted(console, reasons.count[next], run->results[reasons.first[next]].why);
        reasons.count[next] = 0;
    }
    more(console, reasons.distinct, FEW, "reason");
}

/* --- Not offered --- */

/* Lists the profiles and encodings that the target does not offer, by the reason. */
static void not_offered(struct console *console)
{
    const struct summary *summary = console->summary;
    if (summary->unoffered_count)
        buf_append_literal(console->out, "\nNot asked, because the target does not offer it\n");
    for (size_t i = 0; i < summary->unoffered_count; i++) {
        struct str why = summary->unoffered[i].why;
        if (ANY(k, i, str_equal(summary->unoffered[k].why, why)))
            continue;
        buf_append_literal(console->out, "  ");
        console_text(console, why, 2);
        buf_append_literal(console->out, "\n     ");
        for (size_t k = i; k < summary->unoffered_count; k++)
            if (str_equal(summary->unoffered[k].why, why))
                console_text(console,
                             arena_printf(console->arena, " %.*s (%.*s)", STR_ARG(summary->unoffered[k].profile->name),
                                          STR_ARG(listing_text(&summary->unoffered[k].encodings))),
                             LIST_INDENT);
        buf_append_byte(console->out, '\n');
    }
}

/* --- Rows --- */

/* Lists the MUST requirements of one reason. */
static void rows_of_reason(struct console *console, const struct reason *reason)
{
    const struct summary *summary = console->summary;
    buf_append_literal(console->out, "        ");
    for (size_t i = 0; i < summary->untried_count; i++)
        if (str_equal(summary->untried[i].why, reason->first->why))
            console_text(console, arena_printf(console->arena, " %.*s", STR_ARG(summary->untried[i].requirement->key)),
                         9);
    buf_append_byte(console->out, '\n');
}

/* Tells in one line which models of the kit are missing for how many rows. */
static void rows_without_model(struct console *console)
{
    struct str models = {0};
    size_t count = 0;
    FOR_EACH(reason, console->summary->reasons, console->summary->reason_count) {
        if (!reason->first->model.size)
            continue;
        count += reason->count;
        models = arena_printf(console->arena, "%.*s %.*s", STR_ARG(models), STR_ARG(reason->first->model));
    }
    if (count)
        counted(console, count,
                arena_printf(console->arena,
                             "models of the kit are not hosted (host them, or name models that do the same: --map "
                             "KIT=NAME):%.*s",
                             STR_ARG(models)));
}

/* Lists the MUST requirements that were not tried, by the reason. */
static void untried(struct console *console)
{
    const struct summary *summary = console->summary;
    bool all = console->report->all;
    size_t reasons = 0;
    if (!summary->untried_count || !run_judged(console->report->run))
        return;
    buf_printf(console->out, "\n%zu of %zu MUST requirements %s not tried\n", summary->untried_count,
               summary->must_rows.asked, summary->untried_count == 1 ? "was" : "were");
    if (!all)
        rows_without_model(console);
    FOR_EACH(reason, summary->reasons, summary->reason_count) {
        if ((reason->first->model.size && !all) || reasons++ >= limit(console, FEW))
            continue;
        counted(console, reason->count, reason->first->why);
        if (all && !reason->first->left_out) /* the user knows it, and there may be hundreds */
            rows_of_reason(console, reason);
    }
    more(console, reasons, FEW, "reason");
}

/* --- What was seen --- */

static void atlas(struct console *console)
{
    const struct summary *summary = console->summary;
    if (!console->report->all)
        return;
    if (summary->atlas_count)
        buf_append_literal(console->out, "\nWhat the documents leave open, and what was seen\n");
    for (size_t i = 0; i < summary->atlas_count; i++) {
        const struct sighting *sighting = &summary->atlas[i];
        bool again = i > 0 && summary->atlas[i - 1].requirement == sighting->requirement;
        if (!again)
            buf_printf(console->out, "%s  %-32.*s", i ? "\n" : "", STR_ARG(sighting->requirement->key));
        console_text(
            console,
            arena_printf(console->arena, "%s %.*s (%zu)", again ? "," : "", STR_ARG(sighting->name), sighting->count),
            ATLAS_INDENT);
    }
    if (summary->atlas_count)
        buf_append_byte(console->out, '\n');
}

static void notes(struct console *console)
{
    const struct report *report = console->report;
    struct str left = report->notes;
    size_t total = 0;
    if (report->all)
        left = arena_printf(console->arena, "%.*s%.*s", STR_ARG(report->notes), STR_ARG(report->requests));
    if (left.size)
        buf_append_literal(console->out, "\nNoticed during discovery\n");
    while (left.size) {
        struct str line = str_take(&left, '\n');
        if (total++ < limit(console, NOTES)) {
            buf_append_literal(console->out, "  ");
            console_paragraph(console, shortened(line, console->arena), 4);
        }
    }
    more(console, total, NOTES, "line");
}

void console_reasons(struct console *console)
{
    notes(console);
    list(console, VERDICT_WAIVED, "Waived");
    blocked(console);
    list(console, VERDICT_BLOCKED, "Blocked");
    if (console->report->all) {
        list(console, VERDICT_NOT_APPLICABLE, "Not applicable");
        not_offered(console);
    }
    untried(console);
    atlas(console);
}
