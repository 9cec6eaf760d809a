/* The encoding of an inference response over gRPC, which is the same for one answer and in a stream. */
#pragma once

#include "inference/infer.h"
#include "predict_v2/predict_v2.h"

/* Encodes a ModelInferResponse as pieces in order. They lie in request->answer_arena, or are data of tensors.
 * `came_raw` says whether the request had its data as raw_input_contents. */
struct status grpc_encode_response(enum grpc_output form, bool came_raw, const struct infer_request *request,
                                   const struct infer_response *response, struct str **pieces, size_t *count);
