/* The catalog: one edition for each name, the one that is served or rests. A catalog never changes. Whoever adds or
 * removes an edition makes another catalog. */
#ifndef MODELS_CATALOG_H
#define MODELS_CATALOG_H

#include "models/edition.h"

struct catalog {
    struct edition **editions; /* by name */
    size_t count;
    struct edition **slots; /* a hash table with open addressing; it has slot_mask + 1 slots */
    size_t slot_mask;
};

/* Returns a catalog with the editions of another one (NULL: none), without `gone` (NULL: without none) and with `come`
 * (NULL: no other). Returns NULL without memory. The caller frees it with free. */
struct catalog *catalog_with(const struct catalog *old, const struct edition *gone, struct edition *come);

/* Returns the edition of that name, or NULL. */
struct edition *catalog_find(const struct catalog *catalog, struct str name);

#endif
