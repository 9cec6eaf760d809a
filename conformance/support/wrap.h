/* Breaks text for a person into lines of at most WRAP_COLUMNS characters. */
#pragma once

#include "base/buf.h"

#define WRAP_COLUMNS 80

/* Appends text, which must be printable, to the last line of `out`. Lines are broken at blanks, and after commas and
 * semicolons; each new one begins with `indent` blanks. A word that is longer than a line has one of its own. */
void append_wrapped(struct buf *out, struct str text, size_t indent);

/* The same of the first `most` bytes of any text, made printable (support/printable.h). */
void append_wrapped_printable(struct buf *out, struct str text, size_t most, size_t indent);

/* Appends a command for a POSIX shell, made printable. It is broken between words, by a backslash, so that it can be
 * copied with all its lines. */
void append_wrapped_command(struct buf *out, struct str command, size_t indent);
