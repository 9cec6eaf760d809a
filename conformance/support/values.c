#include "support/values.h"

#include <stdlib.h>

void values_add(struct values *values, const char *item, struct arena *arena)
{
    const char **grown = arena_alloc_zero(arena, values->count + 1, sizeof(*grown));
    for (size_t i = 0; i < values->count; i++)
        grown[i] = values->items[i];
    grown[values->count++] = item;
    values->items = grown;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void values_sort(struct values *values, struct arena *arena)
{
    const char **sorted = arena_alloc_zero(arena, values->count + 1, sizeof(*sorted));
    for (size_t i = 0; i < values->count; i++)
        sorted[i] = values->items[i];
    qsort(sorted, values->count, sizeof(*sorted), compare_texts);
    values->items = sorted;
}
