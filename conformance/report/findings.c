#include "report/findings.h"

#include <stdlib.h>

static bool is_failure(const struct result *result, bool strict)
{
    return result_fails(result, strict) || result->verdict == VERDICT_ERROR || result->verdict == VERDICT_TIMEOUT;
}

static bool is_warning(const struct result *result, bool strict)
{
    (void)strict;
    return result->verdict == VERDICT_WARN;
}

static bool is_waived(const struct result *result, bool strict)
{
    (void)strict;
    return result->verdict == VERDICT_WAIVED;
}

static bool (*const kinds[])(const struct result *result, bool strict) = {
    [FINDING_FAILURE] = is_failure, [FINDING_WARNING] = is_warning, [FINDING_WAIVED] = is_waived};

/* Returns the finding of the requirement, and makes it if there is none yet. */
static struct finding *finding_for(struct findings *findings, const struct requirement *requirement)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].requirement == requirement)
            return &findings->items[i];
    findings->items[findings->count] = (struct finding){.requirement = requirement};
    return &findings->items[findings->count++];
}

/* Moves what the profiles demand before all else, and leaves the order otherwise. */
static void put_profiles_first(struct findings *findings, struct arena *arena)
{
    struct finding *sorted = arena_alloc_zero(arena, findings->count + 1, sizeof(*sorted));
    size_t count = 0;
    for (int below = 0; below < 2; below++)
        for (size_t i = 0; i < findings->count; i++)
            if (findings->items[i].is_below == below)
                sorted[count++] = findings->items[i];
    findings->items = sorted;
}

struct findings findings_of(const struct report *report, enum finding_kind kind, struct arena *arena)
{
    const struct run *run = report->run;
    struct findings findings = {.items = arena_alloc_zero(arena, run->result_count + 1, sizeof(*findings.items))};
    for (size_t i = 0; i < run->result_count; i++)
        if (kinds[kind](&run->results[i], report->strict))
            finding_for(&findings, run->results[i].assertion->requirement)->count++;
    for (size_t i = 0; i < findings.count; i++) {
        struct finding *finding = &findings.items[i];
        findings.result_count += finding->count;
        finding->results = arena_alloc_zero(arena, finding->count, sizeof(struct result *));
        finding->count = 0;
        finding->is_below = registry_is_text(&report->suite->registry, finding->requirement->prefix);
    }
    for (size_t i = 0; i < run->result_count; i++)
        if (kinds[kind](&run->results[i], report->strict)) {
            struct finding *finding = finding_for(&findings, run->results[i].assertion->requirement);
            finding->results[finding->count++] = &run->results[i];
        }
    put_profiles_first(&findings, arena);
    return findings;
}

bool finding_repeats(const struct finding *finding, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (str_equal(finding->results[i]->why, finding->results[index]->why))
            return true;
    return false;
}
