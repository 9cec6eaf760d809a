#include "report/rows.h"

#include "base/search.h"

const char *standing_name(enum standing standing)
{
    static const char *const names[STANDING_COUNT] = {
        [STANDING_MET] = "met",           [STANDING_PARTLY] = "met so far", [STANDING_FAILED] = "failed",
        [STANDING_WAIVED] = "waived",     [STANDING_WARNED] = "warned",     [STANDING_SEEN] = "recorded",
        [STANDING_UNTRIED] = "not tried", [STANDING_UNTESTED] = "no test"};
    return names[standing];
}

static enum standing standing_of(const struct row *row)
{
    const size_t *judged = row->judged;
    if (!str_is(row->requirement->status, "tested"))
        return STANDING_UNTESTED;
    if (row->failing)
        return STANDING_FAILED;
    if (judged[VERDICT_WAIVED])
        return STANDING_WAIVED;
    if (judged[VERDICT_WARN])
        return STANDING_WARNED;
    if (row->requirement->level >= LEVEL_MAY && (judged[VERDICT_PASS] || judged[VERDICT_PASS_WEAK]))
        return STANDING_SEEN;
    if (!judged[VERDICT_PASS])
        return STANDING_UNTRIED;
    return judged[VERDICT_BLOCKED] && row->requirement->level == LEVEL_MUST ? STANDING_PARTLY : STANDING_MET;
}

/* --- Which rows are asked for --- */

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

/* --- All rows --- */

static int by_name_and_key(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    if (row_is_below(left) != row_is_below(right))
        return row_is_below(left) ? 1 : -1;
    int order = str_compare(left->requirement->under, right->requirement->under);
    return order ? order : str_compare(left->requirement->key, right->requirement->key);
}

/* Counts the verdicts of each row. `row_at` has the row of each requirement, by its index in the ledger, or NULL. */
static void count_verdicts(const struct report *report, struct row *const *row_at)
{
    const struct run *run = report->run;
    FOR_EACH(result, run->results, run->result_count) {
        struct row *row = row_at[result->assertion->requirement - report->suite->ledger.rows];
        if (!row)
            continue;
        row->judged[result->verdict]++;
        row->failing += result_fails(result, report->demands.strict);
    }
}

struct rows rows_of(const struct report *report, struct arena *arena)
{
    const struct ledger *ledger = &report->suite->ledger;
    struct rows rows = {.items = arena_alloc_zero(arena, ledger->count + 1, sizeof(*rows.items))};
    struct row **row_at = arena_alloc_zero(arena, ledger->count + 1, sizeof(*row_at));
    for (size_t i = 0; i < ledger->count; i++) {
        const struct requirement *requirement = &ledger->rows[i];
        bool tested = str_is(requirement->status, "tested");
        if (!registry_in_edition(&report->suite->registry, requirement->sources, report->target->discovery.edition))
            continue;
        if (!prefix_is_asked(report, requirement->prefix, arena)) {
            rows.left_out++;
            continue;
        }
        row_at[i] = &rows.items[rows.count++];
        *row_at[i] = (struct row){.requirement = requirement, .counts = tested && str_is(requirement->binds, "server")};
    }
    count_verdicts(report, row_at);
    for (size_t i = 0; i < rows.count; i++)
        rows.items[i].standing = standing_of(&rows.items[i]);
    array_sort(rows.items, rows.count, by_name_and_key);
    return rows;
}

/* --- A table of profiles --- */

static const struct rows_column columns[ROWS_COLUMNS] = {
    {"met", LEVEL_MUST, LEVEL_MUST, STANDING_MET, true},
    {"met so far", LEVEL_MUST, LEVEL_MUST, STANDING_PARTLY, false},
    {"failed", LEVEL_MUST, LEVEL_MUST, STANDING_FAILED, true},
    {"waived", LEVEL_MUST, LEVEL_MUST, STANDING_WAIVED, false},
    {"warned", LEVEL_MUST, LEVEL_MUST, STANDING_WARNED, false},
    {"not tried", LEVEL_MUST, LEVEL_MUST, STANDING_UNTRIED, true},
    {"met", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_MET, true},
    {"failed", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_FAILED, false},
    {"waived", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_WAIVED, false},
    {"warned", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_WARNED, true},
    {"not tried", LEVEL_SHOULD, LEVEL_SHOULD, STANDING_UNTRIED, true},
    {"recorded", LEVEL_MAY, LEVEL_OPEN, STANDING_SEEN, true},
};

static bool is_in_column(const struct row *row, const struct rows_column *column)
{
    return row->counts && row->standing == column->standing && row->requirement->level >= column->first &&
           row->requirement->level <= column->last;
}

size_t rows_count(const struct rows *rows, const struct rows_column *column, struct str under)
{
    size_t count = 0;
    FOR_EACH(row, rows->items, rows->count) {
        bool is_in = under.size ? str_equal(row->requirement->under, under) : !row_is_below(row);
        count += is_in && is_in_column(row, column);
    }
    return count;
}

size_t rows_columns(const struct rows *rows, const struct rows_column *shown[ROWS_COLUMNS])
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS_COLUMNS; i++)
        if (columns[i].always || ANY(k, rows->count, is_in_column(&rows->items[k], &columns[i])))
            shown[count++] = &columns[i];
    return count;
}

const struct row *rows_next_name(const struct rows *rows, const struct row *before, bool below)
{
    for (size_t i = before ? (size_t)(before - rows->items) + 1 : 0; i < rows->count; i++)
        if (row_is_below(&rows->items[i]) == below &&
            (i == 0 || !str_equal(rows->items[i].requirement->under, rows->items[i - 1].requirement->under)))
            return &rows->items[i];
    return NULL;
}
