/* The values of a flag that may be given several times, or holds several values separated by commas. */
#ifndef COMMANDS_VALUES_H
#define COMMANDS_VALUES_H

#include "base/arena.h"

struct values {
    const char **items;
    size_t count;
};

/* Adds an item behind the others. The list is in the arena; the item is not copied. */
void values_add(struct values *values, const char *item, struct arena *arena);

#endif
