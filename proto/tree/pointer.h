/* JSON Pointer (RFC 6901): where in a tree. "" is the root, "/inputs/0/data/15", "~1" is "/", "~0" is "~". */
#ifndef TREE_POINTER_H
#define TREE_POINTER_H

#include "tree/tree.h"

/* NULL if nothing is there or the pointer is malformed. */
struct tree *pointer_find(struct tree *root, struct str pointer);

/* The same in a tree that is only read. NULL for a root of NULL, too. */
const struct tree *pointer_look(const struct tree *root, struct str pointer);

/* Takes the last step off: "/inputs/0" is "/inputs" and "0". False for "" and for what does not start with a slash. */
bool pointer_split(struct str pointer, struct str *parent, struct str *step);

/* A step as the member name that it stands for, in the arena; a null pointer if it is malformed or memory is out. */
struct str pointer_name(struct arena *arena, struct str step);

/* A step as an index of an array: decimal, no leading zero. */
bool pointer_index(struct str step, size_t *index);

#endif
