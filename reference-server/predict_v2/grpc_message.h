/* Messages of 000's gRPC schema between a call and its handler: checked on the way in, packed on the way out.
 *
 * Small messages are structs of protobuf-c (gen/v2.pb-c.h: strings with their length, maps as lists of entries).
 * Inference requests are walked instead (grpc_request.h): as structs, typed data would take up to fifty times its size.
 */
#ifndef PREDICT_V2_GRPC_MESSAGE_H
#define PREDICT_V2_GRPC_MESSAGE_H

#include "grpc/rpc.h"
#include "inference/parameters.h"
#include <protobuf-c/protobuf-c.h>
#include <v2.pb-c.h>

/* One message in its two forms: as published, whose strings must be UTF-8, and as structs, whose strings are any bytes.
 */
struct message_type {
    const ProtobufCMessageDescriptor *published, *structs;
};

/* Checks a whole message: it is well-formed (message-valid), its strings are UTF-8 (string-utf8). With message-valid
 * off, fields of the top level that are malformed are cut out of *message; with string-utf8 off, strings stay as they
 * are. */
struct status grpc_check(const struct rpc_call *call, const struct message_type *type, struct str *message);

/* The call's message in one piece; in the arena if it came in several. */
struct status grpc_whole_message(const struct rpc_call *call, struct str *message);

/* The call's message, checked and as a struct in the arena. */
struct status grpc_read(const struct rpc_call *call, const struct message_type *type, ProtobufCMessage **message);

/* Answers with a message, packed into the arena. */
void grpc_answer(struct rpc_call *call, const ProtobufCMessage *message);

/* Answers with an error, naming the requirement that was broken if there is one. */
void grpc_refuse(struct rpc_call *call, struct status status) __attribute__((cold));

/* A message packed into the arena; null data when that is exhausted. */
struct str grpc_packed(struct arena *arena, const ProtobufCMessage *message);

static inline ProtobufCBinaryData grpc_bytes(struct str s)
{
    return (ProtobufCBinaryData){s.size, (uint8_t *)(uintptr_t)s.data};
}

/* The entries of any of the schema's maps of parameters. They all have one layout, which is that of this one. */
typedef V2__ModelInferRequest__ParametersEntry GrpcParameter;
struct status grpc_parameters(struct arena *arena, const struct parameters *parameters,
                              const ProtobufCMessageDescriptor *entry, void *entries, size_t *count);

#endif
