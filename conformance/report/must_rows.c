/* Which MUST rows of the ledger a run has tried, and why it has not tried the others. */
#include "report/summary.h"

/* Whether the row can fail a server. */
static bool is_must(const struct requirement *row)
{
    return row->level == LEVEL_MUST && str_is(row->binds, "server") && str_is(row->status, "tested");
}

static bool profile_is_asked(const struct report *report, const struct profile *profile, struct arena *arena)
{
    return !profile_not_asked(report->target, profile, arena).size;
}

/* Whether an asked profile builds on the text with that prefix. */
static bool text_is_asked(const struct report *report, struct str prefix, struct arena *arena)
{
    const struct registry *registry = &report->suite->registry;
    bool binds = false;
    for (size_t i = 0; i < registry->profile_count && registry_is_text(registry, prefix); i++)
        binds = binds || (registry_binds(registry, prefix, &registry->profiles[i]) &&
                          profile_is_asked(report, &registry->profiles[i], arena));
    return binds;
}

bool prefix_is_asked(const struct report *report, struct str prefix, struct arena *arena)
{
    const struct profile *profile = registry_profile(&report->suite->registry, prefix);
    return profile ? profile_is_asked(report, profile, arena) : text_is_asked(report, prefix, arena);
}

struct str missing_model(const struct report *report, const struct result *result)
{
    const struct play *play = result->assertion->play;
    struct str model = play->group->kit_model;
    const struct tree *hosted = tree_member(report->target->found, "models");
    bool misses = play->not_applicable.size && !play->state.size && model.size && !tree_member_str(hosted, model);
    return misses ? model : (struct str){0};
}

/* How easily the user can remove a reason. */
enum ease { NO_EASE, A_STATE_OR_MODEL_OF_OURS, A_MODEL_OF_THE_KIT, A_FLAG };

/* Returns why an assertion was not judged, and what would help. */
static struct str hindrance(const struct report *report, const struct result *result, struct arena *arena,
                            enum ease *ease)
{
    struct str model = missing_model(report, result);
    const struct suite_model *known = model.size ? suite_model(report->suite, model) : NULL;
    bool names_flag = memmem(result->why.data, result->why.size, "--", 2) != NULL;
    *ease = known && str_is(known->repository, "kit")                 ? A_MODEL_OF_THE_KIT
            : model.size || result->assertion->play->state.size       ? A_STATE_OR_MODEL_OF_OURS
            : result->verdict == VERDICT_NOT_APPLICABLE && names_flag ? A_FLAG
                                                                      : NO_EASE;
    if (!model.size)
        return result->why;
    return arena_printf(arena,
                        "model '%.*s' (fixtures, %.*s) is not hosted; host it, or one that does the same: --map "
                        "%.*s=NAME",
                        STR_ARG(model), known ? (int)known->repository.size : 0, known ? known->repository.data : "",
                        STR_ARG(model));
}

static bool is_told_already(const struct summary *summary, struct str why)
{
    for (size_t i = 0; i < summary->untried_count; i++)
        if (str_equal(summary->untried[i].why, why))
            return true;
    return false;
}

bool untried_repeats(const struct summary *summary, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (str_equal(summary->untried[i].why, summary->untried[index].why))
            return true;
    return false;
}

/* Returns why the row was not tried. Of several reasons, the one that is removed most easily is best, then one that
 * other rows have too. */
static struct untried why_untried(const struct report *report, const struct summary *summary,
                                  const struct requirement *row, struct arena *arena)
{
    struct untried best = {.requirement = row};
    enum ease best_ease = NO_EASE;
    bool best_is_told = false;
    for (size_t i = 0; i < report->run->result_count; i++) {
        const struct result *result = &report->run->results[i];
        enum ease ease;
        if (result->assertion->requirement != row)
            continue;
        struct str why = hindrance(report, result, arena, &ease);
        bool is_told = is_told_already(summary, why);
        if (!best.why.size || ease > best_ease || (ease == best_ease && is_told && !best_is_told)) {
            best.why = why;
            best.left_out = result->verdict == VERDICT_DISABLED;
            best_ease = ease;
            best_is_told = is_told;
        }
    }
    if (!best.why.size)
        best.why = STR("its cases are of an encoding that is not offered or not asked for");
    return best;
}

/* Counts a row, and keeps why it was not tried, if it was not. */
static void count_row(const struct report *report, struct summary *summary, const struct requirement *row,
                      struct arena *arena, struct row_counts *counts)
{
    bool passed = false, failed = false;
    for (size_t k = 0; k < report->run->result_count; k++) {
        const struct result *result = &report->run->results[k];
        if (result->assertion->requirement == row) {
            passed = passed || result->verdict == VERDICT_PASS;
            failed = failed || result->verdict == VERDICT_WAIVED || result_fails(result, report->strict);
        }
    }
    counts->asked++;
    counts->met += passed && !failed;
    if (!passed && !failed && counts == &summary->must_rows)
        summary->untried[summary->untried_count++] = why_untried(report, summary, row, arena);
}

/* Returns the counts of the text with that prefix. */
static struct row_counts *text_counts(struct summary *summary, struct str prefix)
{
    for (size_t i = 0; i < summary->text_count; i++)
        if (str_equal(summary->texts[i].prefix, prefix))
            return &summary->texts[i].rows;
    summary->texts[summary->text_count].prefix = prefix;
    return &summary->texts[summary->text_count++].rows;
}

void count_must_rows(const struct report *report, struct summary *summary, struct arena *arena)
{
    const struct ledger *ledger = &report->suite->ledger;
    summary->untried = arena_alloc_zero(arena, ledger->count + 1, sizeof(*summary->untried));
    summary->texts = arena_alloc_zero(arena, ledger->count + 1, sizeof(*summary->texts));
    for (size_t i = 0; i < ledger->count; i++) {
        const struct requirement *row = &ledger->rows[i];
        if (!is_must(row) || !prefix_is_asked(report, row->prefix, arena))
            continue;
        bool below = registry_is_text(&report->suite->registry, row->prefix);
        count_row(report, summary, row, arena, below ? text_counts(summary, row->prefix) : &summary->must_rows);
    }
}
