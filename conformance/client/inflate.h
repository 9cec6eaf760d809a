/* Compressed gRPC messages. */
#pragma once

#include "client/answer.h"

/* Returns the inflated message, in the arena. Inflating stops at the limit; a longer message makes the answer
 * truncated. A message that does not inflate makes it garbled. `gzip`: the coding is gzip, else deflate. */
struct str inflate_message(struct str bytes, bool gzip, size_t limit, struct arena *arena, struct answer *answer);
