/* A gRPC address, and the connection to it, which calls share as long as it accepts new streams. */
#pragma once

#include "client/http2.h"

struct channel {
    const struct client_options *options;
    struct str address;
    struct http2 *connection; /* NULL: there is none */
    bool is_used;             /* a call was made on it before the last one */
};

/* Returns the connection; a new one if the last one accepts no more streams. NULL: the answer says why there is
 * none. */
struct http2 *channel_connection(struct channel *channel, struct arena *arena, struct answer *answer);

/* Ends the connection. The next call makes another. */
void channel_disconnect(struct channel *channel);
