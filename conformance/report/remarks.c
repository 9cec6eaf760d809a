#include "report/remarks.h"

#include "base/search.h"
#include "suite/model_name.h"
#include "support/listing.h"

static void add_remark(struct remarks *remarks, struct str sentence)
{
    if (sentence.size)
        remarks->items[remarks->count++] = sentence;
}

/* Whether a model of the target is known: it has one of the kit, or one that can be probed. */
static bool knows_a_model(const struct plan_target *target)
{
    const struct tree *models = target->discovery.models, *probes = target->discovery.probes;
    return (models && models->first) || (probes && probes->first);
}

/* Returns how far the run could look at values at all. */
static struct str on_values(const struct summary *summary)
{
    const struct report *report = summary->report;
    if (!run_judged(report->run) || summary->values_checked)
        return (struct str){0};
    if (!knows_a_model(report->target))
        return STR("No inference was tried: no model of the target is known. Name yours with --model NAME.");
    const struct tree *of_kit = report->target->discovery.models;
    if (of_kit && of_kit->first)
        return STR("Values were not checked: no inference was judged on a model whose answers the suite knows.");
    return STR("Values were not checked: the suite does not know what the target's models compute, so it checked only "
               "the form of the answers and whether they agree. Host the model kit, or name models that do the same: "
               "--map KIT=THEIRS.");
}

struct str claim_profiles(const struct unjudged_claim *claim, struct arena *arena)
{
    struct listing names = {.arena = arena};
    for (size_t i = 0; i < claim->profile_count; i++)
        listing_add(&names, claim->profiles[i]->name);
    return listing_text(&names);
}

struct str claim_sentence(const struct unjudged_claim *claim, struct arena *arena)
{
    return arena_printf(arena, "the target claims '%.*s', but nothing of it was judged (%.*s): %.*s",
                        STR_ARG(claim->claim), STR_ARG(claim_profiles(claim, arena)), STR_ARG(claim->why));
}

/* Returns which claimed extensions the word says nothing of. */
static struct str on_claims(const struct summary *summary)
{
    struct listing names = {.arena = summary->arena};
    for (size_t i = 0; i < summary->claim_count; i++)
        listing_add(&names, claim_profiles(&summary->claims[i], summary->arena));
    return names.count ? arena_printf(summary->arena, "Claimed, but not judged at all (see the warnings): %.*s.",
                                      STR_ARG(listing_text(&names)))
                       : STR("");
}

static bool is_of_kit(const struct report *report, struct str name)
{
    const struct plan_target *target = report->target;
    return ANY(i, report->suite->model_count,
               str_equal(model_name_mapped(report->suite->models[i].name, &target->flags.map), name));
}

/* Whether models of the kit alone were asked, at least one. */
static bool asked_the_kit_alone(const struct report *report)
{
    const struct tree *probes = report->target->discovery.probes;
    return knows_a_model(report->target) && ALL_IN(probe, tree_first(probes), is_of_kit(report, probe->name));
}

/* Appends "a, b and 7 more (not ready)": models that nobody asked for one reason. */
static struct str add_unasked(struct str all, const struct tree *models, struct arena *arena)
{
    struct listing names = {.arena = arena, .most = 10};
    FOR_EACH_IN(one, models->first)
        listing_add(&names, str_of(str_printable(arena, one->text)));
    return arena_printf(arena, "%.*s%s%.*s (%.*s)", STR_ARG(all), all.size ? "; " : "", STR_ARG(listing_text(&names)),
                        STR_ARG(models->name));
}

/* Returns which models of the target nobody asked, as far as it tells. */
static struct str on_unasked(const struct report *report, struct arena *arena)
{
    const struct tree *unasked = report->target->discovery.unasked;
    struct str all = {0};
    FOR_EACH_IN(why, tree_first(unasked))
        all = add_unasked(all, why, arena);
    if (!unasked && asked_the_kit_alone(report))
        return STR("Only models of the kit were asked: the target does not list its models. --model NAME adds one.");
    return all.size ? arena_printf(arena, "Listed, but not asked: %.*s. --model NAME adds one.", STR_ARG(all)) : all;
}

/* Returns that nothing of the profile is served, and what was answered; empty if that is not so. */
static struct str on_unserved(const struct report *report, const struct profile *profile, struct arena *arena)
{
    const struct result *failed = unserved_by(report, profile->name);
    if (!failed)
        return (struct str){0};
    return arena_printf(arena, "The target claims '%.*s', but serves nothing of %.*s: %.*s.", STR_ARG(profile->claim),
                        STR_ARG(profile->name), STR_ARG(waits_what_came(failed, arena)));
}

#define SILENT 3 /* failures without an answer that have a remark */

/* Returns how many failures had no answer, which have a cause in common; empty if they are few. */
static struct str on_silence(const struct run *run, struct arena *arena)
{
    size_t silent =
        SUM(i, run->result_count,
            result_fails(&run->results[i], false) && run->results[i].unserved && !run->results[i].outcome.size &&
                run->results[i].assertion->requirement->layer != LAYER_TRANSPORT);
    return silent < SILENT
               ? (struct str){0}
               : arena_printf(arena,
                              "%zu assertions failed because no answer came. Often the server's code ended with an "
                              "exception that nothing caught; the server's log may show it.",
                              silent);
}

