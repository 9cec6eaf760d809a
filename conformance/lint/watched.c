#include "lint/linter.h"

/* Checks what is expected of a request or of an answer: {KEY: pattern}. */
static void check_expected(struct linter *linter, const struct tree *expected, struct place place)
{
    if (!expected)
        return;
    lint_expect(linter, expected, place);
    FOR_EACH_IN(key, expected->first)
        if (!ledger_find(&linter->suite->ledger, key->name))
            fault_add(place, "key-known", "the ledger has no row '%s'", str_printable(linter->arena, key->name));
}

void lint_watched(struct linter *linter)
{
    const struct place file = place_in(linter->faults, STR("watch.json"), STR(""));
    const struct tree *profiles = linter->suite->watched;
    FOR_EACH_IN(watched, tree_first(profiles)) {
        struct place place = place_below(file, watched->name);
        const struct tree *rows = tree_member(watched, "rows"), *others = tree_member(watched, "rows_of");
        if (!registry_profile(&linter->suite->registry, watched->name) ||
            (others && !tree_member_str(profiles, others->text)))
            fault_add(place, "profile", "there is no such profile, or none as `rows_of` says");
        FOR_EACH_IN(row, tree_first(rows)) {
            struct place here = place_of_child(place_below(place, STR("rows")), rows, row);
            check_expected(linter, tree_member(row, "sent"), place_below(here, STR("sent")));
            check_expected(linter, tree_member(row, "expect"), place_below(here, STR("expect")));
        }
    }
}
