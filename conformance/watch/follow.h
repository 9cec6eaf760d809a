/* Following: a thread reads what passed on each connection and makes exchanges of it. The relay never waits for it. */
#pragma once

#include "watch/relay.h"
#include "watch/traffic.h"

#define KEPT_MAX   ((size_t)1 << 20)   /* bytes of a message that are judged */
#define QUEUED_MAX ((size_t)256 << 20) /* bytes of all connections that wait to be followed; more are lost */

/* How the bytes of a connection are read. */
struct reader {
    void *(*create)(struct traffic *traffic, const struct port *port);
    /* Reads bytes; none: this side has ended. Returns why no more of the connection can be judged; NULL: it can. */
    const char *(*take)(void *reader, enum side side, struct str bytes);
    void (*destroy)(void *reader);
};

extern const struct reader http_reader, grpc_reader; /* follow_http.c, follow_grpc.c */

struct follower;

/* Starts the thread. Everything that it finds goes to `traffic`, which nobody else may use until follower_finish. */
struct follower *follower_start(struct traffic *traffic);

/* What the relay tells; from its thread. */
struct relay_receiver follower_receiver(struct follower *follower);

/* Waits until everything is followed that was told, and frees the follower. */
void follower_finish(struct follower *follower);
