/* Internal to client/: what unary calls (rpc.c) and streams (stream.c) of the C core share. */
#ifndef CLIENT_CALL_H
#define CLIENT_CALL_H

#include "client/transport.h"
#include <grpc/grpc.h>

/* The metadata of a call as the core wants it. Its slices belong to it. */
struct call_metadata {
    grpc_metadata *entries;
    size_t count;
};

/* Makes the metadata of the options, the request and `extra` (may be NULL), in the arena; names are in lower case.
 * call_metadata_free frees the slices. */
struct call_metadata call_metadata_make(const struct client_options *options, const struct request *request,
                                        const struct header *extra, struct arena *arena);
void call_metadata_free(struct call_metadata *metadata);

/* The name of an entry that gRPC cannot send; a null str if there is none. */
struct str call_metadata_illegal(const struct call_metadata *metadata);

/* The moment in so many seconds. */
gpr_timespec call_in_seconds(double seconds);

grpc_slice call_slice(struct str bytes);

/* Copies one message into the answer, inflated. A message longer than the limit makes the answer truncated. */
void call_read_message(grpc_byte_buffer *buffer, size_t limit, struct arena *arena, struct answer *answer);

/* Copies code, details, and initial and trailing metadata into the answer, which becomes ANSWERED. Statuses that the
 * core made itself are found by fabrication_find. */
void call_read_status(const grpc_metadata_array *initial, const grpc_metadata_array *trailing, grpc_status_code code,
                      grpc_slice details, struct arena *arena, struct answer *answer);

/* Returns the client's channel, over a new connection if the last one serves no more. NULL: the answer says why there
 * is none. rpc_channel_close ends the connection; rpc_channel_fault says what the server sent that the core must not
 * see, or NULL. */
grpc_channel *rpc_channel(struct rpc_client *client, struct arena *arena, struct answer *answer);
void rpc_channel_close(struct rpc_client *client);
const char *rpc_channel_fault(const struct rpc_client *client);

/* The options of the client. */
const struct client_options *rpc_options(const struct rpc_client *client);

#endif
