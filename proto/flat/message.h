/* Converts whole flatbuffers to trees and back, by a schema. */
#pragma once

#include "flat/flat.h"
#include "flat/schema.h"
#include "tree/tree.h"

#define FLAT_DEPTH 32 /* levels of nested tables */

/* Reads a message whose root is a `root` into a tree: an object with the field names of the schema.
 *   scalars            are always there, with their default 0 if they are absent
 *   enums              become the name of the value, or the number of one that has no name
 *   strings, bytes     become strings of bytes
 *   lists of others    become lists
 *   unions             are there if present; the type before them is an enum. If the type has no table, or the value is
 *                      not read as that table, only the type is there
 * Absent strings, lists, tables and unions are not there, and an empty one is. Fields that the schema does not know are
 * left out.
 *
 * *odd (may be NULL) gets what a strict reader would refuse. Fails with INVALID_ARGUMENT, which names the path and the
 * position ("malformed flatbuffer in errors[1].message: ... at byte 20"), and with RESOURCE_EXHAUSTED if the arena is
 * exhausted. The texts of the tree point into `message`. */
struct status flat_to_tree(const struct flat_table *root, struct str message, struct arena *arena, struct tree **tree,
                           struct flat_oddities *odd);

/* Writes a tree of that form as a message at the end of `out`. Absent members and null are not written, and neither are
 * scalars that are zero. Fixtures can say more: an enum may be a number that has no name, a list of bytes may be a list
 * of numbers, a number may be a string that spells it. A union whose type does not fit is written as the first table of
 * the union that has all of its members. Fails with INVALID_ARGUMENT, which names a member that the table does not have
 * or whose type does not fit; `out` then ends with an incomplete message. */
struct status flat_from_tree(const struct flat_table *root, const struct tree *tree, struct buf *out,
                             struct arena *arena);
