/* A ModelInferRequest as an infer_request (000, "GRPC": Inference, "Raw Tensor Contents"). */
#ifndef PREDICT_V2_GRPC_REQUEST_H
#define PREDICT_V2_GRPC_REQUEST_H

#include "grpc/rpc.h"
#include "inference/infer.h"

/* Decodes the call's message into `request`, whose arena, repository and switches are set. All of it is copied into the
 * arena, raw data once and 64-byte aligned; nothing points into the message. Fails with INVALID_ARGUMENT when a duty of
 * the table in grpc_request.c is broken; with RESOURCE_EXHAUSTED when the arena gives out. *is_raw: the data came as
 * raw_input_contents. */
struct status grpc_decode_request(const struct rpc_call *call, struct infer_request *request, bool *is_raw);

#endif
