/* Internals of V2 over gRPC: messages of 000's schema are checked when they come in and packed when they go out.
 *
 * Small messages become structs of protobuf-c (gen/v2.pb-c.h: strings with their length, maps as lists of entries). An
 * inference request is walked instead (grpc_decode.h), because its typed data would take up to fifty times its size as
 * structs. */
#pragma once

#include "inference/infer.h"
#include "predict_v2/predict_v2.h"
#include "wire/structs.h"
#include <protobuf-c/protobuf-c.h>
#include <v2.pb-c.h>

/* --- The endpoints, each a section of 000 --- */

void grpc_server_live(struct rpc_call *call);
void grpc_server_ready(struct rpc_call *call);
void grpc_model_ready(struct rpc_call *call);
void grpc_server_metadata(struct rpc_call *call);
void grpc_model_metadata(struct rpc_call *call);
void grpc_model_infer(struct rpc_call *call);

/* Triton's streams */
void grpc_model_stream_infer(struct rpc_call *call);
extern const struct rpc_stream grpc_infer_stream;

/* Triton's */
void grpc_model_config(struct rpc_call *call);
void grpc_model_statistics(struct rpc_call *call);

/* 001, "RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload" */
void grpc_repository_index(struct rpc_call *call);
void grpc_repository_load(struct rpc_call *call);
void grpc_repository_unload(struct rpc_call *call);

/* --- Messages (grpc_message.c) --- */

/* Returns the call's message as a struct in the arena, after a check. `structs` is its type in gen/v2.pb-c.h, whose
 * strings may hold any bytes; in the published type, call->method->request, they are UTF-8. Returns NULL if it cannot
 * be read: the call has been refused then. */
const void *grpc_request(struct rpc_call *call, const ProtobufCMessageDescriptor *structs);

/* Answers with a message, or refuses the call if the status is not OK. */
void grpc_answer(struct rpc_call *call, struct status status, const ProtobufCMessage *message);

/* Checks that a whole message is well-formed (message-valid) and its strings are UTF-8 (string-utf8). */
struct status grpc_check(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs, struct str message,
                         struct arena *arena);

/* --- Inference (grpc_infer.c) --- */

/* Encodes a ModelInferResponse, of one answer or in a stream, as pieces in order. They lie in request->answer_arena, or
 * are data of tensors. `came_raw` says whether the request had its data as raw_input_contents. */
struct status grpc_encode_response(enum grpc_output form, bool came_raw, const struct infer_request *request,
                                   const struct infer_response *response, struct str **pieces, size_t *count);

/* --- Parameters (grpc_parameters.c) --- */

/* Reads the map of parameters in field `number` of a message; it has `count` entries, at least one. Entries without a
 * value are left out. Returns false if the arena is exhausted. */
bool grpc_read_parameters(struct str message, uint32_t number, size_t count, struct arena *arena,
                          struct parameters *parameters);

/* An entry of any map of parameters in the schema. All these types have the same layout as this one. */
typedef V2__ModelInferRequest__ParametersEntry GrpcParameter;
struct status grpc_parameters(struct arena *arena, const struct parameters *parameters,
                              const ProtobufCMessageDescriptor *entry, void *entries, size_t *count);
