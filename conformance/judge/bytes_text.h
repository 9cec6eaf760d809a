/* Bytes for a person who learns what is sent: hexadecimal digits, eight bytes a line, with what they mean beside them.
 * No line has more than 80 columns. The bytes may be hostile. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

#include <protobuf-c/protobuf-c.h>

/* Appends lines that begin with `begin`, which has at most 8 columns, with the letters among the bytes beside them. */
void bytes_text(struct str bytes, const char *begin, struct buf *out);

/* The same for a message, field by field, each with its name and value. What is no such message is told as bytes. */
void bytes_text_message(const ProtobufCMessageDescriptor *type, struct str message, const char *begin,
                        struct arena *arena, struct buf *out);
