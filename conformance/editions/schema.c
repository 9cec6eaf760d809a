#include "editions/schema.h"

#include "base/search.h"
#include "support/memory.h"

void schema_add(struct schema *schema, struct str at, struct str is, size_t line, struct arena *arena)
{
    schema->items = arena_room(schema->items, schema->count, sizeof *schema->items, arena);
    schema->items[schema->count++] = (struct schema_member){at, is, line};
}

const struct schema_member *schema_find(const struct schema *schema, struct str at)
{
    return FIND(schema->items, i, schema->count, str_equal(schema->items[i].at, at));
}
