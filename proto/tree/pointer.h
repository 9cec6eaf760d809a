/* JSON Pointer (RFC 6901), which names a place in a tree. "" is the root, "/inputs/0/data/15" is an element; "~1"
 * stands for "/", "~0" for "~". */
#pragma once

#include "tree/tree.h"

/* Returns NULL if nothing is there or the pointer is malformed. */
struct tree *pointer_find(struct tree *root, struct str pointer);

/* Does the same for a tree that is only read. Returns NULL also if `root` is NULL. */
const struct tree *pointer_look(const struct tree *root, struct str pointer);

/* Splits off the last step: "/inputs/0" gives "/inputs" and "0". Returns false for "" and for a text that does not
 * start with a slash. */
bool pointer_split(struct str pointer, struct str *parent, struct str *step);

/* Decodes a step into the member name that it stands for, in the arena. The result has a null pointer if the step is
 * malformed or there is no memory. */
struct str pointer_name(struct arena *arena, struct str step);

/* Appends a slash and the step that stands for the name. */
void pointer_append(struct buf *out, struct str name);

/* Returns "pointer/name" in the arena, with the name as pointer_append writes it. */
struct str pointer_child(struct arena *arena, struct str pointer, struct str name);

/* Reads a step as an index of an array: decimal, without leading zeros. Returns false if it is none. */
bool pointer_index(struct str step, size_t *index);
