#include "editions/schema.h"

#include "base/search.h"

void schema_add(struct schema *schema, struct str at, struct str is, size_t line, struct arena *arena)
{
    bool is_full = (schema->count & (schema->count - 1)) == 0; /* the capacity is a power of two */
    if (is_full) {
        struct schema_member *items = arena_alloc_zero(arena, 2 * schema->count + 1, sizeof *items);
        if (schema->count)
            memcpy(items, schema->items, schema->count * sizeof *items);
        schema->items = items;
    }
    schema->items[schema->count++] = (struct schema_member){at, is, line};
}

const struct schema_member *schema_find(const struct schema *schema, struct str at)
{
    return FIND(schema->items, i, schema->count, str_equal(schema->items[i].at, at));
}
