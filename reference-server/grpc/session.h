/* HTTP/2 on a connection, by libnghttp2. The callbacks of libnghttp2 call the layer above through a table of functions
 * (struct session_handler). libnghttp2 checks the rules of RFC 9113 for frames, and ends connections that flood it;
 * request_fields.h has the rules for requests. The layer above submits its answers to `nghttp2` directly, with its own
 * source of data.
 *
 * All fields belong to the thread of the loop. */
#pragma once

#include "grpc/blocks.h"
#include "grpc/connection.h"

#define METADATA_MAX   ((size_t)8192) /* bytes of headers of a call, with FIELD_OVERHEAD for each */
#define FIELD_OVERHEAD 32             /* RFC 9113, 6.5.2 */
#define STREAMS_MAX    1024           /* calls at once on one connection */
#define STREAM_WINDOW  (256 * 1024)   /* bytes of a call that may come before its message is admitted */

struct session;
struct server_call; /* what the layer above keeps for a stream */

/* What the layer above does. */
struct session_handler {
    void (*open)(struct session *session);
    void (*close)(struct session *session); /* nothing may be submitted any more */
    /* A request begins. Returns NULL without memory; then `refuse` is called when its head has come. */
    struct server_call *(*begin)(struct session *session, int32_t stream);
    void (*refuse)(struct session *session, int32_t stream);
    /* The first headers are the head of the request; others are its trailers, which must end it. */
    void (*take_header)(struct server_call *call, struct str name, struct str value);
    void (*end_headers)(struct server_call *call, bool is_end);
    void (*take_data)(struct server_call *call, struct str bytes);
    void (*end)(struct server_call *call);
    void (*frames_taken)(struct session *session); /* all frames of the bytes that were read together */
    /* Puts the next `size` bytes of an answer into the output: as many as its source of data has announced. */
    void (*put)(struct server_call *call, struct output *output, size_t size);
    void (*sent)(struct server_call *call);         /* all of its answer is in frames */
    void (*close_stream)(struct server_call *call); /* nothing comes or goes any more */
    /* Resets the streams on which no byte was received or sent since that time. Returns whether there are any
     * streams. */
    bool (*tick)(struct session *session, int64_t since);
};

/* What all sessions of a server share. */
struct http2 {
    const struct session_handler *handler;
    size_t padding;                                                                             /* see rpc.h */
    long (*receive)(nghttp2_session *nghttp2, void **state, const uint8_t *bytes, size_t size); /* see rpc.h */
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
};

/* The sessions of one loop. */
struct sessions {
    struct connections connections; /* must be first */
    const struct http2 *http2;
    struct blocks blocks;
};

struct session {
    struct connection connection; /* must be first */
    const struct http2 *http2;
    nghttp2_session *nghttp2; /* NULL: closed */
    int32_t stream;           /* the stream of `call` */
    struct server_call *call;
    size_t block_size; /* bytes of the block of headers that came last, as METADATA_MAX counts them */
    bool is_greeted;   /* the client's SETTINGS have come */
    bool is_pinged;    /* nothing was received since our last PING */
    bool is_draining;  /* the first GOAWAY is sent */
    void *received;    /* the state of http2->receive */
};

/* Needs `handler`, `padding` and `receive`. http2_close is due also when this fails. */
struct status http2_open(struct http2 *http2);
void http2_close(struct http2 *http2);

/* Also opens the connections and their loop (connection.h, loop.h). */
struct status sessions_open(struct sessions *all, const struct http2 *http2, int (*turn)(struct loop *loop),
                            struct arena *arena);
void sessions_close(struct sessions *all);

/* The layer above no longer keeps anything for the stream. */
void session_forget(struct session *session, int32_t stream);
void session_reset(struct session *session, int32_t stream, uint32_t error);

/* Sends GOAWAY (RFC 9113, 6.8): calls that have begun go on, and the connection ends after the last one. */
void session_drain(struct session *session);

/* Sends GOAWAY, writes what it can without waiting for calls, and closes the connection. */
void session_end(struct session *session);
