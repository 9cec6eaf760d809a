#include "report/remarks.h"

static void add(struct remarks *remarks, struct str sentence)
{
    if (sentence.size)
        remarks->items[remarks->count++] = sentence;
}

/* Whether a model of the target is known: it has one of the kit, or one that can be probed. */
static bool knows_a_model(const struct plan_target *target)
{
    const struct tree *models = tree_member(target->found, "models"), *probes = tree_member(target->found, "probes");
    return (models && models->first) || (probes && probes->first);
}

/* Returns how far the run could look at values at all. */
static struct str on_values(const struct report *report, const struct summary *summary)
{
    if (!run_judged(report->run) || summary->values_checked)
        return (struct str){0};
    if (!knows_a_model(report->target))
        return STR("No inference was tried: no model of the target is known. Name yours by --model NAME.");
    return STR("Values were not checked: no model was asked of which the suite knows what it computes, only form and "
               "agreement of the answers were. Host the model kit, or name models that do the same: --map KIT=THEIRS.");
}

/* Returns how the failures are left out that a library or a proxy in front of the server may be the cause of. */
static struct str on_failures_below(const struct summary *summary, struct arena *arena)
{
    struct str flags = {0};
    size_t failing = 0;
    for (size_t i = 0; i < summary->profile_count; i++) {
        const struct profile_counts *text = &summary->profiles[i];
        if (!text->is_text || !text->failing)
            continue;
        failing += text->failing;
        flags = arena_printf(arena, "%.*s --skip '%.*s.*'", STR_ARG(flags), STR_ARG(text->prefix));
    }
    if (!failing)
        return flags;
    return arena_printf(arena,
                        "%zu of %zu failures are about what the profiles build on, which a library or a proxy often "
                        "decides for the server. To leave it out:%.*s",
                        failing, summary->failing, STR_ARG(flags));
}

struct remarks remarks_on(const struct report *report, const struct summary *summary, struct arena *arena)
{
    struct remarks remarks = {.items = arena_alloc_zero(arena, summary->text_count + 2, sizeof(struct str))};
    add(&remarks, on_values(report, summary));
    for (size_t i = 0; i < summary->text_count; i++)
        add(&remarks,
            arena_printf(arena,
                         "%.*s: %zu of %zu MUST rows were tried and hold (what the profiles build on is counted apart)",
                         STR_ARG(summary->texts[i].prefix), summary->texts[i].rows.met, summary->texts[i].rows.asked));
    add(&remarks, on_failures_below(summary, arena));
    return remarks;
}
