/* Internals of v1 over gRPC. A call that can be read succeeds for gRPC, whatever became of it. */
#ifndef TRTIS_V1_GRPC_H
#define TRTIS_V1_GRPC_H

#include "trtis_v1/v1.h"

/* Reads the message of a call. Fails with INTERNAL, the words of the original server, if it is none. */
struct status v1_grpc_read(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs, struct str message,
                           ProtobufCMessage **read);

/* Returns the whole message of a call, which may come in pieces; null data without memory. */
struct str v1_grpc_message(const struct rpc_call *call);

/* Answer with a message, or with a gRPC status. */
void v1_grpc_answer(struct rpc_call *call, const ProtobufCMessage *message);
void v1_grpc_fail(struct rpc_call *call, struct status status) __attribute__((cold));

void v1_grpc_infer(struct rpc_call *call); /* grpc_infer.c */

#endif
