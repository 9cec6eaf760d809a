/* The verbs that turn a right request into a wrong one (fixtures), and a right answer into a wrong one (deviations):
 *   set {ptr: value}     replaces what is there; must find and change it
 *   add {ptr: value}     a member that must not be there yet, or an element inserted before an index ("/-" appends)
 *   remove ptr           or a list of pointers
 *   copy {to: from}      sets or adds at `to` a copy of what is at `from`
 *   rename {ptr: name}   gives a member another name in its place */
#ifndef TREE_CHANGE_H
#define TREE_CHANGE_H

#include "tree/tree.h"

/* Applies the verbs that are members of `change` (other members are ignored) to *root, in the order above. Values are
 * copied. INVALID_ARGUMENT names the verb and the pointer that does not fit. */
struct status change_apply(struct tree **root, const struct tree *change, struct arena *arena);

#endif
