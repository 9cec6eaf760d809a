/* The verbs that change a tree. Fixtures turn a valid request into an invalid one with them, and deviations turn a
 * valid answer into an invalid one:
 *   set {ptr: value}     replaces the value at ptr; the value must exist and must change
 *   add {ptr: value}     adds a member that must not exist yet, or inserts an element before an index ("/-" appends)
 *   remove ptr           removes the value; a list of pointers is possible
 *   copy {to: from}      sets or adds, at `to`, a copy of the value at `from`
 *   rename {ptr: name}   gives a member another name and keeps its place */
#pragma once

#include "tree/tree.h"

/* Applies the verbs that are members of `change` to *root, in the order above; other members are ignored. Values are
 * copied into the arena. Fails with INVALID_ARGUMENT, which names the verb and the pointer. */
struct status change_apply(struct tree **root, const struct tree *change, struct arena *arena);
