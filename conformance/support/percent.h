/* Percent-encoding (RFC 3986, section 2.1). */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

/* Returns the text as one segment of a path, in the arena: every byte except the unreserved characters becomes %XX. */
struct str path_segment(struct str text, struct arena *arena);

/* Returns the text with every byte as %XX, in the arena. If it is then used by path_segment, it is encoded twice. */
struct str percent_every_byte(struct str text, struct arena *arena);
