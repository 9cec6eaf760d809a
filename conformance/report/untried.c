/* Why MUST requirements were not tried, and claims were not judged. Of several true reasons, the report gives the one
 * that the user can remove most easily: a failure that blocks others, then a flag, then a model. */
#include "base/search.h"
#include "report/summary.h"

static bool knows_metadata(const struct plan_target *target)
{
    const struct tree *models = target->discovery.models, *probes = target->discovery.probes;
    return (models && models->first) || ANY_IN(probe, tree_first(probes), tree_member(probe, "metadata") != NULL);
}

/* Returns the model of the kit that a result lacks; empty if it lacks none. If loading models is switched off, hosting
 * a model would not help, so the result is empty too. */
static struct str lacking_model(const struct report *report, const struct result *result)
{
    const struct play *play = result->assertion->play;
    struct str model = play->group->kit_model;
    const struct tree *hosted = report->target->discovery.models;
    const struct tree *fixed = report->target->discovery.fixed;
    bool is_fixed = fixed && play->group->mutates && tree_member_str(fixed, play->group->profile->endpoint->name);
    bool lacks = play->not_applicable.size && !play->state.size && model.size && !tree_member_str(hosted, model);
    return lacks && !is_fixed ? model : (struct str){0};
}

struct str missing_model(const struct report *report, const struct result *result)
{
    return knows_metadata(report->target) ? lacking_model(report, result) : (struct str){0};
}

/* Returns that no model is known, and what came when one of the kit was asked for. */
static struct str no_metadata(const struct report *report, struct arena *arena)
{
    const struct tree *absent = report->target->discovery.absent;
    struct str asked = absent && absent->first ? absent->first->text : STR("none was asked for");
    return arena_printf(arena,
                        "no model is known; host the kit, or name models that do the same (--map KIT=NAME): %.*s",
                        STR_ARG(asked));
}

/* How easily the user can remove a reason. */
enum ease { NO_EASE, A_STATE_OR_MODEL_OF_OURS, A_MODEL_OF_THE_KIT, A_FLAG, A_FAILURE };

static struct str model_is_missing(const struct report *report, struct str model, struct arena *arena)
{
    const struct suite_model *known = suite_model(report->suite, model);
    return arena_printf(arena,
                        "model '%.*s' (fixtures, %.*s) is not hosted; host it, or one that does the same: --map "
                        "%.*s=NAME",
                        STR_ARG(model), known ? (int)known->repository.size : 0, known ? known->repository.data : "",
                        STR_ARG(model));
}

const struct result *unserved_by(const struct report *report, struct str prefix)
{
    const struct profile *profile = registry_profile(&report->suite->registry, prefix);
    const struct result *failed = NULL;
    for (size_t i = 0; i < report->run->result_count && profile && profile->claim.size; i++) {
        const struct result *result = &report->run->results[i];
        if (!str_equal(result->assertion->requirement->prefix, prefix))
            continue;
        if (result->verdict == VERDICT_PASS || result->verdict == VERDICT_PASS_WEAK ||
            result->verdict == VERDICT_DISABLED)
            return NULL;
        if (!failed && result->verdict == VERDICT_FAIL)
            failed = result;
    }
    return failed;
}

/* Returns what a blocked result waits for. */
static struct str waits_for(const struct result *root, struct arena *arena)
{
    return arena_printf(arena, "something else must pass first: %.*s", STR_ARG(waits_what_came(root, arena)));
}

/* Returns why an assertion was not judged, and what would help. */
static struct str hindrance(const struct summary *summary, const struct result *result, enum ease *ease)
{
    const struct report *report = summary->report;
    struct arena *arena = summary->arena;
    struct str model = missing_model(report, result);
    const struct suite_model *known = model.size ? suite_model(report->suite, model) : NULL;
    const struct result *root = result->verdict == VERDICT_BLOCKED ? waits_root(&summary->waits, result) : NULL;
    bool names_flag = result->why.size && memmem(result->why.data, result->why.size, "--", 2) != NULL;
    bool lacks_any = !model.size && lacking_model(report, result).size;
    *ease = result->verdict == VERDICT_BLOCKED                        ? A_FAILURE
            : known && str_is(known->repository, "kit")               ? A_MODEL_OF_THE_KIT
            : model.size || result->assertion->play->state.size       ? A_STATE_OR_MODEL_OF_OURS
            : result->verdict == VERDICT_NOT_APPLICABLE && names_flag ? A_FLAG
                                                                      : NO_EASE;
    if (result->verdict == VERDICT_BLOCKED)
        return root ? waits_for(root, arena) : result->why;
    if (lacks_any)
        return no_metadata(report, arena);
    return model.size ? model_is_missing(report, model, arena) : result->why;
}

