/* Internal to pattern/: what the files behind match.h share. */
#pragma once

#include "pattern/match.h"
#include "pattern/matchers.h"
#include "tensor/datatype.h"

struct matching {
    struct arena *arena;
    struct str *why;        /* gets the first difference; NULL while a pattern is only tried */
    struct str *fault;      /* gets a fault of the suite */
    struct str *names;      /* gets the names of $any that matched */
    bool literal;           /* the pattern is an answer: nothing in it is a matcher or a codec */
    enum likeness likeness; /* how much two answers must be alike */
    enum datatype datatype; /* the datatype of the tensor; set while its "data" is compared */
    bool outputs_by_name;   /* at the root, the list "outputs" matches by name */
    bool by_name;           /* this value is the list "outputs", which matches by name */
    bool only;              /* the list "outputs" may hold no more than the pattern */
};

struct value_place {
    const struct value_place *parent; /* NULL: the root */
    struct str name;                  /* name of the member; null for an element of a list, which has an index */
    size_t index;
    struct str tensor;        /* name of an output, printed after the pointer */
    const struct tree *value; /* what is there; NULL: nothing */
};

/* Writes the first difference: pointer and sentence. Always returns false. */
bool differ(const struct matching *m, const struct value_place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool differ_values(const struct matching *m, const struct value_place *at, const struct tree *pattern);

/* Keeps, of attempts to match, the difference that lies deepest in the value: that of the pattern that was meant, or of
 * the element. try_nearest makes one attempt. differ_nearest reports what was kept, unless it lies no deeper than `at`:
 * a reader then learns more from the values themselves. */
struct best_attempt {
    struct str why;
    size_t depth, attempts;
};
void try_nearest(const struct matching *m, const struct value_place *at, const struct tree *pattern,
                 struct best_attempt *nearest);
void differ_nearest(const struct matching *m, const struct value_place *at, const struct best_attempt *nearest);

/* Whether a difference is to be reported, and the value is too long to be shown whole: what differs may lie after what
 * is shown. */
bool is_too_long(const struct matching *m, const struct tree *value);

/* Reports a fault of the suite, not of the answer. Always returns false. */
bool faulty(const struct matching *m, const struct value_place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* These print a value, and what a pattern demands, as one line for a person; "nothing" for NULL. Never NULL. */
const char *tree_line(const struct matching *m, const struct tree *tree);
const char *pattern_line(const struct matching *m, const struct tree *pattern);

/* Returns a copy that reports no differences, for trying a pattern. */
struct matching trial(const struct matching *m);

/* Records a $any name that matched. */
void add_name(const struct matching *m, struct str name);

/* Compares any pattern with any value. */
bool match_at(const struct matching *m, const struct value_place *at, const struct tree *pattern);
bool match_scalar(const struct matching *m, const struct value_place *at, const struct tree *pattern);

/* These compare tensor data; m->datatype is known. match_data compares a list with a list or a codec, match_element one
 * element with one, match_ulps elements within a distance. */
bool match_data(const struct matching *m, const struct value_place *at, const struct tree *pattern);
bool match_element(const struct matching *m, const struct value_place *at, const struct tree *pattern);
bool match_ulps(const struct matching *m, const struct value_place *at, const struct tree *argument);

/* Compares the data of a tensor with its shape: $tensor. The value is an object with shape and data. */
bool match_tensor(const struct matching *m, const struct value_place *at, const struct tree *argument);

/* These compare bytes: match_pieces compares a list of BYTES with a body, match_codec a codec with a string. */
bool match_pieces(const struct matching *m, const struct value_place *at, const struct tree *pattern);
bool match_codec(const struct matching *m, const struct value_place *at, const struct tree *pattern);

/* Makes the bytes of a codec, or of what else stands for bytes, in the arena. False after a fault of the suite. */
bool bytes_of(const struct matching *m, const struct value_place *at, const struct tree *pattern, struct str *bytes);
