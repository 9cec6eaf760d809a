/* Command lines for a POSIX shell. */
#pragma once

#include "base/buf.h"

/* Appends the text as one word: in single quotes, whatever it contains. */
void shell_quote(struct str text, struct buf *out);

/* Appends the text as one word: in quotes only if it has characters that mean something to the shell. */
void shell_word(struct str text, struct buf *out);
