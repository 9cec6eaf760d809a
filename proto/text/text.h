/* proto/text/ reads and prints the text form of protobuf messages, with libprotobuf. What a server prints for each
 * request is written by write.h. It may include base/, json/ and wire/,
 * and nothing else. The messages are those of the schemas in this program: trtis_v1.proto and model_config.proto.
 *
 * No text breaks it: brackets are followed TEXT_DEPTH levels deep, and memory grows with the text only. */
#pragma once

#include "base/buf.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TEXT_DEPTH 32 /* levels of nested messages */

/* A type of messages. It is valid as long as the program runs. */
struct text_type;

/* Finds the type of that name in proto/schema/SCHEMA.proto; the name is without the package. Returns NULL if there is
 * none. */
const struct text_type *text_type_of(const char *schema, const char *name);

/* Reads a text and appends the message on the wire to `message`; fields and keys of maps are in order. Strings are not
 * checked to be UTF-8. Fails with INVALID_ARGUMENT, which names line, column and fault. */
struct status text_read(const struct text_type *type, struct str text, struct arena *arena, struct buf *message);

enum text_form {
    TEXT_LINE,  /* one line, single blanks: code: SUCCESS server_id: "a" */
    TEXT_LINES, /* a field in each line, indented by two blanks for each level; each line ends with LF */
};

/* Prints a message as text at the end of `text`. Fields are printed in the order of their numbers, those with the
 * default left out; entries of maps in the order of their keys; enums by name. Of strings, what is not printable ASCII
 * is escaped. Unknown fields are printed by their numbers. Fails with INVALID_ARGUMENT if the bytes are no such message
 * or a string is not UTF-8. */
struct status text_print(const struct text_type *type, struct str message, enum text_form form, struct arena *arena,
                         struct buf *text);

#ifdef __cplusplus
}
#endif
