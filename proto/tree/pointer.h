/* JSON Pointer (RFC 6901): where in a tree. "" is the root, "/inputs/0/data/15", "~1" is "/", "~0" is "~". */
#ifndef TREE_POINTER_H
#define TREE_POINTER_H

#include "tree/tree.h"

/* NULL if nothing is there or the pointer is malformed. */
struct tree *pointer_find(struct tree *root, struct str pointer);

#endif
