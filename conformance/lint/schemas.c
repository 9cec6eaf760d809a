/* Checks the schemas of fixtures/schemas against the ledger: each member stands there once, and has rows that are there
 * or says why it has none. */
#include "lint/linter.h"

#include "suite/grammar.h"

static void check_member(struct linter *linter, const struct known_schema *schema, size_t index, struct place place)
{
    const struct known_member *member = &schema->items[index];
    bool has_keys = member->keys && member->keys->count > 0;
    if (known_schema_find(schema, member->at) != member)
        fault_add(place, "schema-once", "'%.*s' stands there twice", STR_ARG(member->at));
    if (has_keys == (member->why.size > 0))
        fault_add(place, "schema-row",
                  "'%.*s' needs the `keys` of the rows that stand on it, or says `why` none does, and not both",
                  STR_ARG(member->at));
    FOR_EACH_IN(key, has_keys ? member->keys->first : NULL)
        if (key->type != TREE_STRING || !ledger_find(&linter->suite->ledger, key->text))
            fault_add(place, "schema-row", "the ledger has no row '%.*s'", STR_ARG(key->text));
}

static void check_schema(struct linter *linter, const struct known_schema *schema, const struct tree *members,
                         struct place place)
{
    size_t index = 0;
    for (const struct tree *one = members->first; one; one = one->next, index++) {
        struct place here = place_at(place, index);
        if (grammar_check("member of a schema", one, here))
            check_member(linter, schema, index, here);
    }
}

void lint_schemas(struct linter *linter)
{
    const struct suite *suite = linter->suite;
    for (size_t i = 0; i < suite->schemas.count; i++) {
        struct str file = arena_printf(linter->arena, "schemas/%.*s.json", STR_ARG(suite->schemas.items[i].name));
        for (size_t f = 0; f < suite->file_count; f++)
            if (str_equal(suite->files[f].path, file))
                check_schema(linter, &suite->schemas.items[i], suite->files[f].tree,
                             place_in(linter->faults, file, STR("")));
    }
}
