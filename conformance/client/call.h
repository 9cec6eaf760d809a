/* A call of gRPC over an HTTP/2 stream (the text "gRPC over HTTP2"): what unary calls (rpc.h) and streams (stream.h)
 * share. */
#pragma once

#include "client/channel.h"

#define MESSAGE_PREFIX 5 /* bytes before a message */

struct call {
    struct http2_stream stream;
    bool framed;     /* its request brings its own frames */
    double deadline; /* the moment when the client ends the call; 0: never */
    int own_code;    /* the status if the client has ended the call, which no server need say any more; else -1 */
    char prefix[MESSAGE_PREFIX]; /* of the message that is sent */
};

/* Makes the request of HTTP/2 that carries a gRPC request, except for its endpoint, in the arena. Its http_version is
 * "HTTP/2", which http_exchange does not know. */
struct request call_as_http(const struct request *request, struct arena *arena);

/* Begins the call with the fields of the request, of the options and `extra` (may be NULL). Of the body, so much is
 * kept. What it notes lies in the arena. False: the answer says why it did not begin; then there is nothing to end. */
bool call_begin(struct call *call, struct channel *channel, const struct request *request, const struct header *extra,
                size_t body_max, struct arena *arena, struct answer *answer);

/* Sends a message, which must stay where it is until it is sent; with its prefix, unless the call is framed. */
void call_send(struct call *call, struct str message, bool last);

/* Moves bytes, or waits for some. False: the call is over, as at its deadline, or the time. */
bool call_advance(struct call *call, double until);

/* The client ends the call, if it is not over: CANCELLED. */
void call_cancel(struct call *call);

/* Reads the status of a call that is over, and its metadata, into the answer: the outcome is ANSWERED, or there is a
 * sentence about what came instead. */
void call_read_status(const struct call *call, struct arena *arena, struct answer *answer);

/* Reads the message that the bytes begin with into the answer, inflated. Returns how many bytes it takes; 0: it has not
 * come as a whole. Of a message that is longer than the limit, the beginning is read and the answer is truncated. What
 * is no message makes the answer GARBLED. */
size_t call_read_message(const struct call *call, struct str bytes, size_t limit, struct arena *arena,
                         struct answer *answer);
