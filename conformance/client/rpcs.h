/* The rpcs of inference.GRPCInferenceService, by their path. */
#ifndef CLIENT_RPCS_H
#define CLIENT_RPCS_H

#include "base/str.h"
#include <protobuf-c/protobuf-c.h>

/* NULL if `path` ("/inference.GRPCInferenceService/ModelInfer") is no rpc of the service. */
const ProtobufCMethodDescriptor *rpc_method(struct str path);

#endif
