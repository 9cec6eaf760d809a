#include "models/catalog.h"

#include <stdlib.h>

struct catalog *catalog_with(const struct catalog *old, const struct generation *gone, struct generation *come)
{
    size_t count = old ? old->count : 0;
    struct catalog *catalog = calloc(1, sizeof(*catalog) + (count + 1) * sizeof(struct generation *));
    if (!catalog)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        struct generation *generation = old->generations[i];
        if (come && str_compare(come->name, generation->name) < 0) {
            catalog->generations[catalog->count++] = come;
            come = NULL;
        }
        if (generation != gone)
            catalog->generations[catalog->count++] = generation;
    }
    if (come)
        catalog->generations[catalog->count++] = come;
    return catalog;
}

static int by_name(const void *name, const void *generation)
{
    return str_compare(*(const struct str *)name, (*(struct generation *const *)generation)->name);
}

struct generation *catalog_find(const struct catalog *catalog, struct str name)
{
    struct generation *const *found =
        bsearch(&name, catalog->generations, catalog->count, sizeof(struct generation *), by_name);
    return found ? *found : NULL;
}
