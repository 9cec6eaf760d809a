/* `for`: the axes that a case (or a neighbour) is expanded by, and the choices of one value from each. */
#ifndef NOTATION_AXES_H
#define NOTATION_AXES_H

#include "notation/variables.h"

#define CHOICES_MAX 10000 /* of one case; more is a fault of the suite */

struct axis {
    struct str name;
    struct variable *values; /* each with the axis' name, its label and its value */
    size_t count;
};

struct axes {
    struct axis *list; /* sorted by name */
    size_t count;
    size_t choices; /* product of the counts; 1 if there is no axis */
};

/* Reads a member `for` (NULL: no axes): {x: "@table" | {label: value} | [value] | {"$count": [from, below]}}. The
 * labels of a list are its values' texts. INVALID_ARGUMENT names the axis and what is wrong: no such table, no values,
 * a label with characters other than letters, digits, "_", "-", "." and "+", too many choices. */
struct status axes_read(const struct tree *clause, const struct tree *tables, struct arena *arena, struct axes *axes);

/* Writes the values of choice number `choice` (the last axis changes fastest) into `variables`, axes->count of them. */
void axes_choose(const struct axes *axes, size_t choice, struct variable *variables);

#endif
