/* The port: opens it, accepts connections, and goes on when memory or file descriptors were short. It gives each
 * connection to the loop that has the fewest.
 *
 * All fields belong to the loop of `all`. */
#pragma once

#include "grpc/connection.h"

#define LISTEN_MAX 8

struct listening {
    struct loop_source source; /* must be first */
    struct listener *listener;
    int fd;
};

struct listener {
    struct connections *all; /* on whose loop connections are accepted; those of the other loops follow */
    struct listening sockets[LISTEN_MAX];
    size_t count;
    size_t most; /* connections at once; 0: no limit */
    int port;
    struct connection *spare; /* for the next client; NULL without memory */
    struct timer retry;       /* set while there is no memory or file descriptor for a connection, or no place */
};

/* Opens "HOST:PORT" or "[HOST]:PORT". All of the listener but `most` must be zero. */
struct status listener_open(struct listener *listener, struct connections *all, const char *text, struct arena *arena);
void listener_close(struct listener *listener); /* on the thread of its loop, or when that has ended */
