/* The name of a model as the target has it, and names that are made of it. */
#ifndef SUITE_MODEL_NAME_H
#define SUITE_MODEL_NAME_H

#include "base/arena.h"

/* The target's name for a model of the kit, by the first of the rows "KIT=THEIRS" that has it; else the same. */
struct str model_name_mapped(struct str kit, const char *const *map, size_t count);

/* Every ASCII letter in its other case. */
struct str model_name_in_other_case(struct str name, struct arena *arena);

#endif
