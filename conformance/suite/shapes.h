/* The objects of a fixture and their members, as tables: the check (grammar.c) and the published schema (schema.c) read
 * the same rows. */
#ifndef SUITE_SHAPES_H
#define SUITE_SHAPES_H

#include "suite/grammar.h"

enum kind {
    KIND_TEXT,
    KIND_TEXTS, /* a text or a list of texts */
    KIND_BOOL,
    KIND_NUMBER,
    KIND_LIST,
    KIND_OBJECT,
    KIND_PATTERNS, /* an object of patterns with names */
    KIND_POINTERS, /* an object whose names are JSON pointers */
    KIND_BYTES,    /* a text, a codec, or a list of them */
    KIND_VALUE,    /* text or codec */
    KIND_DATA,     /* a list of tensor elements, or a codec */
    KIND_ANY,
    KIND_CHOICE, /* one of the words in `choice` */
    KIND_SHAPE,  /* an object of the shape */
    KIND_SHAPES, /* a list of objects of the shape */
    KIND_MAP,    /* an object whose values are of the shape */
    KIND_BY,     /* "skip", "code", or an object of the shape */
};

struct member {
    const char *name;
    enum kind kind;
    bool required;
    const char *act; /* the acts that it belongs to; NULL: any */
    const char *choice;
    const struct shape *shape;
};

struct shape {
    const char *name;
    const struct member *members;
    size_t count;
};

extern const struct shape case_shape, step_shape;

/* What each kind of file holds, by enum grammar. */
extern const struct shape *const shapes_of_files[];

/* Every shape there is, ended by NULL. */
extern const struct shape *const all_shapes[];

/* Takes the first of words with a blank between them; false if there is none left. */
bool shapes_next_word(const char **words, struct str *word);

#endif
