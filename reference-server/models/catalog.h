/* The catalog: one generation for each name, the one that is served or rests. A catalog never changes. Whoever adds or
 * removes a generation makes another catalog. */
#pragma once

#include "models/generation.h"

struct catalog {
    size_t count;
    struct generation *generations[]; /* by name */
};

/* Returns a catalog with the generations of another one (NULL: none), without `gone` (NULL: without none) and with
 * `come` (NULL: no other). Returns NULL without memory. The caller frees it with free. */
struct catalog *catalog_with(const struct catalog *old, const struct generation *gone, struct generation *come);

/* Returns the generation of that name, or NULL. */
struct generation *catalog_find(const struct catalog *catalog, struct str name);
