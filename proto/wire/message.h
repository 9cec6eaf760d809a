/* Checks whole protobuf messages by their descriptors, and converts them to trees and back. The descriptors are those
 * that protoc-c makes of the published .proto files. A map is treated as its repeated entry message. */
#pragma once

#include "tree/tree.h"
#include "wire/wire.h"

#define WIRE_DEPTH 32 /* levels of nested messages */

/* Checks that `message` is well-formed for the descriptor, at every depth: the framing, the wire types of known
 * fields (packed and unpacked are accepted, another type is refused), UTF-8 in string fields (NUL is allowed), and
 * the depth. Unknown fields are skipped. Fails with INVALID_ARGUMENT, which names the path: "inputs[1].name is not
 * valid UTF-8". */
struct status wire_check(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena);

/* Reads a message into a tree: an object with the field names of the .proto file.
 *   scalars          are always there, with their default if need be; a member of a oneof only if it is set
 *   repeated         fields become lists
 *   sub-messages     are there only if present; repeated occurrences are merged
 *   maps             become an object by key; duplicates are kept, a missing value is the default
 *   integers, enums  become numbers, also those of 64 bits; a bool that is neither 0 nor 1 becomes its number
 *   floats           become the shortest number, or the string "NaN", "Infinity" or "-Infinity"
 *   string, bytes    become strings of bytes
 *
 * Unknown fields are left out. It fails as wire_check does. The texts of the tree point into `message`. Each element
 * and each field takes a node of about 100 bytes from the arena; when the budget of the arena is spent, it fails with
 * RESOURCE_EXHAUSTED. */
struct status wire_to_tree(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena,
                           struct tree **tree);

/* Writes a tree of that form as a message at the end of `out`, in the order of the fields. Absent members are not
 * written; repeated scalars are packed. Strings are written as they are, UTF-8 or not. A scalar that is zero is left
 * out, as proto3 does, except in a oneof or a map entry. Fixtures can say more: a member that is given twice is written
 * twice, a map may also be a list of {key, value} entries, and a number may be a string that spells it. Fails with
 * INVALID_ARGUMENT, which names a member that the message does not have or whose type does not fit; `out` then ends
 * with an incomplete message. */
struct status wire_from_tree(const ProtobufCMessageDescriptor *type, const struct tree *tree, struct buf *out,
                             struct arena *arena);
