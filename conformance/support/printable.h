/* Text from a peer, made harmless for a terminal, a log or a report. */
#ifndef SUPPORT_PRINTABLE_H
#define SUPPORT_PRINTABLE_H

#include "base/buf.h"

/* Appends `text` with everything that could do something to a terminal (control characters of C0 and C1, marks that
 * break lines or turn the direction, bytes that are no UTF-8) as \xNN. Doing it twice changes nothing. Stops after at
 * most `most` bytes of `text` and then appends "...". */
void append_printable(struct buf *out, struct str text, size_t most);

#endif
