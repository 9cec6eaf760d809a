/* The values of a flag that may be given several times, or holds several values separated by commas. */
#pragma once

#include "base/arena.h"

struct values {
    const char **items;
    size_t count;
};

/* Adds an item behind the others. The list is in the arena; the item is not copied. */
void values_add(struct values *values, const char *item, struct arena *arena);
