/* Messages of the known gRPC schemas in protobuf's text form, as trees (wire/message.h). */
#pragma once

#include "base/buf.h"
#include "tree/tree.h"

#include <protobuf-c/protobuf-c.h>

/* Reads the text form of a message into a tree, in the arena. INVALID_ARGUMENT says what is wrong with the text: a
 * field that the schema does not have is wrong, too. */
struct status text_message_read(const ProtobufCMessageDescriptor *type, struct str text, struct arena *arena,
                                struct tree **tree);

/* Appends the text form of a tree, on one line. INVALID_ARGUMENT if the tree is no such message, or has strings that
 * are no UTF-8. */
struct status text_message_print(const ProtobufCMessageDescriptor *type, const struct tree *tree, struct arena *arena,
                                 struct buf *text);
