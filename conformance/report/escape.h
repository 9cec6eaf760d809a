/* Text from anywhere inside XML and HTML, and how each HTML page begins. It is first made printable
 * (support/printable.h), so that no byte is left that XML 1.0 forbids or that no one can see, then its signs of markup
 * are escaped. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

/* Appends text for an element or an attribute in double quotes. Of a longer text the first `most` bytes are kept, and
 * "..." follows them. */
void append_escaped(struct buf *out, struct str text, size_t most);

/* Returns the same text in the arena. */
const char *escaped(struct arena *arena, struct str text, size_t most);

/* The same for a text of several lines, of any length: its line ends stay. */
void append_escaped_lines(struct buf *out, struct str text);

/* Appends text that no reader of markdown takes for markup, on one line: signs of markdown get a backslash, those of
 * HTML become references. Of a longer text the first `most` bytes are kept. */
void append_markdown(struct buf *out, struct str text, size_t most);

/* The same as a cell of a table, with the bar after it. */
void append_markdown_cell(struct buf *out, struct str text, size_t most);

/* Appends the head of a page that needs no other file: the title, which is text of any bytes, the style sheet of all
 * pages (page.css), and what `style` adds to it. The body is to follow. */
void append_html_head(struct buf *out, struct str title, struct str style);
