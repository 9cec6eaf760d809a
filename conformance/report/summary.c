#include "report/summary.h"

#include "base/search.h"
#include "support/exit_code.h"

static struct name_counts *counts_of(struct summary *summary, const struct requirement *requirement)
{
    struct name_counts *counts =
        FIND(summary->names, i, summary->name_count, str_equal(summary->names[i].name, requirement->under));
    if (!counts) {
        counts = &summary->names[summary->name_count++];
        counts->name = requirement->under;
        counts->is_text = requirement->layer == LAYER_TRANSPORT;
    }
    return counts;
}

static int profiles_first(const void *a, const void *b)
{
    const struct name_counts *left = a, *right = b;
    return left->is_text != right->is_text ? left->is_text - right->is_text : str_compare(left->name, right->name);
}

static int by_key_and_name(const void *a, const void *b)
{
    const struct sighting *left = a, *right = b;
    int order = str_compare(left->requirement->key, right->requirement->key);
    return order ? order : str_compare(left->name, right->name);
}

static void sight(struct summary *summary, const struct result *result)
{
    const struct requirement *requirement = result->assertion->requirement;
    struct sighting *atlas = summary->atlas;
    struct sighting *sighting = FIND(atlas, i, summary->atlas_count,
                                     atlas[i].requirement == requirement && str_equal(atlas[i].name, result->observed));
    if (!sighting) {
        sighting = &atlas[summary->atlas_count++];
        *sighting = (struct sighting){.requirement = requirement, .name = result->observed};
    }
    sighting->count++;
}

/* Whether the result is about an answer of a model with known values: a model of the kit, or one whose example has an
 * `answer`. */
static bool checks_values(const struct result *result)
{
    const struct play *play = result->assertion->play;
    const struct tree *answer = tree_member(play->group->probe, "answer");
    bool is_known = play->group->kit_model.size || (answer && answer->type == TREE_ARRAY);
    return is_known && tree_member(play->act, "infer") && verdict_is_judged(result->verdict);
}

/* --- Rows --- */

static void count_row(struct row_counts *counts, enum standing standing)
{
    counts->asked++;
    counts->met += standing == STANDING_MET;
    counts->partly += standing == STANDING_PARTLY;
    counts->failed += standing == STANDING_FAILED || standing == STANDING_WARNED;
    counts->waived += standing == STANDING_WAIVED;
    counts->untried += standing == STANDING_UNTRIED;
}

static void count_rows(struct summary *summary)
{
    FOR_EACH(row, summary->rows.items, summary->rows.count) {
        if (!row->counts || row->requirement->level != LEVEL_MUST)
            continue;
        count_row(row_is_below(row) ? &summary->transport : &summary->must_rows, row->standing);
        count_row(&counts_of(summary, row->requirement)->must, row->standing);
    }
}

/* --- What is not offered --- */

static void find_unoffered(struct summary *summary)
{
    const struct plan *plan = summary->report->plan;
    summary->unoffered = arena_alloc_zero(summary->arena, plan->not_offered_count + 1, sizeof *summary->unoffered);
    FOR_EACH(row, plan->not_offered, plan->not_offered_count) {
        struct unoffered *all = summary->unoffered;
        struct unoffered *one =
            FIND(all, k, summary->unoffered_count, all[k].profile == row->profile && str_equal(all[k].why, row->why));
        if (!one) {
            one = &all[summary->unoffered_count++];
            *one = (struct unoffered){row->profile, row->why, {.arena = summary->arena}};
        }
        listing_add(&one->encodings, row->encoding->name);
    }
}

/* --- The conclusion --- */

/* Whether --profile leaves out a profile that would otherwise be asked for. */
static bool leaves_out_a_profile(const struct report *report, struct arena *arena)
{
    const struct registry *registry = &report->suite->registry;
    struct plan_target whole = *report->target;
    whole.selected.profiles.count = 0;
    return ANY(i, registry->profile_count,
               profile_not_asked(report->target, &registry->profiles[i], arena).size &&
                   !profile_not_asked(&whole, &registry->profiles[i], arena).size);
}

static enum conclusion conclusion_of_name(const struct name_counts *counts, bool ended)
{
    struct conclusion_basis basis = {.judged = judged_of(counts->counts),
                                     .whole = ended && !counts->counts[VERDICT_DISABLED],
                                     .waived = counts->counts[VERDICT_WAIVED] > 0,
                                     .must = counts->must};
    memcpy(basis.broken, counts->broken, sizeof basis.broken);
    return conclusion_of(&basis);
}

/* Returns the conclusion of the run, over all its profiles. If the run did not come to its end, or no inference ran,
 * there is a conclusion only if something is broken. */
static enum conclusion conclusion_of_run(const struct summary *summary)
{
    const struct report *report = summary->report;
    struct conclusion_basis basis = {.must = summary->must_rows};
    FOR_EACH(counts, summary->names, summary->name_count) {
        basis.judged += counts->is_text ? 0 : judged_of(counts->counts);
        basis.waived |= !counts->is_text && counts->counts[VERDICT_WAIVED];
    }
    memcpy(basis.broken, summary->broken, sizeof basis.broken);
    basis.whole = report->ended && !summary->totals[VERDICT_DISABLED] && !leaves_out_a_profile(report, summary->arena);
    bool broken = basis.broken[LAYER_ANSWERS] || basis.broken[LAYER_REFUSALS];
    if (!broken && !report->ended && report->exit_code != EXIT_TIME_LIMIT)
        return CONCLUSION_NOT_JUDGED;
    return conclusion_of(&basis);
}

/* --- The whole run --- */

static void count_result(struct summary *summary, const struct result *result)
{
    const struct requirement *requirement = result->assertion->requirement;
    struct name_counts *counts = counts_of(summary, requirement);
    bool broken = result_fails(result, summary->report->demands.strict);
    counts->broken[requirement->layer] += broken;
    summary->broken[requirement->layer] += broken;
    summary->values_checked = summary->values_checked || checks_values(result);
    if (result->replay) {
        summary->replays++;
        return;
    }
    counts->counts[result->verdict]++;
    summary->totals[result->verdict]++;
    if (result->observed.size && verdict_is_judged(result->verdict))
        sight(summary, result);
}

struct summary summarize(const struct report *report, struct arena *arena)
{
    const struct run *run = report->run;
    size_t most = run->result_count + report->suite->ledger.count + 1;
    struct summary summary = {
        .report = report,
        .arena = arena,
        .failures = findings_of(report, FINDING_FAILURE, arena),
        .warnings = findings_of(report, FINDING_WARNING, arena),
        .waived = findings_of(report, FINDING_WAIVED, arena),
        .flakes = flakes_of(run, arena),
        .rows = rows_of(report, arena),
        .waits = waits_of(report, arena),
        .names = arena_alloc_zero(arena, most, sizeof(*summary.names)),
        .atlas = arena_alloc_zero(arena, run->result_count + 1, sizeof(*summary.atlas)),
    };
    for (size_t i = 0; i < run->result_count; i++)
        count_result(&summary, &run->results[i]);
    count_rows(&summary);
    array_sort(summary.names, summary.name_count, profiles_first);
    array_sort(summary.atlas, summary.atlas_count, by_key_and_name);
    for (size_t i = 0; i < summary.name_count; i++)
        summary.names[i].conclusion = conclusion_of_name(&summary.names[i], report->ended);
    find_unoffered(&summary);
    find_untried(&summary);
    find_unjudged_claims(&summary);
    summary.conclusion = conclusion_of_run(&summary);
    return summary;
}
