#include "models/catalog.h"

#include <stdlib.h>

/* Returns a catalog with room for `count` generations, in one piece of memory. */
static struct catalog *with_room(size_t count)
{
    size_t slots = 16;
    while (slots < count * 2)
        slots *= 2;
    struct catalog *catalog = calloc(1, sizeof(*catalog) + (slots + count) * sizeof(struct generation *));
    if (catalog) {
        catalog->slots = (struct generation **)(catalog + 1);
        catalog->slot_mask = slots - 1;
        catalog->generations = catalog->slots + slots;
    }
    return catalog;
}

static void add(struct catalog *catalog, struct generation *generation)
{
    size_t slot = str_hash(generation->name) & catalog->slot_mask;
    while (catalog->slots[slot])
        slot = (slot + 1) & catalog->slot_mask;
    catalog->slots[slot] = generation;
    catalog->generations[catalog->count++] = generation;
}

struct catalog *catalog_with(const struct catalog *old, const struct generation *gone, struct generation *come)
{
    size_t count = old ? old->count : 0;
    struct catalog *catalog = with_room(count + 1);
    if (!catalog)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        struct generation *generation = old->generations[i];
        if (come && str_compare(come->name, generation->name) < 0) {
            add(catalog, come);
            come = NULL;
        }
        if (generation != gone)
            add(catalog, generation);
    }
    if (come)
        add(catalog, come);
    return catalog;
}

struct generation *catalog_find(const struct catalog *catalog, struct str name)
{
    struct generation *generation;
    for (size_t slot = str_hash(name) & catalog->slot_mask; (generation = catalog->slots[slot]);
         slot = (slot + 1) & catalog->slot_mask)
        if (str_equal(generation->name, name))
            return generation;
    return NULL;
}
