/* An HTTP/2 connection to a server, by libnghttp2 (RFC 9113), and requests on it. There is no thread: bytes are sent
 * and received only within these functions. Nothing that the server sends is hidden: fields, data without padding,
 * resets, GOAWAY. */
#pragma once

#include "base/buf.h"
#include "client/answer.h"

struct http2;

/* One request and its answer, on a connection. The owner sets `arena` and `body_max`, the others start as zeros. */
struct http2_stream {
    struct arena *arena; /* for the fields of the answer and `trouble` */
    size_t body_max;     /* the most bytes of the body that are kept; further ones are read and dropped */
    bool is_paced;       /* the server can send only as much as the window until http2_take is called */

    int status;                           /* HTTP status of the answer; 0: none has come, or only an interim one */
    struct header_list headers, trailers; /* names in lower case; `headers` may be of an interim answer */
    struct buf body;                      /* what came, and was not taken */
    size_t dropped;                       /* bytes that came beyond body_max */
    bool is_over;                         /* nothing more will come */
    enum outcome outcome;                 /* if it is over: ANSWERED if the server ended it, CLOSED or GARBLED */
    struct str trouble;                   /* a sentence if it is not ANSWERED */
    bool is_unseen;                       /* the server says that it did not look at the request (RFC 9113, 8.7) */

    /* Internal: */
    struct http2 *connection; /* NULL: the stream is not begun, or its connection is gone */
    struct http2_stream *next;
    int32_t id;
    bool in_block, in_trailers;     /* a field block is coming; the block that came last is that of the trailers */
    size_t field_bytes, unreturned; /* bytes of all field blocks; bytes of data that the window does not include again
                                       yet */
    struct str parts[2];            /* what is still to be sent */
    bool is_last, is_ended;         /* no more parts follow; the end of the request was given to libnghttp2 */
    bool is_cancelled;
};

/* Connects to the URL within the timeout. NULL: the answer says why not. http2_close ends the streams that are open;
 * they can still be looked at. The options must live as long as the connection. */
struct http2 *http2_connect(const struct client_options *options, struct str url, struct arena *arena,
                            struct answer *answer);
void http2_close(struct http2 *connection);

/* Reads what has come, and waits for nothing. */
void http2_look(struct http2 *connection);

/* Whether another stream may begin: the connection is neither closed nor about to be (GOAWAY), as far as was read. */
bool http2_serves(const struct http2 *connection);

/* Begins a stream with these fields. Fields whose names begin with ':' are sent first; names are sent in lower case.
 * The stream must not move until http2_end. */
void http2_begin(struct http2 *connection, struct http2_stream *stream, const struct header_list *fields);

/* Gives the stream data to send: two parts, which must not move until http2_is_sent returns true. `last`: no more data
 * follows. Earlier data must have been sent. */
void http2_send(struct http2_stream *stream, struct str one, struct str two, bool last);

/* Sends what can be sent. Returns whether everything was passed to the system, or the stream is over. */
bool http2_is_sent(struct http2_stream *stream);

/* Sends what can be sent, reads what has come, or waits for either until `until`. False: nothing happened, or the
 * stream is over. */
bool http2_advance(struct http2_stream *stream, double until);

/* On a paced stream: lets the server send as many more bytes as have come. */
void http2_take(struct http2_stream *stream);

/* Ends a stream that is not over, with this outcome, and resets it (CANCEL). */
void http2_cancel(struct http2_stream *stream, enum outcome outcome, struct str trouble);

/* Cancels the stream if it is not over, and removes it from its connection. The fields stay valid; the body is
 * freed. */
void http2_end(struct http2_stream *stream);

/* Returns the name of an error code (RFC 9113, 7), or a number, in the arena. */
struct str http2_error_name(uint32_t code, struct arena *arena);