struct remarks remarks_on(const struct summary *summary)
{
    const struct report *report = summary->report;
    struct arena *arena = summary->arena;
    const struct registry *registry = &report->suite->registry;
    struct remarks remarks = {.items = arena_alloc_zero(arena, 6 + registry->profile_count, sizeof(struct str))};
    add_remark(&remarks, on_values(summary));
    add_remark(&remarks, on_silence(report->run, arena));
    add_remark(&remarks, on_unasked(report, arena));
    add_remark(&remarks, on_claims(summary));
    if (report->edited)
        add_remark(&remarks,
                   arena_printf(arena, "The fixtures in '%s' were played; they differ from those inside the program.",
                                str_printable(arena, report->suite->directory)));
    add_remark(&remarks, flakes_sentence(report->run, &summary->flakes, arena));
    for (size_t i = 0; i < registry->profile_count; i++)
        add_remark(&remarks, on_unserved(report, &registry->profiles[i], arena));
    return remarks;
}

struct str rows_sentence(const struct row_counts *counts, struct arena *arena)
{
    const struct {
        size_t count;
        const char *one, *more;
    } others[] = {{counts->failed, "fails", "fail"},
                  {counts->waived, "is waived", "are waived"},
                  {counts->partly, "holds as far as it was tried", "hold as far as they were tried"},
                  {counts->untried, "was not tried", "were not tried"}};
    struct str text = arena_printf(arena, "%zu of %zu MUST requirements hold", counts->met, counts->asked);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (others[i].count)
            text = arena_printf(arena, "%.*s, %zu %s", STR_ARG(text), others[i].count,
                                others[i].count == 1 ? others[i].one : others[i].more);
    return text;
}

/* --- Findings and rows --- */

/* Returns what stands between the number of findings and that of the MUST requirements that fail, on one side of the
 * transport: " (1 of them not a MUST); 2 more MUST requirements failed with them". */
static struct str beside(const struct summary *summary, bool transport)
{
    const struct findings *failures = &summary->failures;
    struct arena *arena = summary->arena;
    size_t others = 0, rows = 0;
    for (size_t i = 0; i < failures->count; i++) {
        const struct requirement *requirement = failures->items[i].requirement;
        others += (requirement->layer == LAYER_TRANSPORT) == transport && requirement->level != LEVEL_MUST;
    }
    for (size_t i = 0; i < failures->follower_count; i++) {
        const struct requirement *requirement = failures->followers[i].requirement;
        rows += (requirement->layer == LAYER_TRANSPORT) == transport && requirement->level == LEVEL_MUST;
    }
    struct str text = others ? arena_printf(arena, " (%zu of them not a MUST)", others) : STR("");
    return rows ? arena_printf(arena, "%.*s; %zu more MUST requirement%s failed with them", STR_ARG(text), rows,
                               rows == 1 ? "" : "s")
                : text;
}

struct str findings_sentence(const struct summary *summary)
{
    const size_t *counts = summary->failures.layer_count;
    size_t answers = counts[LAYER_ANSWERS], refusals = counts[LAYER_REFUSALS];
    return answers + refusals == 0
               ? (struct str){0}
               : arena_printf(summary->arena, "%zu finding%s: %zu about answers, %zu about refusals%.*s",
                              answers + refusals, answers + refusals == 1 ? "" : "s", answers, refusals,
                              STR_ARG(beside(summary, false)));
}

/* --- The transport --- */

static bool fails_in(const struct findings *failures, struct str name)
{
    return ANY(i, failures->count,
               failures->items[i].requirement->layer == LAYER_TRANSPORT &&
                   str_equal(failures->items[i].requirement->under, name));
}

/* Returns "http, http2 and grpc": the texts that were judged, or, if some fail, those. */
static struct str texts_named(const struct summary *summary)
{
    const struct findings *failures = &summary->failures;
    struct arena *arena = summary->arena;
    bool some_fail = failures->layer_count[LAYER_TRANSPORT] > 0;
    struct str text = {0}, last = {0};
    FOR_EACH(counts, summary->names, summary->name_count) {
        if (!counts->is_text || !counts->must.asked || (some_fail && !fails_in(failures, counts->name)))
            continue;
        if (last.size)
            text = arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), text.size ? ", " : "", STR_ARG(last));
        last = counts->name;
    }
    return arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), text.size ? " and " : "", STR_ARG(last));
}

struct str transport_conclusion(const struct summary *summary)
{
    struct arena *arena = summary->arena;
    size_t count = summary->failures.layer_count[LAYER_TRANSPORT];
    const struct row_counts *rows = &summary->transport;
    if (!rows->asked || rows->untried == rows->asked)
        return (struct str){0};
    struct str texts = texts_named(summary);
    if (!count)
        return arena_printf(arena, "transport: no finding in %.*s; %.*s", STR_ARG(texts),
                            STR_ARG(rows_sentence(rows, arena)));
    return arena_printf(arena, "transport: %zu finding%s in %.*s%.*s%s", count, count == 1 ? "" : "s", STR_ARG(texts),
                        STR_ARG(beside(summary, true)),
                        summary->report->demands.layers[LAYER_TRANSPORT]
                            ? ""
                            : "; a library often causes them, but an application can fix many of them; --transport "
                              "must makes them count (--all lists them)");
}
