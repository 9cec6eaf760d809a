#include "commands/values.h"

void values_add(struct values *values, const char *item, struct arena *arena)
{
    const char **grown = arena_alloc_zero(arena, values->count + 1, sizeof(*grown));
    if (!grown)
        return;
    for (size_t i = 0; i < values->count; i++)
        grown[i] = values->items[i];
    grown[values->count++] = item;
    values->items = grown;
}
