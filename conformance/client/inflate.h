/* A gRPC message that came compressed. */
#ifndef CLIENT_INFLATE_H
#define CLIENT_INFLATE_H

#include "client/client.h"

/* The message in the arena, inflated no further than to the limit: the answer is truncated where it has more, and
 * garbled where it does not inflate. `gzip`: the coding; else deflate. */
struct str inflate_message(struct str bytes, bool gzip, size_t limit, struct arena *arena, struct answer *answer);

#endif
