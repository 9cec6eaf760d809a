/* Compares the models that --map names with those of the kit that they stand for. */
#pragma once

#include "probe/discovery.h"

/* Returns an empty text if each mapped model takes, by its metadata, the inputs that the suite's cases send to the
 * model of the kit; else a sentence that names both, in the arena. Models that are not hosted, and models without a
 * case whose inputs are plain, are passed over. */
struct str mapped_fault(const struct suite *suite, const struct discovery *discovery, const struct values *map,
                        struct arena *arena);
