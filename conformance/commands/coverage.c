/* `coverage`: prints the ledger, row by row, with the numbers of its cases and of deviations that break it. */
#include "commands/commands.h"
#include "commands/nominal.h"

#include <stdio.h>

struct cover {
    size_t cases; /* plays that expect it, over all encodings */
    size_t deviations;
};

struct totals {
    size_t rows, covered, deviated, untested, holes;
};

static struct cover *count_covers(const struct suite *suite, const struct plan *plan, struct arena *arena)
{
    struct cover *covers = arena_alloc_zero(arena, suite->ledger.count, sizeof *covers);
    for (size_t i = 0; i < plan->play_count; i++)
        for (size_t a = 0; a < plan->plays[i].assertion_count; a++)
            covers[plan->plays[i].assertions[a].requirement - suite->ledger.rows].cases++;
    for (size_t i = 0; i < suite->deviation_count; i++) {
        const struct requirement *row = ledger_find(&suite->ledger, suite->deviations[i].breaks);
        if (row)
            covers[row - suite->ledger.rows].deviations++;
    }
    return covers;
}

/* Why the row is a hole in the suite; NULL if it is none. */
static const char *hole(const struct requirement *row, const struct cover *cover)
{
    if (!str_is(row->status, "tested"))
        return row->why.size ? NULL : "no case and no reason";
    bool binding = str_is(row->binds, "server") && (row->level == LEVEL_MUST || row->level == LEVEL_SHOULD);
    return binding && !cover->cases ? "no case" : NULL;
}

static void print_row(const struct requirement *row, const struct cover *cover, struct totals *totals)
{
    const char *missing = hole(row, cover);
    bool tested = str_is(row->status, "tested");
    struct str reason = !tested ? row->why : (struct str){0};
    struct str remark = missing ? str_of(missing) : reason;
    printf("%-36.*s %-6s %-6.*s %5zu %10zu  %.*s%s%.*s\n", STR_ARG(row->key), level_name(row->level),
           STR_ARG(row->binds), cover->cases, cover->deviations, STR_ARG(row->status), remark.size ? ": " : "",
           STR_ARG(remark));
    totals->rows++;
    totals->covered += cover->cases > 0;
    totals->deviated += cover->deviations > 0;
    totals->untested += !tested;
    totals->holes += missing != NULL;
}

static int print_table(struct nominal *nominal, const struct options *)
{
    const struct suite *suite = &nominal->suite;
    const struct cover *covers = count_covers(suite, &nominal->plan, &nominal->plan.arena);
    struct totals totals = {0};
    printf("%-36s %-6s %-6s %5s %10s  %s\n", "requirement", "level", "binds", "cases", "deviations", "status");
    for (size_t i = 0; i < suite->ledger.count; i++)
        print_row(&suite->ledger.rows[i], &covers[i], &totals);
    printf("%zu requirements: %zu with cases, %zu with deviations, %zu not tested, with a reason, %zu holes; %zu "
           "assertions\n",
           totals.rows, totals.covered, totals.deviated, totals.untested, totals.holes, nominal->plan.assertion_count);
    return totals.holes ? EXIT_NOT_CONFORMANT : EXIT_CONFORMANT;
}

int command_coverage(const struct options *options)
{
    return nominal_run(options, print_table);
}
