/* The relay stands between clients and a server and passes every byte on, in both directions, as soon as it comes. A
 * follower then gets a copy of the bytes.
 *
 * The folder watch/ passes traffic on and judges what it shows without knowing what was meant: it sends nothing of its
 * own. It uses judge/, plan/, protocols/, pattern/, suite/, client/ and support/. */
#pragma once

#include "base/status.h"
#include "client/endpoint.h"

#include <sys/socket.h>

struct client_options;

enum side { SIDE_CLIENT, SIDE_SERVER, SIDES }; /* who sends */

/* A place where clients are met, and the server that they mean. */
struct port {
    const struct endpoint *endpoint;
    struct str listen, target;       /* "127.0.0.1:9000": once it is open, with the port that it has */
    struct str prefix;               /* the path in the target's address, mostly empty */
    struct sockaddr_storage reached; /* the address of the target, once it was reached */
    socklen_t reached_size;
    int listener; /* -1 until it is open */
};

/* What the relay tells; each may be called many times a second and must return soon. `context` is the receiver's. */
struct relay_receiver {
    void *context;
    void *(*opened)(void *context, const struct port *port); /* returns its own name for the connection */
    void (*passed)(void *context, void *connection, enum side side, struct str bytes); /* none: it sends no more */
    void (*closed)(void *context, void *connection); /* the connection is over on both sides */
    void (*unreachable)(void *context, const struct port *port, const char *why);
};

/* Begins to listen. INVALID_ARGUMENT says what is wrong with the address; FAILED_PRECONDITION that the port cannot be
 * had. port_close is needed in both cases. */
struct status port_open(struct port *port, struct arena *arena);
void port_close(struct port *port);

/* Connects to the target once, to find its address. Returns why it cannot be reached; empty if it can. */
struct str port_reach(struct port *port, const struct client_options *options, struct arena *arena);

/* Passes bytes on until `stop`, a descriptor, can be read. Connections that are open then are closed. */
void relay_run(const struct port *ports, size_t count, int stop, const struct relay_receiver *receiver);
