#include "suite/schemas.h"

#include "base/search.h"

struct known_schema schema_of_file(struct str name, const struct tree *members, struct arena *arena)
{
    struct known_schema schema = {.name = name,
                                  .items = arena_alloc_zero(arena, members->count + 1, sizeof *schema.items)};
    FOR_EACH_IN(one, members->first)
        schema.items[schema.count++] = (struct known_member){
            .at = tree_text(one, "at"),
            .is = tree_text(one, "is"),
            .why = tree_text(one, "why"),
            .keys = tree_member(one, "keys"),
        };
    return schema;
}

const struct known_member *known_schema_find(const struct known_schema *schema, struct str at)
{
    return FIND(schema->items, i, schema->count, str_equal(schema->items[i].at, at));
}
