/* A ModelInferRequest as an infer_request (000, "GRPC": Inference, "Raw Tensor Contents"). */
#ifndef PREDICT_V2_GRPC_REQUEST_H
#define PREDICT_V2_GRPC_REQUEST_H

#include "grpc/rpc.h"
#include "inference/infer.h"

/* Decodes the call's message into `request`, whose arena, repository and switches are set. Strings and BYTES point into
 * the message or its copy in the arena; raw data is copied once, 64-byte aligned. Fails with INVALID_ARGUMENT when a
 * duty of the table in grpc_request.c is broken; with RESOURCE_EXHAUSTED when the arena gives out. *is_raw: the data
 * came as raw_input_contents. */
struct status grpc_decode_request(const struct rpc_call *call, struct infer_request *request, bool *is_raw);

#endif
