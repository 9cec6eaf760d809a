/* Writes a tree as compact JSON text. Numbers keep their spelling. Strings are written byte for byte, so that a case
 * can send text that is no UTF-8: only control characters, quotes and backslashes are escaped. */
#pragma once

#include "base/buf.h"
#include "tree/tree.h"

/* Appends the text of the tree to `out`, without blanks. */
void json_text(const struct tree *tree, struct buf *out);

/* Appends one string with its quotes. */
void json_text_string(struct buf *out, struct str text);
