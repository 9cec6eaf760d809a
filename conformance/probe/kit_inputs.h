/* Compares what models of the target take with what the suite's cases send to the models of the kit. */
#pragma once

#include "probe/discovery.h"

/* Returns an empty text if the metadata of the target's model `theirs` lists the inputs that one of the suite's cases
 * sends to the model of the kit; else a clause that names both, in the arena. A model without metadata, and one without
 * a case whose inputs are plain, does not differ. */
struct str kit_inputs_differ(const struct suite *suite, const struct tree *metadata, struct str kit, struct str theirs,
                             struct arena *arena);

/* Returns what is wrong with --map, in the arena: the first mapped model whose inputs differ. Empty if none does. */
struct str kit_inputs_mapped(const struct suite *suite, const struct discovery *discovery, const struct values *map,
                             struct arena *arena);
