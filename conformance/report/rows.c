#include "report/rows.h"

#include "report/summary.h"

const char *standing_name(enum standing standing)
{
    static const char *const names[STANDING_COUNT] = {
        [STANDING_MET] = "met",         [STANDING_FAILED] = "failed", [STANDING_WAIVED] = "waived",
        [STANDING_WARNED] = "warned",   [STANDING_SEEN] = "recorded", [STANDING_UNTRIED] = "not tried",
        [STANDING_UNTESTED] = "no test"};
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
    return judged[VERDICT_PASS] ? STANDING_MET : STANDING_UNTRIED;
}

/* Returns the row of the requirement; NULL if it is not among the rows. */
static struct row *find(const struct rows *rows, const struct requirement *requirement)
{
    size_t low = 0, high = rows->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = str_compare(rows->items[middle].requirement->key, requirement->key);
        if (order == 0)
            return &rows->items[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct rows rows_of(const struct report *report, struct arena *arena)
{
    const struct ledger *ledger = &report->suite->ledger;
    const struct run *run = report->run;
    struct rows rows = {.items = arena_alloc_zero(arena, ledger->count + 1, sizeof(*rows.items))};
    for (size_t i = 0; i < ledger->count; i++) {
        const struct requirement *requirement = &ledger->rows[i];
        bool tested = str_is(requirement->status, "tested");
        if (!prefix_is_asked(report, requirement->prefix, arena))
            rows.left_out++;
        else
            rows.items[rows.count++] =
                (struct row){.requirement = requirement,
                             .is_below = registry_is_text(&report->suite->registry, requirement->prefix),
                             .counts = tested && str_is(requirement->binds, "server")};
    }
    for (size_t i = 0; i < run->result_count; i++) {
        struct row *row = find(&rows, run->results[i].assertion->requirement);
        if (!row)
            continue;
        row->judged[run->results[i].verdict]++;
        row->failing += result_fails(&run->results[i], report->strict);
    }
    for (size_t i = 0; i < rows.count; i++)
        rows.items[i].standing = standing_of(&rows.items[i]);
    return rows;
}

/* --- A table of profiles --- */

static const struct rows_column columns[ROWS_COLUMNS] = {
    {"met", LEVEL_MUST, LEVEL_MUST, STANDING_MET, true},
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

size_t rows_count(const struct rows *rows, const struct rows_column *column, struct str prefix)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        bool is_in = prefix.size ? str_equal(row->requirement->prefix, prefix) : !row->is_below;
        count += is_in && is_in_column(row, column);
    }
    return count;
}

static bool has_rows(const struct rows *rows, const struct rows_column *column)
{
    for (size_t i = 0; i < rows->count; i++)
        if (is_in_column(&rows->items[i], column))
            return true;
    return false;
}

size_t rows_columns(const struct rows *rows, const struct rows_column *shown[ROWS_COLUMNS])
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS_COLUMNS; i++)
        if (columns[i].always || has_rows(rows, &columns[i]))
            shown[count++] = &columns[i];
    return count;
}

const struct row *rows_next_prefix(const struct rows *rows, const struct row *before, bool below)
{
    for (size_t i = before ? (size_t)(before - rows->items) + 1 : 0; i < rows->count; i++)
        if (rows->items[i].is_below == below &&
            (i == 0 || !str_equal(rows->items[i].requirement->prefix, rows->items[i - 1].requirement->prefix)))
            return &rows->items[i];
    return NULL;
}
