#include "lint/linter.h"

#include "suite/grammar.h"

static const struct str file = STR("watch.json");

/* Checks what is expected of a request or of an answer: {KEY: pattern}. */
static void check_expected(struct linter *linter, const struct tree *expected, struct str pointer)
{
    if (!expected)
        return;
    lint_expect(linter, expected, file, pointer);
    for (const struct tree *key = expected->first; key; key = key->next)
        if (!ledger_find(&linter->suite->ledger, key->name))
            fault_add(linter->faults, file, pointer, "key-known", "the ledger has no row '%s'",
                      str_printable(linter->arena, key->name));
}

void lint_watched(struct linter *linter)
{
    const struct tree *profiles = linter->suite->watched;
    for (const struct tree *watched = tree_first(profiles); watched; watched = watched->next) {
        struct str pointer = pointer_child(linter->arena, STR(""), watched->name);
        const struct tree *rows = tree_member(watched, "rows"), *others = tree_member(watched, "rows_of");
        size_t position = 0;
        if (!registry_profile(&linter->suite->registry, watched->name) ||
            (others && !tree_member_str(profiles, others->text)))
            fault_add(linter->faults, file, pointer, "profile", "there is no such profile, or none as `rows_of` says");
        for (const struct tree *row = tree_first(rows); row; row = row->next, position++) {
            struct str at = arena_printf(linter->arena, "%.*s/rows/%zu", STR_ARG(pointer), position);
            check_expected(linter, tree_member(row, "sent"), pointer_child(linter->arena, at, STR("sent")));
            check_expected(linter, tree_member(row, "expect"), pointer_child(linter->arena, at, STR("expect")));
        }
    }
}
