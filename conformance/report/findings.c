#include "report/findings.h"

#include "base/search.h"
#include "report/causes.h"

/* --- What counts as a finding --- */

static bool is_of_kind(const struct result *result, enum finding_kind kind, bool strict)
{
    bool fails = result_fails(result, strict) || result->verdict == VERDICT_ERROR || result->verdict == VERDICT_TIMEOUT;
    return kind == FINDING_WARNING  ? result->verdict == VERDICT_WARN
           : kind == FINDING_WAIVED ? result->verdict == VERDICT_WAIVED
                                    : fails;
}

/* --- By requirement --- */

/* Returns the finding of the requirement, or NULL. */
static struct finding *finding_of(struct findings *findings, const struct requirement *requirement)
{
    return FIND(findings->items, i, findings->count, findings->items[i].requirement == requirement);
}

/* Makes it if there is none yet. */
static struct finding *finding_for(struct findings *findings, const struct requirement *requirement)
{
    struct finding *finding = finding_of(findings, requirement);
    if (finding)
        return finding;
    findings->items[findings->count] = (struct finding){.requirement = requirement};
    return &findings->items[findings->count++];
}

static void collect(const struct report *report, enum finding_kind kind, struct findings *findings, struct arena *arena)
{
    const struct run *run = report->run;
    FOR_EACH(result, run->results, run->result_count)
        if (is_of_kind(result, kind, report->demands.strict)) {
            struct finding *finding = finding_for(findings, result->assertion->requirement);
            *array_add(finding->results, finding->count, arena) = result;
        }
    FOR_EACH(result, run->results, run->result_count) {
        struct finding *finding = finding_of(findings, result->assertion->requirement);
        if (finding && result->verdict == VERDICT_PASS)
            finding->held++;
    }
}

/* --- The simplest exchange --- */

/* How much a person has to understand before a failure is understood, the most important first. */
struct weight {
    size_t replay, prerequisites, steps, bytes;
};

static struct weight weight_of(const struct result *result)
{
    const struct play *play = result_exchange(result);
    return (struct weight){.replay = result->replay,
                           .prerequisites = plan_prerequisites(play),
                           .steps = play->step_count,
                           .bytes = result->command.size + result->sent.size};
}

static int compare_weights(const struct weight *left, const struct weight *right)
{
    const size_t *a = &left->replay, *b = &right->replay;
    return FIRST(i, sizeof *left / sizeof *a, a[i] != b[i], a[i] < b[i] ? -1 : 1, 0);
}

/* Moves the result of the simplest exchange before the others; of equally simple ones the first stays. */
static void choose_witness(struct finding *finding)
{
    size_t best = 0;
    struct weight least = weight_of(finding->results[0]);
    for (size_t i = 1; i < finding->count; i++) {
        struct weight weight = weight_of(finding->results[i]);
        if (compare_weights(&weight, &least) < 0) {
            least = weight;
            best = i;
        }
    }
    finding->witness = finding->results[best];
    for (size_t i = best; i > 0; i--)
        finding->results[i] = finding->results[i - 1];
    finding->results[0] = finding->witness;
    finding->prerequisites = least.prerequisites;
}

/* --- The order --- */

#define PRECISION ((size_t)1000)

static const struct profile *profile_of(const struct finding *finding)
{
    return result_exchange(finding->witness)->group->profile;
}

/* How well a requirement explains what fails: it fails in many cases, and holds in few (Ochiai's measure, squared,
 * without what all findings of a run have in common). */
static size_t weight_of_cause(const struct finding *finding)
{
    return finding->count * finding->count * PRECISION / (finding->count + finding->held);
}

/* An extension fails with what it stands on. One exchange tells its keys in the order of its case. */
static int in_order(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    const size_t keys[][2] = {
        {left->requirement->layer, right->requirement->layer},
        {left->requirement->level, right->requirement->level},
        {profile_of(left)->claim.size > 0, profile_of(right)->claim.size > 0},
        {weight_of_cause(right), weight_of_cause(left)},
        {left->prerequisites, right->prerequisites},
        {profile_of(left)->index, profile_of(right)->index},
        {result_exchange(left->witness)->index, result_exchange(right->witness)->index},
    };
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return left->witness < right->witness ? -1 : left->witness > right->witness;
}

