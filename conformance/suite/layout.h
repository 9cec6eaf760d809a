/* The layout of the files in fixtures/. It is fixed, so that two people write the same text for the same case, and a
 * change shows as the lines that it changes.
 *
 *   - No line is longer than LAYOUT_COLUMNS. A value that fits on a line stays on it. A longer one is broken into a
 *     line for each member or element; but texts, numbers and other scalars share lines, as do lists of scalars among
 *     the members of an object.
 *   - The file itself, `neighbours` and `observations` have a line for each of their members, however short.
 *   - Neighbours and deviations are sorted by name, by bytes; every other order is the author's.
 *
 * Numbers, texts and names keep the spelling that they have in the file, escapes included. */
#pragma once

#include "suite/suite.h"

#define LAYOUT_COLUMNS 120

/* Appends the file in its layout. A line is longer than LAYOUT_COLUMNS only if one text, number or name is too long. */
void layout_write(const struct suite_file *file, struct buf *out);

/* How many columns a line has: one for each character, however many bytes the character takes. */
size_t layout_columns(struct str line);
