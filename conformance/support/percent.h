/* Percent-encoding (RFC 3986, section 2.1). */
#ifndef SUPPORT_PERCENT_H
#define SUPPORT_PERCENT_H

#include "base/arena.h"
#include "base/buf.h"

/* `text` as one segment of a path: every byte but the unreserved characters as %XX. In the arena. */
struct str path_segment(struct str text, struct arena *arena);

/* Every byte as %XX. Where the result becomes a segment of a path it is encoded a second time. In the arena. */
struct str percent_every_byte(struct str text, struct arena *arena);

#endif
