#include "report/headline.h"

#include "base/search.h"
#include "report/remarks.h"
#include "support/listing.h"
#include "support/utc.h"

/* --- What to do next --- */

/* Each of the choices returns what is to be done, or an empty sentence if there is nothing of its kind. */

/* Whether the first finding is about the documents, or about the transport where that makes the run fail. What
 * --accept excuses is due all the same. */
static bool is_first_due(const struct summary *summary)
{
    const struct finding *first = summary->failures.items;
    return summary->failures.count &&
           (first->requirement->layer != LAYER_TRANSPORT || summary->report->demands.layers[LAYER_TRANSPORT]);
}

/* What most assertions wait for comes first, unless the first finding has more cases. */
static struct next mend_the_root(const struct summary *summary)
{
    const struct root *root = summary->waits.roots;
    if (!summary->waits.root_count || (is_first_due(summary) && summary->failures.items[0].count > root->waiting))
        return (struct next){0};
    return (struct next){arena_printf(summary->arena, "%.*s (%.*s), and %zu assertion%s for it",
                                      STR_ARG(waits_what_came(root->result, summary->arena)),
                                      STR_ARG(root->result->assertion->requirement->key), root->waiting,
                                      root->waiting == 1 ? " waits" : "s wait"),
                         root->result->command};
}

static struct next mend_the_first(const struct summary *summary)
{
    const struct finding *first = summary->failures.items;
    if (!is_first_due(summary))
        return (struct next){0};
    return (struct next){
        arena_printf(summary->arena, "%.*s: %.*s", STR_ARG(first->requirement->key), STR_ARG(first->requirement->says)),
        first->witness->command};
}

/* Returns the reason for which most MUST requirements were not tried, and counts them; NULL if all were, or the user
 * left them out. Models of the kit that are not hosted are one reason. */
static const struct reason *commonest(const struct summary *summary, size_t *count)
{
    const struct reason *reasons = summary->reasons, *best = NULL;
    size_t without_model = SUM(i, summary->reason_count, reasons[i].first->model.size ? reasons[i].count : 0);
    *count = 0;
    for (size_t i = 0; i < summary->reason_count; i++) {
        size_t rows = reasons[i].first->model.size ? without_model : reasons[i].count;
        if (rows > *count && !reasons[i].first->left_out) {
            *count = rows;
            best = &reasons[i];
        }
    }
    return best;
}

/* Returns the names of the models without which rows were not tried. */
static struct str missing_models(const struct summary *summary)
{
    struct listing names = {.arena = summary->arena};
    for (size_t i = 0; i < summary->reason_count; i++)
        if (summary->reasons[i].first->model.size)
            listing_add(&names, summary->reasons[i].first->model);
    return listing_text(&names);
}

static struct next let_more_be_tried(const struct summary *summary)
{
    struct arena *arena = summary->arena;
    size_t count;
    const struct reason *reason = commonest(summary, &count);
    if (!reason)
        return (struct next){0};
    struct str why = reason->first->why;
    if (reason->first->model.size)
        why = arena_printf(
            arena, "models of the kit are not hosted (%.*s; --map KIT=NAME names one of yours that does the same)",
            STR_ARG(missing_models(summary)));
    return (struct next){.sentence = arena_printf(arena, "%zu MUST requirement%s not tried: %.*s", count,
                                                  count == 1 ? " was" : "s were", STR_ARG(why))};
}

static struct next look_at_the_transport(const struct summary *summary)
{
    const struct finding *first = summary->failures.items;
    if (!summary->failures.count)
        return (struct next){0};
    return (struct next){arena_printf(summary->arena, "the documents demand nothing more; of the transport, %.*s: %.*s",
                                      STR_ARG(first->requirement->key), STR_ARG(first->requirement->says)),
                         first->witness->command};
}

