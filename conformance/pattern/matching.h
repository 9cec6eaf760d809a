/* Inside of matching: what the files of match.h share. */
#ifndef PATTERN_MATCHING_H
#define PATTERN_MATCHING_H

#include "pattern/match.h"
#include "tensor/datatype.h"

struct matching {
    struct arena *arena;
    struct str *why;        /* first difference; NULL when only tried */
    struct str *fault;      /* of the suite */
    struct str *names;      /* $any names that matched */
    bool literal;           /* the pattern is an answer: nothing in it is a matcher or a codec */
    enum likeness likeness; /* of two answers */
    enum datatype datatype; /* inside "data" */
    bool outputs_by_name;   /* at the root */
    bool by_name;           /* this value is the list "outputs" */
    bool only;              /* and may hold no more */
};

struct place {
    const struct place *parent; /* NULL: the root */
    struct str name;            /* of a member; else null and an index */
    size_t index;
    struct str tensor; /* the name of an output, said behind the pointer */
};

/* Writes the first difference: pointer and sentence. Always false. */
bool differ(const struct matching *m, const struct place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool differ_values(const struct matching *m, const struct place *at, const struct tree *pattern,
                   const struct tree *value);

/* The suite is at fault, not the answer. Always false. */
bool faulty(const struct matching *m, const struct place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A value as one line for a person; "nothing" for NULL. Never NULL. */
const char *tree_line(const struct matching *m, const struct tree *tree);

/* A copy that finds out without saying. */
struct matching trial(const struct matching *m);

/* A $any name that matched. */
void add_name(const struct matching *m, struct str name);

/* Any pattern against any value (NULL: absent). */
bool match_at(const struct matching *m, const struct place *at, const struct tree *pattern, const struct tree *value);
bool match_scalar(const struct matching *m, const struct place *at, const struct tree *pattern,
                  const struct tree *value);

/* Tensor data, m->datatype being known: a list or a codec against a list, one element against one, two lists within a
 * distance. */
bool match_data(const struct matching *m, const struct place *at, const struct tree *pattern, const struct tree *value);
bool match_element(const struct matching *m, const struct place *at, const struct tree *pattern,
                   const struct tree *value);
bool match_ulps(const struct matching *m, const struct place *at, const struct tree *argument,
                const struct tree *value);

/* Bytes; a list of BYTES against a body; a codec against a string. */
bool match_pieces(const struct matching *m, const struct place *at, const struct tree *pattern,
                  const struct tree *value);
bool match_codec(const struct matching *m, const struct place *at, const struct tree *pattern,
                 const struct tree *value);

/* The row of a matcher; NULL if the pattern is none. */
struct matcher {
    const char *name;
    bool (*match)(const struct matching *m, const struct place *at, const struct tree *argument,
                  const struct tree *value);
};
const struct matcher *find_matcher(const struct tree *pattern);

#endif
