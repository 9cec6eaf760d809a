/* Whole protobuf messages by their descriptor: checked, and turned into a tree and back. Descriptors are those that
 * protoc-c makes of the published .proto files; a map is its repeated entry message. */
#ifndef WIRE_MESSAGE_H
#define WIRE_MESSAGE_H

#include "tree/tree.h"
#include "wire/wire.h"

#define WIRE_DEPTH 32 /* nested messages */

/* Checks that `message` is well-formed for the descriptor, to every depth: framing, wire types of known fields (packed
 * and unpacked accepted; another wire type of a known field is refused), UTF-8 in string fields (NUL is allowed),
 * depth. INVALID_ARGUMENT names the path: "inputs[1].name is not valid UTF-8". Unknown fields are skipped. */
struct status wire_check(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena);

/* Reads a message into a tree: an object with the .proto's field names; scalars always (defaults shown; a oneof's only
 * when set), repeated fields as lists, sub-messages only if present (repeated occurrences merge), maps as an object by
 * key (duplicates kept, a missing value is the default), 64-bit integers as numbers, floats shortest (NaN and
 * infinities as the strings "NaN", "Infinity", "-Infinity"), string and bytes as strings of bytes, enums as numbers,
 * and a bool that is neither 0 nor 1 as its number.
 * Unknown fields are left out. Fails as wire_check does. Text of the tree points into `message`. Memory: a node (about
 * 100 bytes) an element and a field shown; the arena's budget is the bound, RESOURCE_EXHAUSTED when it is spent. */
struct status wire_to_tree(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena,
                           struct tree **tree);

/* Writes a tree of that form as a message, in field order; absent members are absent, repeated scalars packed. Strings
 * are written as they are, UTF-8 or not. Defaults that the tree holds are written only where proto3 would (a scalar
 * that is zero is left out, unless it is in a oneof or a map entry). For what a fixture must be able to say: a member
 * given twice is written twice, a map may also be a list of {key, value} entries, numbers may be strings that spell
 * them. INVALID_ARGUMENT names a member that the message does not have, or whose type does not fit; `out` then ends in
 * half a message. */
struct status wire_from_tree(const ProtobufCMessageDescriptor *type, const struct tree *tree, struct buf *out,
                             struct arena *arena);

#endif
