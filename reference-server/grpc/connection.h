/* A connection: its socket, plain or through TLS, with the bytes that come and go. What they mean is the business of
 * the layer above (session.h), which gives a table of functions and makes the struct larger.
 *
 *     NEW ---> SHAKING ---> OPEN ---> ENDING ---> CLOSED      from each of them to CLOSED; without TLS, NEW ---> OPEN
 *
 * All fields belong to the thread of the loop, but a NEW connection belongs to the listener. */
#pragma once

#include "grpc/loop.h"
#include "grpc/output.h"

#include <stdatomic.h>

struct ssl_ctx_st;
struct connection;

/* What the layer above does. */
struct connection_handler {
    bool (*open)(struct connection *connection);  /* returns false if that fails; `close` is called all the same */
    void (*close)(struct connection *connection); /* nothing may be written any more */
    bool (*take)(struct connection *connection, const uint8_t *bytes, size_t size); /* false: it is broken */
    bool (*fill)(struct connection *connection); /* puts what is to be written into its output; false: it is broken */
    bool (*is_over)(const struct connection *connection); /* all is said */
    /* Called a few times while the patience lasts; `silence`: nanoseconds without a byte from the client. Returns false
     * if the client did not do in time what it must do. */
    bool (*tick)(struct connection *connection, int64_t silence);
};

/* The connections of one loop, and what they share. */
struct connections {
    struct loop loop; /* must be first */
    const struct connection_handler *handler;
    size_t size;              /* of the struct of a connection with all layers above */
    struct ssl_ctx_st *tls;   /* NULL: plain */
    int64_t patience;         /* nanoseconds */
    struct connections *next; /* of another loop of the server */
    struct connection *first, *dirty, *closed;
    struct output *free_outputs;
    uint8_t *buffer; /* what was read in this turn */
    bool is_stopping;
    atomic_size_t count; /* for the listener */
};

enum connection_state { CONNECTION_NEW, CONNECTION_SHAKING, CONNECTION_OPEN, CONNECTION_ENDING, CONNECTION_CLOSED };

struct connection {
    struct loop_source source; /* must be first */
    struct post post;          /* hands a new connection to its loop */
    struct connections *all;
    struct connection *next, **link; /* among the connections of the loop */
    struct connection *next_dirty;   /* among those that are flushed at the end of this turn, while `is_dirty` */
    struct connection *next_closed;  /* among those that are freed at the end of this turn */
    enum connection_state state;
    int fd;
    struct ssl_st *tls;    /* NULL: plain */
    struct output *output; /* NULL: nothing waits */
    struct timer timer;
    int64_t received_at, written_at;
    bool is_dirty, is_blocked;
    bool is_due;    /* an answer waits to be written */
    bool is_read;   /* its frames are being read; then it is written */
    size_t unheard; /* bytes that came while it ends */
};

/* Opens the loop, too. Needs all fields up to `next`; the rest must be zero. connections_close is due also when this
 * fails. */
struct status connections_open(struct connections *all, int (*turn)(struct loop *loop), struct arena *arena);
void connections_close(struct connections *all);

/* Ends a turn: writes what is due, and frees what is closed. */
void connections_end_turn(struct connections *all);

/* Returns a connection for a socket that is still to be accepted; NULL without memory. */
struct connection *connection_new(size_t size);

/* Gives it a socket and a loop. `current` is the loop on whose thread this is called. */
void connection_begin(struct connection *connection, int fd, struct connections *all, const struct loop *current);
void connection_close(struct connection *connection);
void connection_flush(struct connection *connection);

/* Has connection_flush called at the end of this turn. */
void connection_mark(struct connection *connection);

/* Has `tick` called after some nanoseconds, and not earlier. */
void connection_set_timer(struct connection *connection, int64_t after);
