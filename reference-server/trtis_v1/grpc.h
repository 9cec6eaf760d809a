/* Internals of v1 over gRPC. A call that can be read succeeds for gRPC, whatever became of it. */
#pragma once

#include "trtis_v1/infer.h"
#include "wire/gather.h"

/* --- Messages (grpc_message.c) --- */

/* Reads the message of a call. Fails with INTERNAL, the words of the original server, if it is none. */
struct status v1_grpc_read(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs, struct str message,
                           struct arena *arena, ProtobufCMessage **read);

/* Reads the message of a unary call. Returns NULL if it is none: the call has been refused then. */
const void *v1_grpc_request(struct rpc_call *call, const ProtobufCMessageDescriptor *structs);

/* --- Inference (grpc_infer.c); the arena is that of the call, or of one request of a stream --- */

void v1_grpc_infer(struct rpc_call *call);
struct v1_infer v1_grpc_asked(struct rpc_call *call, struct arena *arena, void (*answer)(struct v1_infer *asked));

/* Reads an InferRequest. Nothing points into the message then. */
struct status v1_grpc_read_infer(const struct rpc_call *call, struct v1_infer *asked, struct wire_parts *parts);

/* Runs it, and answers. */
void v1_grpc_run(struct v1_infer *asked, const struct wire_parts *parts);

/* Returns the pieces of the InferResponse, in the arena of the request; NULL without memory. */
struct str *v1_grpc_pieces(const struct v1_infer *asked, size_t *count);

/* --- StreamInfer (grpc_stream.c) --- */

void v1_grpc_stream(struct rpc_call *call);
extern const struct rpc_stream v1_grpc_stream_calls;
