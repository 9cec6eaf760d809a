/* HTTP/2 by libnghttp2, on a connection: what it tells of frames goes to the layer above, which gives a table of
 * functions, and what it asks for comes from there. It checks the rules of RFC 9113 for frames by itself, and ends
 * connections that flood it; those for requests are in request_fields.h. The layer above submits its answers to
 * `nghttp2` itself, with one of its own as the source of their data.
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
struct server_call; /* what the layer above has for a stream */

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
    void (*frames_taken)(struct session *session); /* those of some bytes, as a whole */
    /* Puts the next bytes of an answer, as many as its source of data has said, into the output. */
    void (*put)(struct server_call *call, struct output *output, size_t size);
    void (*sent)(struct server_call *call);         /* all of its answer is in frames */
    void (*close_stream)(struct server_call *call); /* nothing comes or goes any more */
    /* Resets the streams of which no byte came or went since then. Returns whether there are any streams. */
    bool (*tick)(struct session *session, int64_t since);
};

/* What all sessions of a server share. */
struct http2 {
    const struct session_handler *handler;
    size_t padding;                                                                             /* see rpc.h */
    long (*receive)(nghttp2_session *nghttp2, void **state, const uint8_t *bytes, size_t size); /* the same */
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
    int32_t stream;           /* of which frames came last, if its `call` is not NULL */
    struct server_call *call;
    size_t block_size; /* bytes of the block of headers that came last, as METADATA_MAX counts them */
    bool is_greeted;   /* the client's SETTINGS have come */
    bool is_pinged;    /* nothing came since the PING */
    bool is_draining;  /* the first GOAWAY is sent */
    void *received;    /* the state of http2->receive */
};

/* Needs `handler`, `padding` and `receive`. http2_close is due also when this fails. */
struct status http2_open(struct http2 *http2);
void http2_close(struct http2 *http2);

/* Opens the connections and the loop, too: see there. */
struct status sessions_open(struct sessions *all, const struct http2 *http2, int (*turn)(struct loop *loop),
                            struct arena *arena);
void sessions_close(struct sessions *all);

/* Says that the layer above has nothing for a stream any more. */
void session_forget(struct session *session, int32_t stream);
void session_reset(struct session *session, int32_t stream, uint32_t error);

/* Says farewell (RFC 9113, 6.8): the calls that have begun go on, and the connection ends behind the last one. */
void session_drain(struct session *session);

/* Says farewell, and writes what it can, without waiting for calls. The connection is closed. */
void session_end(struct session *session);
