/* The objects of fixtures and their members, as tables. The check (grammar.c) and the published schema (schema.c) use
 * the same rows. */
#pragma once

#include "suite/grammar.h"

enum kind {
    KIND_TEXT,
    KIND_TEXTS, /* a string or a list of strings */
    KIND_BOOL,
    KIND_NUMBER,
    KIND_LIST,
    KIND_OBJECT,
    KIND_PATTERNS, /* an object of named patterns */
    KIND_POINTERS, /* an object whose member names are JSON pointers */
    KIND_BYTES,    /* a string, a codec, or a list of them */
    KIND_VALUE,    /* text or codec */
    KIND_DATA,     /* a list of tensor elements, or a codec */
    KIND_ANY,
    KIND_CHOICE, /* one of the words in `choice` */
    KIND_SHAPE,  /* an object of that shape */
    KIND_SHAPES, /* a list of objects of that shape */
    KIND_MAP,    /* an object whose values have that shape */
    KIND_BY,     /* "accept", "code", or an object of that shape */
};

struct member {
    const char *name;
    enum kind kind;
    bool required;
    const char *act; /* the acts that the member belongs to; NULL: any act */
    const char *choice;
    const struct shape *shape;
};

struct shape {
    const char *name;
    const struct member *members;
    size_t count;
};

extern const struct shape case_shape, step_shape;

/* The shape of each kind of file, indexed by enum grammar. */
extern const struct shape *const shapes_of_files[];

/* All shapes, ended by NULL. */
extern const struct shape *const all_shapes[];

/* Takes the first word from a list of words that are separated by blanks. Returns false if no word is left. */
bool shapes_next_word(const char **words, struct str *word);
