/* The port: opens it, accepts connections, and goes on when memory or file descriptors were short. It gives each
 * connection to the loop that has the fewest.
 *
 * All fields belong to the loop of `all`. */
#pragma once

#include "grpc/connection.h"

struct listener {
    struct loop_source source; /* must be first */
    struct connections *all;   /* on whose loop connections are accepted; those of the others follow. NULL: not open */
    int fd;
    int port;
    size_t most;              /* connections at once; 0: no limit */
    struct connection *spare; /* for the next client; NULL without memory */
    struct timer retry;       /* set while there is no memory or file descriptor for a connection, or no place */
};

/* Opens "HOST:PORT" or "[HOST]:PORT", where the host is an address of IP. All of the listener but `most` must be
 * zero. */
struct status listener_open(struct listener *listener, struct connections *all, const char *text, struct arena *arena);
void listener_close(struct listener *listener); /* on the thread of its loop, or when that has ended */
