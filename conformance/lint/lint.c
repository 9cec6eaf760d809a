#include "lint/lint.h"

#include "base/search.h"
#include "lint/linter.h"
#include "protocols/protocol.h"
#include "suite/grammar.h"

/* Checks the members of every object. Returns whether the forms are right. */
static bool check_forms(const struct suite *suite, struct faults *faults)
{
    for (size_t i = 0; i < suite->family_count; i++)
        grammar_check("case", suite->families[i].tree, family_place(&suite->families[i], faults));
    FOR_EACH(row, suite->ledger.rows, suite->ledger.count)
        grammar_check("ledger-row", row->tree, row_place(row, faults));
    for (size_t i = 0; i < suite->deviation_count; i++)
        grammar_check("deviation", suite->deviations[i].tree, deviation_place(&suite->deviations[i], faults));
    FOR_EACH_IN(watched, tree_first(suite->watched))
        grammar_check("watched", watched, place_below(place_in(faults, STR("watch.json"), STR("")), watched->name));
    return faults->list.count == 0;
}

/* Checks what needs more than one object, or the meaning of one. */
static void check_meaning(const struct suite *suite, struct arena *arena, struct faults *faults)
{
    struct plan_target target = plan_nominal(suite, arena);
    struct plan plan;
    struct status status = protocols_check(&suite->registry, arena);
    if (!is_ok(status))
        fault_add(place_in(faults, STR("encodings.json"), STR("")), "registry", "%.*s", STR_ARG(status.message));
    plan_make_all(suite, &target, &plan, faults);
    struct linter linter = {suite, &plan, arena, faults};
    for (size_t i = 0; i < suite->family_count; i++)
        lint_case(&linter, &suite->families[i], family_place(&suite->families[i], faults));
    lint_ledger(&linter);
    lint_levels(&linter);
    lint_texts(&linter);
    lint_schemas(&linter);
    lint_problems(&linter);
    lint_watched(&linter);
    lint_models(&linter);
    lint_format(&linter);
    lint_null_servers(&linter);
    lint_answers(&linter);
    plan_free(&plan);
}

size_t lint_suite(const struct suite *suite, struct buf *out)
{
    struct arena arena = memory_arena();
    struct faults faults = {.arena = &arena};
    bool formed = check_forms(suite, &faults);
    if (formed)
        check_meaning(suite, &arena, &faults);
    for (size_t i = 0; i < faults.list.count; i++) {
        buf_append_str(out, fault_line(faults.list.items[i], &arena));
        buf_append_byte(out, '\n');
    }
    if (!formed)
        buf_append_literal(out, "Fix these forms first: the other rules were not checked, because a broken form makes "
                                "their findings misleading.\n");
    size_t count = faults.list.count;
    arena_free(&arena);
    return count;
}
