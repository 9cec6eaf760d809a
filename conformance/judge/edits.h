/* Smaller requests of nearly the same meaning: what can be left out of an act, or made smaller in it, so that a right
 * request stays right, as far as the act shows: what every tensor has stays, and shape and data stay in step. Pure
 * functions of trees; what becomes of such a request is a matter of judge/shrink.h. */
#pragma once

#include "support/memory.h"
#include "tree/tree.h"

enum edit_kind {
    EDIT_DROP, /* children of an object or list are left out */
    EDIT_ZERO, /* elements of a list become 0, false or "" */
    EDIT_CUT,  /* a string loses bytes at its end, a whole number is so much nearer to 0 */
    EDIT_ROWS, /* all tensors of a list with the same first dimension lose so many rows at their end */
};

struct edit {
    enum edit_kind kind;
    struct str at;      /* pointer to what is edited */
    size_t from, count; /* of children, elements, bytes or rows */
    size_t weight;      /* bytes that it concerns: the larger, the earlier it is worth a try */
};

struct edit_rules {
    const struct tree *expected; /* texts that stand there, too, are left as they are; NULL: none is */
    bool keeps_values;           /* shapes and data of tensors are left as they are */
};

/* Returns how many bytes the JSON of a node has. */
size_t edit_weight(const struct tree *node);

/* Returns the edits that the act can have (struct edit *), those of the largest weight first, in the arena. */
struct list edits_of(const struct tree *act, const struct edit_rules *rules, struct arena *arena);

/* Returns a whole copy of the act with the edit, in the arena; one without it, if what is edited is not there. */
struct tree *edit_apply(const struct tree *act, const struct edit *edit, struct arena *arena);
