#include "report/summary.h"

#include "support/exit_code.h"

#include <stdlib.h>

static struct profile_counts *counts_of(struct summary *summary, struct str prefix)
{
    for (size_t i = 0; i < summary->profile_count; i++)
        if (str_equal(summary->profiles[i].prefix, prefix))
            return &summary->profiles[i];
    struct profile_counts *counts = &summary->profiles[summary->profile_count++];
    counts->prefix = prefix;
    return counts;
}

static int by_prefix(const void *a, const void *b)
{
    return str_compare(((const struct profile_counts *)a)->prefix, ((const struct profile_counts *)b)->prefix);
}

static int by_key_and_name(const void *a, const void *b)
{
    const struct sighting *left = a, *right = b;
    int order = str_compare(left->requirement->key, right->requirement->key);
    return order ? order : str_compare(left->name, right->name);
}

static void sight(struct summary *summary, const struct result *result)
{
    for (size_t i = 0; i < summary->atlas_count; i++) {
        struct sighting *sighting = &summary->atlas[i];
        if (sighting->requirement == result->assertion->requirement && str_equal(sighting->name, result->observed)) {
            sighting->count++;
            return;
        }
    }
    summary->atlas[summary->atlas_count++] =
        (struct sighting){.requirement = result->assertion->requirement, .name = result->observed, .count = 1};
}

/* Whether an answer of a model of the kit was judged: only of these the suite knows what they compute. */
static bool checks_values(const struct result *result)
{
    const struct play *play = result->assertion->play;
    return play->group->kit_model.size && tree_member(play->act, "infer") && verdict_is_judged(result->verdict);
}

/* What the word means that concludes a run. */
static const struct {
    const char *conclusion, *meaning;
} meanings[] = {
    {"certified", "no MUST failed, and every MUST row of the asked profiles was tried"},
    {"conformant", "no MUST failed; it would be certified if the other MUST rows had been tried too"},
    {"waived", "no MUST failed but where a waiver excuses it; without the waivers it would not be conformant"},
    {"partial",
     "no MUST failed in the part of the suite that was chosen or had time, which says nothing about the rest"},
    {"not conformant", "a MUST failed"},
    {"not judged", "the run did not reach a judgement"},
};

static const char *meaning_of(const char *conclusion)
{
    size_t i = 0;
    while (strcmp(meanings[i].conclusion, conclusion) != 0)
        i++;
    return meanings[i].meaning;
}

/* Whether the user left out a profile that the target would be asked for without --profile. */
static bool leaves_out_a_profile(const struct report *report, struct arena *arena)
{
    const struct registry *registry = &report->suite->registry;
    struct plan_target whole = *report->target;
    whole.profile_count = 0;
    for (size_t i = 0; i < registry->profile_count; i++)
        if (profile_not_asked(report->target, &registry->profiles[i], arena).size &&
            !profile_not_asked(&whole, &registry->profiles[i], arena).size)
            return true;
    return false;
}

/* The run of a part of the suite cannot say that the target conforms. */
static const char *conclusion_of(const struct report *report, const struct summary *summary, struct arena *arena)
{
    if (summary->failing)
        return "not conformant";
    if (report->exit_code == EXIT_TIME_LIMIT && summary->totals[VERDICT_PASS])
        return "partial";
    if (report->exit_code != EXIT_CONFORMANT && report->exit_code != EXIT_WAIVER && !report->fell_short)
        return "not judged";
    if (summary->totals[VERDICT_DISABLED] || leaves_out_a_profile(report, arena))
        return "partial";
    if (summary->totals[VERDICT_WAIVED])
        return "waived";
    return summary->must_rows.asked && summary->must_rows.met == summary->must_rows.asked ? "certified" : "conformant";
}

struct summary summarize(const struct report *report, struct arena *arena)
{
    const struct run *run = report->run;
    struct summary summary = {
        .profiles = arena_alloc_zero(arena, run->result_count + 1, sizeof(*summary.profiles)),
        .atlas = arena_alloc_zero(arena, run->result_count + 1, sizeof(*summary.atlas)),
    };
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        struct profile_counts *counts = counts_of(&summary, result->assertion->requirement->prefix);
        counts->counts[result->verdict]++;
        counts->is_text = registry_is_text(&report->suite->registry, counts->prefix);
        counts->failing += result_fails(result, report->strict);
        counts->seconds += result->seconds;
        summary.totals[result->verdict]++;
        summary.failing += result_fails(result, report->strict);
        summary.values_checked = summary.values_checked || checks_values(result);
        if (result->observed.size && verdict_is_judged(result->verdict))
            sight(&summary, result);
    }
    qsort(summary.profiles, summary.profile_count, sizeof(*summary.profiles), by_prefix);
    qsort(summary.atlas, summary.atlas_count, sizeof(*summary.atlas), by_key_and_name);
    count_must_rows(report, &summary, arena);
    summary.conclusion = conclusion_of(report, &summary, arena);
    summary.meaning = meaning_of(summary.conclusion);
    return summary;
}
