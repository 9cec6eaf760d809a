/* JSON text of a case's tree. */
#ifndef CLIENT_JSON_TEXT_H
#define CLIENT_JSON_TEXT_H

#include "tree/tree.h"

/* Compact; numbers as spelled; strings byte for byte, so that a case can send what is no UTF-8: only control
 * characters, quotes and backslashes are escaped. Codecs stand for the string of their bytes. */
struct status json_text(const struct tree *tree, struct arena *arena, struct buf *out);

void json_text_string(struct str text, struct buf *out);

#endif
