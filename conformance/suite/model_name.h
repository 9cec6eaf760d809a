/* Names of models: the target's name for a model of the kit, and names that are made from it. */
#pragma once

#include "base/arena.h"
#include "support/values.h"

/* Returns the target's name for a model of the kit: THEIRS of the first row "KIT=THEIRS" that names it, else `kit`. */
struct str model_name_mapped(struct str kit, const struct values *map);

/* Returns the name with every ASCII letter in its other case, in the arena. */
struct str model_name_in_other_case(struct str name, struct arena *arena);

/* Returns the name with only its first ASCII letter in its other case, in the arena. */
struct str model_name_in_third_case(struct str name, struct arena *arena);
