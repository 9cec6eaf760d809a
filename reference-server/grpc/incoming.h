/* The messages of a client that may send many. One at a time comes into call->message, and is lent to the handler until
 * it asks for the next one (enum intake). Bytes after it wait in a backlog, and only what goes into a message is given
 * back to the window of the stream, so a client can fill that window and no more.
 *
 * All of it belongs to the thread of the loop, except `is_next_wanted`. */
#pragma once

#include "base/buf.h"
#include "grpc/call.h"

/* What the client still sends; each state is followed by the next one. */
enum client_state {
    CLIENT_SENDS,
    CLIENT_ENDED,
    CLIENT_END_TOLD, /* to the handler */
};

struct incoming {
    struct arena arena; /* of the message */
    struct buf backlog;
    struct str unread; /* bytes after the message; they lie in the backlog, or in a buffer of libnghttp2 */
    enum client_state client;
    bool has_share;             /* the handler may get one more message */
    atomic_bool is_next_wanted; /* set by any thread */
};

/* Adds bytes that have come. incoming_keep must be called before these are gone. */
void incoming_add(struct incoming *incoming, struct str bytes);
struct status incoming_keep(struct incoming *incoming);

/* Hands messages over, until the handler is busy with one or a message must wait. Fails if the client has sent
 * something that is not a message. */
struct status incoming_deliver(struct incoming *incoming, struct server_call *call);

/* Returns how many bytes the call holds for what has come. */
size_t incoming_memory(const struct incoming *incoming, const struct server_call *call);
