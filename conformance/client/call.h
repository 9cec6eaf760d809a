/* A gRPC call on an HTTP/2 stream (the text "gRPC over HTTP2"): the part that unary calls (rpc.h) and streams
 * (stream.h) share. */
#pragma once

#include "client/channel.h"

#define MESSAGE_PREFIX 5 /* bytes before a message */

struct call {
    struct http2_stream stream;
    bool framed;                 /* its request brings its own frames */
    double deadline;             /* the moment when the client ends the call; 0: never */
    int own_code;                /* if the client has ended the call: its status, whatever the server says; else -1 */
    char prefix[MESSAGE_PREFIX]; /* of the message that is sent */
};

/* Makes the request of HTTP/2 that carries a gRPC request, except for its endpoint, in the arena. Its http_version is
 * "HTTP/2", which http_exchange does not know. */
struct request call_as_http(const struct request *request, struct arena *arena);

/* Begins the call with the fields of the request, of the options and `extra` (may be NULL). At most body_max bytes of
 * the body are kept. Everything that comes lies in the arena. False: the answer says why the call did not begin; then
 * there is nothing to end. */
bool call_begin(struct call *call, struct channel *channel, const struct request *request, const struct header *extra,
                size_t body_max, struct arena *arena, struct answer *answer);

/* Sends a message, with its prefix unless the call is framed. The bytes must not move until they are sent. */
void call_send(struct call *call, struct str message, bool last);

/* Sends and receives, or waits until `until`. False: the call is over, for example because of its deadline, or the time
 * has passed. */
bool call_advance(struct call *call, double until);

/* The client ends the call, if it is not over: CANCELLED. */
void call_cancel(struct call *call);

/* Reads the status and the metadata of a call that is over into the answer. The outcome is ANSWERED, or a sentence says
 * what came instead. */
void call_read_status(const struct call *call, struct arena *arena, struct answer *answer);

/* Reads the message at the beginning of the bytes into the answer, inflated. Returns how many bytes it takes; 0: it is
 * not complete yet. If the message is longer than the limit, only its beginning is read, and the answer is truncated.
 * Bytes that are no message make the answer GARBLED. */
size_t call_read_message(const struct call *call, struct str bytes, size_t limit, struct arena *arena,
                         struct answer *answer);