/* Moves each cause before the first of its effects. */
static void put_causes_first(struct findings *findings)
{
    for (size_t i = 1; i < findings->count; i++) {
        struct finding cause = findings->items[i];
        size_t to = 0;
        while (to < i && !cause_explains(&cause, &findings->items[to]))
            to++;
        for (size_t k = i; k > to; k--)
            findings->items[k] = findings->items[k - 1];
        findings->items[to] = cause;
    }
}

/* --- What fails together --- */

#define NOBODY SIZE_MAX

/* Returns the place of the finding that was the first to fail in the exchange of the result: its index, or NOBODY. All
 * exchanges with models that the target does not list (probe/models.h) have one place: what is not there fails in each
 * of them. */
static size_t *culprit_of(size_t *culprits, const struct result *result)
{
    const struct play *play = result_exchange(result);
    return &culprits[tree_text(play->group->probe, "unlisted").size ? 0 : play->index + 1];
}

/* Returns the index of the finding that explains the result, among the first `kept`; or NOBODY. */
static size_t leader_of(size_t *culprits, const struct findings *findings, size_t kept, const struct result *result)
{
    if (*culprit_of(culprits, result) != NOBODY)
        return *culprit_of(culprits, result);
    return FIRST(i, kept, cause_accounts_for(&findings->items[i], result), i, NOBODY);
}

/* Whether a finding before this one explains each of its results. */
static bool follows(size_t *culprits, const struct findings *findings, size_t kept, const struct finding *finding)
{
    return ALL(i, finding->count, leader_of(culprits, findings, kept, finding->results[i]) != NOBODY);
}

static void add_also(struct finding *finding, const struct requirement *requirement, struct arena *arena)
{
    bool is_there = ANY(i, finding->also_count, finding->also[i] == requirement);
    if (requirement != finding->requirement && !is_there)
        *array_add(finding->also, finding->also_count, arena) = requirement;
}

static void blame(size_t *culprits, const struct finding *finding, size_t index)
{
    for (size_t i = 0; i < finding->count; i++) {
        size_t *culprit = culprit_of(culprits, finding->results[i]);
        if (*culprit == NOBODY)
            *culprit = index;
    }
}

/* Leaves out each finding that follows from others, and notes it there; and notes for each that stays what failed
 * through the exchange of its witness. */
static void join_what_fails_together(const struct report *report, struct findings *findings, struct arena *arena)
{
    size_t most = findings->count, kept = 0;
    size_t exchanges = report->plan->play_count + 1;
    size_t *culprits = arena_alloc_zero(arena, exchanges, sizeof *culprits);
    for (size_t i = 0; i < exchanges; i++)
        culprits[i] = NOBODY;
    for (size_t i = 0; i < most; i++) {
        struct finding finding = findings->items[i];
        if (follows(culprits, findings, kept, &finding)) {
            finding.leader = leader_of(culprits, findings, kept, finding.witness);
            add_also(&findings->items[finding.leader], finding.requirement, arena);
            *array_add(findings->followers, findings->follower_count, arena) = finding;
            continue;
        }
        blame(culprits, &finding, kept);
        findings->items[kept++] = finding;
    }
    findings->count = kept;
    for (size_t i = 0; i < kept; i++)
        for (size_t k = 0; k < kept; k++)
            for (size_t r = 0; r < findings->items[k].count && k != i; r++)
                if (result_exchange(findings->items[k].results[r]) == result_exchange(findings->items[i].witness))
                    add_also(&findings->items[i], findings->items[k].requirement, arena);
}

struct findings findings_of(const struct report *report, enum finding_kind kind, struct arena *arena)
{
    struct findings findings = {.items =
                                    arena_alloc_zero(arena, report->run->result_count + 1, sizeof(struct finding))};
    collect(report, kind, &findings, arena);
    for (size_t i = 0; i < findings.count; i++)
        choose_witness(&findings.items[i]);
    array_sort(findings.items, findings.count, in_order);
    put_causes_first(&findings);
    if (kind == FINDING_FAILURE)
        join_what_fails_together(report, &findings, arena);
    for (size_t i = 0; i < findings.count; i++)
        findings.layer_count[findings.items[i].requirement->layer]++;
    return findings;
}

bool finding_repeats(const struct finding *finding, size_t index)
{
    return ANY(i, index, str_equal(finding->results[i]->why, finding->results[index]->why));
}
