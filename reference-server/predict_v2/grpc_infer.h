/* Inference over gRPC (000, "GRPC": Inference). */
#ifndef PREDICT_V2_GRPC_INFER_H
#define PREDICT_V2_GRPC_INFER_H

#include "grpc/rpc.h"

/* ModelInfer: decoded (grpc_request.h), inferred, and encoded here. */
void grpc_model_infer(struct rpc_call *call);

#endif
