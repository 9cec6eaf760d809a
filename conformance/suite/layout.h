/* How the files of fixtures/ are laid out, so that two people write the same text for the same case and a change shows
 * as the line that it is.
 *
 *   - No line is longer than LAYOUT_COLUMNS. What fits on a line stays on it. What does not is broken into a line for
 *     each member or element; but texts, numbers and their like fill lines together, as do lists of nothing else among
 *     the members of an object.
 *   - The file itself, `neighbours` and `observations` have a line for each of their members, however short.
 *   - Neighbours and deviations stand in the byte order of their names; every other order is the writer's.
 *
 * Numbers, texts and names keep the spelling that they have in the file, escapes included. */
#ifndef SUITE_LAYOUT_H
#define SUITE_LAYOUT_H

#include "suite/suite.h"

#define LAYOUT_COLUMNS 120

/* Appends the file as it is to be laid out. Only a text, a number or a name that is itself too long makes a line longer
 * than LAYOUT_COLUMNS. */
void layout_write(const struct suite_file *file, struct buf *out);

/* The columns of a line: its characters, whatever they are written with. */
size_t layout_columns(struct str line);

#endif
