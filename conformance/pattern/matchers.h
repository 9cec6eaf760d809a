/* The table of the $matchers: what the argument of each must be (argument.c), what decides whether a value meets it
 * (matchers.c), and how it reads in a report (matcher_phrases.c). */
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
    ARGUMENT_FORM,
};

/* Returns what the value must be as an argument of that kind, "must be a list of patterns"; NULL if it is one. What
 * its patterns are is not looked at, and a string stands for a number: it may be a ${variable}. */
const char *argument_fault(enum argument argument, const struct tree *value);

struct matching;
struct value_place;
struct phrase;

struct matcher {
    const char *name;
    enum argument argument;
    bool (*match)(const struct matching *m, const struct value_place *at, const struct tree *argument);
    const char *begins; /* how a phrase of it begins */
    void (*phrase)(const struct phrase *p,
                   const struct tree *argument); /* says the rest; NULL: nothing, or `between` */
    const char *between; /* stands between the patterns of the argument; NULL: it is no list of them */
};

/* All of them; the last row has no name. */
extern const struct matcher matchers[];

/* Returns NULL if there is none of that name. */
const struct matcher *matcher_named(struct str name);