/* Returns why the row was not tried. Of several reasons, the one that is removed most easily is best; of equal ones, a
 * reason that other rows have too. */
static struct untried why_untried(const struct summary *summary, const struct requirement *row)
{
    const struct report *report = summary->report;
    struct untried best = {.requirement = row};
    const struct result *failed = unserved_by(report, row->prefix);
    enum ease best_ease = failed ? A_FAILURE : NO_EASE;
    if (failed)
        best.why = waits_for(failed, summary->arena);
    bool best_is_listed = false;
    FOR_EACH(result, report->run->results, report->run->result_count) {
        enum ease ease;
        if (result->assertion->requirement != row)
            continue;
        struct str why = hindrance(summary, result, &ease);
        bool is_listed = ANY(k, summary->reason_count, str_equal(summary->reasons[k].first->why, why));
        if (!best.why.size || ease > best_ease || (ease == best_ease && is_listed && !best_is_listed)) {
            best.why = why;
            best.model = ease == A_FAILURE ? STR("") : missing_model(report, result);
            best.left_out = result->verdict == VERDICT_DISABLED;
            best_ease = ease;
            best_is_listed = is_listed;
        }
    }
    if (!best.why.size)
        best.why = STR("its cases use an encoding that the target does not offer or that was not asked for");
    return best;
}

static void add_untried(struct summary *summary, struct untried added)
{
    struct untried *untried = &summary->untried[summary->untried_count++];
    *untried = added;
    struct reason *reason =
        FIND(summary->reasons, i, summary->reason_count, str_equal(summary->reasons[i].first->why, untried->why));
    if (!reason) {
        reason = &summary->reasons[summary->reason_count++];
        reason->first = untried;
    }
    reason->count++;
}

void find_untried(struct summary *summary)
{
    const struct rows *rows = &summary->rows;
    summary->untried = arena_alloc_zero(summary->arena, rows->count + 1, sizeof(*summary->untried));
    summary->reasons = arena_alloc_zero(summary->arena, rows->count + 1, sizeof(*summary->reasons));
    FOR_EACH(row, rows->items, rows->count)
        if (row->counts && !row_is_below(row) && row->requirement->level == LEVEL_MUST &&
            row->standing == STANDING_UNTRIED)
            add_untried(summary, why_untried(summary, row->requirement));
}

/* --- Claims --- */

/* Returns why nothing of the profile was judged: the reason of its first MUST requirement, else of its first result. */
static struct str why_unjudged(const struct summary *summary, struct str profile)
{
    const struct run *run = summary->report->run;
    for (size_t i = 0; i < summary->untried_count; i++)
        if (str_equal(summary->untried[i].requirement->prefix, profile))
            return summary->untried[i].why;
    return FIRST(i, run->result_count, str_equal(run->results[i].assertion->requirement->prefix, profile),
                 run->results[i].why, STR("none of its cases can be played on this target"));
}

/* Whether the user left out all cases of the profile. */
static bool is_left_out(const struct run *run, struct str profile)
{
    size_t left_out = 0, others = 0;
    for (size_t i = 0; i < run->result_count; i++)
        if (str_equal(run->results[i].assertion->requirement->prefix, profile))
            *(run->results[i].verdict == VERDICT_DISABLED ? &left_out : &others) += 1;
    return left_out && !others;
}

void find_unjudged_claims(struct summary *summary)
{
    const struct report *report = summary->report;
    struct arena *arena = summary->arena;
    const struct registry *registry = &report->suite->registry;
    summary->claims = arena_alloc_zero(arena, registry->profile_count + 1, sizeof(*summary->claims));
    FOR_EACH(profile, registry->profiles, registry->profile_count) {
        if (!profile->claim.size || !prefix_is_asked(report, profile->name, arena) ||
            summary_conclusion(summary, profile->name) != CONCLUSION_NOT_JUDGED ||
            is_left_out(report->run, profile->name))
            continue;
        struct unjudged_claim claim = {.claim = profile->claim, .why = why_unjudged(summary, profile->name)};
        struct unjudged_claim *same =
            FIND(summary->claims, i, summary->claim_count,
                 str_equal(summary->claims[i].claim, claim.claim) && str_equal(summary->claims[i].why, claim.why));
        if (!same) {
            claim.profiles = arena_alloc_zero(arena, registry->profile_count, sizeof(*claim.profiles));
            same = &summary->claims[summary->claim_count++];
            *same = claim;
        }
        same->profiles[same->profile_count++] = profile;
    }
}
