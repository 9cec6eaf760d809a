/* The axes of `for`: each axis is a name with values, and a case (or a neighbour) is expanded into one play for each
 * choice of one value from every axis. */
#pragma once

#include "notation/variables.h"

#define CHOICES_MAX 10000 /* of one case; more is a fault of the suite */

struct axis {
    struct str name;
    struct variable *values; /* each has the name of the axis, its label and its value */
    size_t count;
};

struct axes {
    struct axis *list; /* sorted by name */
    size_t count;
    size_t choices; /* product of the counts; 1 if there is no axis */
};

/* Reads a member `for` (NULL: no axes): {x: "@table" | {label: value} | [value] | {"$count": [from, below]}}. In a list
 * the text of a value is its label. Everything lies in the arena. INVALID_ARGUMENT names the axis and says what is
 * wrong: no such table, no values, a label with other characters than letters, digits and "_-.+", too many choices. */
struct status axes_read(const struct tree *clause, const struct tree *tables, struct arena *arena, struct axes *axes);

/* Writes the values of choice number `choice` into axes->count `variables`. The last axis changes fastest. */
void axes_choose(const struct axes *axes, size_t choice, struct variable *variables);