/* Returns that nothing could be judged, and why the first assertion could not. */
static struct next let_something_be_tried(const struct summary *summary)
{
    const struct run *run = summary->report->run;
    struct str why = FIRST(i, run->result_count, run->results[i].verdict != VERDICT_DISABLED, run->results[i].why,
                           STR("everything was left out"));
    if (run_judged(run))
        return (struct next){0};
    return (struct next){
        .sentence = arena_printf(summary->arena, "nothing that was chosen could be judged: %.*s", STR_ARG(why))};
}

/* Returns that nothing is left to do, or of which part of the rows alone that is said. */
static struct next nothing_left(const struct summary *summary)
{
    const struct row_counts *rows = &summary->must_rows;
    return (struct next){
        .sentence =
            rows->met == rows->asked
                ? STR("nothing is left to do: every MUST requirement that was asked for was tried and holds")
                : arena_printf(summary->arena, "nothing is left to do in the part of the suite that was chosen: %.*s",
                               STR_ARG(rows_sentence(rows, summary->arena)))};
}

struct next next_of(const struct summary *summary)
{
    static struct next (*const choices[])(const struct summary *summary) = {
        mend_the_root, mend_the_first, let_more_be_tried, look_at_the_transport, let_something_be_tried, nothing_left};
    struct next next = {0};
    for (size_t i = 0; i < COUNT_OF(choices) && !next.sentence.size; i++)
        next = choices[i](summary);
    return next;
}

struct str number_text(size_t number, struct arena *arena)
{
    return number < 1000 ? arena_printf(arena, "%zu", number)
                         : arena_printf(arena, "%.*s,%03zu", STR_ARG(number_text(number / 1000, arena)), number % 1000);
}

static const char *capitalized(const char *words, struct arena *arena)
{
    return arena_printf(arena, "%c%s", words[0] - 'a' + 'A', words + 1).data;
}

/* Returns that nearly everything waits for something else, and for what most does; empty if it does not. */
static struct str on_blocked(const struct summary *summary)
{
    struct arena *arena = summary->arena;
    size_t blocked = summary->totals[VERDICT_BLOCKED], judged = run_judged(summary->report->run);
    const struct root *root = summary->waits.roots;
    if (blocked <= judged)
        return (struct str){0};
    struct str text = arena_printf(
        arena, " Nearly everything was blocked: %.*s assertions wait for others, %.*s %s judged.",
        STR_ARG(number_text(blocked, arena)), STR_ARG(number_text(judged, arena)), judged == 1 ? "was" : "were");
    return !summary->waits.root_count ? text
                                      : arena_printf(arena, "%.*s Most of them wait for one: %.*s.", STR_ARG(text),
                                                     STR_ARG(waits_what_came(root->result, arena)));
}

static struct str sentences_of(const struct summary *summary)
{
    struct arena *arena = summary->arena;
    struct str text = arena_printf(arena, "%s.", capitalized(conclusion_meaning(summary->conclusion), arena)),
               findings = findings_sentence(summary);
    if (findings.size)
        text = arena_printf(arena, "%.*s %.*s.", STR_ARG(text), STR_ARG(findings));
    return arena_printf(arena, "%.*s %.*s.%.*s", STR_ARG(text), STR_ARG(rows_sentence(&summary->must_rows, arena)),
                        STR_ARG(on_blocked(summary)));
}

struct headline headline_of(const struct summary *summary)
{
    const struct report *report = summary->report;
    struct arena *arena = summary->arena;
    return (struct headline){
        .look = look_of(summary->conclusion),
        .words = capitalized(conclusion_name(summary->conclusion), arena),
        .sentences = sentences_of(summary),
        .transport = transport_conclusion(summary),
        .next = next_of(summary).sentence,
        .server = arena_printf(arena, "%s%s%s", str_printable(arena, report->server_name),
                               report->server_name.size && report->server_version.size ? " " : "",
                               str_printable(arena, report->server_version)),
        .when = utc_text(report->started, "%Y-%m-%d %H:%M:%S UTC", arena),
    };
}
