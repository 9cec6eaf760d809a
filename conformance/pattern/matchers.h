/* The table of the $matchers: what decides whether a value meets one (matchers.c), and what its argument must be, which
 * `lint` checks (lint/pattern.c). How a matcher reads in a report is in phrase.c. */
#pragma once

#include "tree/tree.h"

enum argument {
    ARGUMENT_PATTERN,
    ARGUMENT_CONTENT, /* a pattern, but no empty string */
    ARGUMENT_CHOICES, /* an object of named patterns */
    ARGUMENT_LIST,    /* of patterns */
    ARGUMENT_TRUE,
    ARGUMENT_TYPE,
    ARGUMENT_RANGE,
    ARGUMENT_INTEGERS,
    ARGUMENT_EXPRESSION,
    ARGUMENT_DISTANCE,
    ARGUMENT_TENSOR,
};

struct matching;
struct value_place;

struct matcher {
    const char *name;
    enum argument argument;
    bool (*match)(const struct matching *m, const struct value_place *at, const struct tree *argument);
};

/* All of them; the last row has no name. */
extern const struct matcher matchers[];

/* Returns NULL if there is none of that name. */
const struct matcher *matcher_named(struct str name);
