/* Texts that the user gave: the values of a flag that may be given several times, or holds several of them. */
#pragma once

#include "base/arena.h"

struct values {
    const char *const *items;
    size_t count;
};

/* Adds an item after the others. The list is in the arena; the item is not copied. */
void values_add(struct values *values, const char *item, struct arena *arena);

/* Sorts the items by their bytes. */
void values_sort(struct values *values, struct arena *arena);
