/* Makes text from a peer harmless for a terminal, a log or a report. */
#pragma once

#include "base/buf.h"

/* Returns the code point of a character of UTF-8 that takes `size` bytes (str_utf8_first). */
unsigned code_point(const char *character, size_t size);

/* Appends `text`. Everything that can affect a terminal is written as \xNN: control characters of C0 and C1, marks that
 * break lines, turn the direction or are not seen, bytes that are no UTF-8. Applying it twice changes nothing more.
 * After at most `most` bytes of `text` it stops and appends "...". */
void append_printable(struct buf *out, struct str text, size_t most);

/* Appends JSON in which what would be written as \xNN in a text is escaped. */
void append_printable_json(struct buf *out, struct str json);

/* The same for a text of several lines, of any length: its line ends stay. */
void append_printable_lines(struct buf *out, struct str text);

/* Returns how many bytes of the text stand before the first one that is written as \xNN; white space is none of these.
 * What begins as text and goes on as bytes can so be shown as both. */
size_t printable_prefix(struct str text);
