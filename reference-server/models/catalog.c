/* How the catalog changes: readers see the old one or the new one, and a generation that left is freed once nobody
 * holds it. */
#include "models/inside.h"

#include "models/batcher.h"

#include <stdlib.h>

/* Returns how many generations have a name that comes before that one. */
static size_t count_before(const struct catalog *catalog, struct str name)
{
    size_t from = 0, to = catalog->count;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (str_compare(catalog->generations[middle]->name, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

struct catalog *catalog_with(const struct catalog *old, const struct generation *gone, struct generation *come)
{
    size_t count = old ? old->count : 0;
    struct catalog *catalog = calloc(1, sizeof(*catalog) + (count + 1) * sizeof(struct generation *));
    if (!catalog)
        return NULL;
    size_t place = old && come ? count_before(old, come->name) : 0;
    for (size_t i = 0; i <= count; i++) {
        if (come && i == place)
            catalog->generations[catalog->count++] = come;
        if (i < count && old->generations[i] != gone)
            catalog->generations[catalog->count++] = old->generations[i];
    }
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

/* A generation that left the catalog is freed as soon as nobody holds it. Its batchers execute at once what waits in
 * them. */
static void retire(struct repository *repository, struct generation *generation)
{
    for (struct generation *retired = repository->retired; retired; retired = retired->next)
        if (retired->successor == generation)
            retired->successor = NULL;
    for (size_t i = 0; i < generation->version_count; i++)
        if (atomic_load(&generation->models[i].state) == MODEL_READY)
            batcher_hurry(generation->models[i].batcher);
    generation->next = repository->retired;
    repository->retired = generation;
}

struct status catalog_replace(struct repository *repository, struct generation *old, struct generation *with)
{
    struct catalog *before = atomic_load(&repository->catalog), *after = catalog_with(before, old, with);
    NEED(after);
    if (with)
        with->is_listed = true;
    atomic_store(&repository->catalog, after);
    readers_wait(&repository->readers);
    free(before);
    if (old)
        retire(repository, old);
    return STATUS_IS_OK;
}

struct generation *catalog_listed(const struct repository *repository, struct str name)
{
    return catalog_find(atomic_load(&repository->catalog), name);
}

void catalog_free_retired(struct repository *repository)
{
    for (struct generation **at = &repository->retired; *at;) {
        struct generation *generation = *at;
        if (tally_sum(&generation->holders) > 0) {
            at = &generation->next;
            continue;
        }
        *at = generation->next;
        for (size_t i = 0; generation->successor && i < generation->successor->version_count; i++)
            atomic_store(&generation->successor->models[i].state, MODEL_UNAVAILABLE);
        generation_free(generation);
    }
}
