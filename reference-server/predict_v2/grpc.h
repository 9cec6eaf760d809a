/* Inside of V2 over gRPC: messages of 000's schema between a call and its handler, checked on the way in, packed on the
 * way out.
 *
 * Small messages are structs of protobuf-c (gen/v2.pb-c.h: strings with their length, maps as lists of entries).
 * Inference requests are walked instead (grpc_decode.h): as structs, typed data would take up to fifty times its size.
 */
#ifndef PREDICT_V2_GRPC_H
#define PREDICT_V2_GRPC_H

#include "models/parameters.h"
#include "predict_v2/predict_v2.h"
#include <protobuf-c/protobuf-c.h>
#include <v2.pb-c.h>

/* --- The endpoints, each a section of 000 --- */

void grpc_server_live(struct rpc_call *call);
void grpc_server_ready(struct rpc_call *call);
void grpc_model_ready(struct rpc_call *call);
void grpc_server_metadata(struct rpc_call *call);
void grpc_model_metadata(struct rpc_call *call);
void grpc_model_infer(struct rpc_call *call);

/* --- Messages (grpc_message.c) --- */

/* The call's message, checked and as a struct in the arena. `structs` is its type in gen/v2.pb-c.h, whose strings are
 * any bytes; as published (call->method->request), they are UTF-8. */
struct status grpc_read(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs,
                        ProtobufCMessage **message);

/* Checks a whole message: it is well-formed (message-valid), its strings are UTF-8 (string-utf8). With message-valid
 * off, fields of the top level that are malformed are cut out of *message; with string-utf8 off, strings stay as they
 * are. */
struct status grpc_check(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs, struct str *message);

/* The call's message in one piece; in the arena if it came in several. */
struct status grpc_whole_message(const struct rpc_call *call, struct str *message);

/* Answers with a message, packed into the arena. */
void grpc_answer(struct rpc_call *call, const ProtobufCMessage *message);

/* Answers with an error, naming the requirement that was broken if there is one. */
void grpc_refuse(struct rpc_call *call, struct status status) __attribute__((cold));

/* A message packed into the arena; null data when that is exhausted. */
struct str grpc_packed(struct arena *arena, const ProtobufCMessage *message);

/* Strings of messages. */
static inline ProtobufCBinaryData grpc_bytes(struct str s)
{
    return (ProtobufCBinaryData){s.size, (uint8_t *)(uintptr_t)s.data};
}

static inline struct str grpc_str(ProtobufCBinaryData bytes)
{
    return (struct str){(const char *)bytes.data, bytes.len};
}

/* --- Parameters (grpc_parameters.c) --- */

/* The map of parameters that is field `number` of a message, with `count` entries. Those without a value are left out.
 * False: the arena is exhausted. */
bool grpc_read_parameters(struct str message, uint32_t number, size_t count, struct arena *arena,
                          struct parameters *parameters);

/* The entries of any of the schema's maps of parameters. They all have one layout, which is that of this one. */
typedef V2__ModelInferRequest__ParametersEntry GrpcParameter;
struct status grpc_parameters(struct arena *arena, const struct parameters *parameters,
                              const ProtobufCMessageDescriptor *entry, void *entries, size_t *count);

#endif
