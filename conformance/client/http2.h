/* A connection of HTTP/2 to a server, by libnghttp2 (RFC 9113), and requests on it. There is no thread: bytes move only
 * within http2_advance. Everything that comes is seen: fields, data without their padding, resets, GOAWAY. */
#pragma once

#include "base/buf.h"
#include "client/answer.h"

struct http2;

/* One request and its answer, on a connection. The owner sets `arena` and `body_max`, the others start as zeros. */
struct http2_stream {
    struct arena *arena; /* for the fields of the answer and `trouble` */
    size_t body_max;     /* bytes of the body that are kept; what comes beyond is read and dropped */
    bool is_patient;     /* the server can send only its window until http2_take says that more is wanted */

    int status;                           /* of the answer; 0: none has come, or an interim one */
    struct header_list headers, trailers; /* names in lower case; behind `headers` also those of no final answer */
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
    bool in_block, in_trailers;     /* a field block is coming; it is, or was the last time, that of the trailers */
    size_t field_bytes, unreturned; /* of all field blocks; of data that came and may not be sent again */
    struct str parts[2];            /* what is still to be sent */
    bool is_last, is_ended;         /* behind these the request ends; its end is on its way */
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

/* Begins a stream with these fields, of which those come first whose names begin with ':'. Names are sent in lower
 * case. The stream must stay where it is until http2_end. */
void http2_begin(struct http2 *connection, struct http2_stream *stream, const struct header_list *fields);

/* Gives the stream data to send: two parts, which must stay where they are until http2_is_sent. `last`: no more data
 * follows. What was given before must have been sent. */
void http2_send(struct http2_stream *stream, struct str one, struct str two, bool last);

/* Sends what can be sent. Returns whether all that was given was passed to the system, or no longer matters. */
bool http2_is_sent(struct http2_stream *stream);

/* Sends what can be sent, and reads what has come, or waits for something. False: nothing happened until then. */
bool http2_advance(struct http2_stream *stream, double until);

/* Lets the server send as much again as has come on a patient stream. */
void http2_take(struct http2_stream *stream);

/* If the stream is not over, it is now, with this outcome, and the server is told so (CANCEL). */
void http2_cancel(struct http2_stream *stream, enum outcome outcome, struct str trouble);

/* Cancels what is not over, and takes the stream off its connection. The fields stay as they are; the body is freed. */
void http2_end(struct http2_stream *stream);

/* Returns the name of an error code (RFC 9113, 7), or a number, in the arena. */
struct str http2_error_name(uint32_t code, struct arena *arena);
