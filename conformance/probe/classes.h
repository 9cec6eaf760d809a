/* The classes of an output, as the extension for them has it, that follow from its plain values. */
#pragma once

#include "tree/tree.h"

/* Returns {count, top, all} in the arena: how many elements the output has, a pattern over its largest class, and
 * patterns over all of them, the largest first. Any of several elements that are about equal may have a place. `count`
 * is 0 and `all` is empty if the classes are not known for certain: the output (which may be NULL) is not of whole
 * numbers or of floats of 32 or 64 bits, holds no number, or is not one row of a batch of one. `all` is also empty if
 * there are many. */
struct tree *classes_of(const struct tree *output, struct arena *arena);
