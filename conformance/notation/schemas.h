/* The gRPC schemas that the suite knows: the services and messages of proto/schema/, by their full names. */
#ifndef NOTATION_SCHEMAS_H
#define NOTATION_SCHEMAS_H

#include "base/str.h"
#include <protobuf-c/protobuf-c.h>

/* The rpc of a path ("/inference.GRPCInferenceService/ModelInfer"); NULL if no schema has it. */
const ProtobufCMethodDescriptor *schema_rpc(struct str path);

/* "inference.ModelInferRequest"; NULL if no schema has such a message. Found are the messages of the rpcs and those
 * that are fields of them. */
const ProtobufCMessageDescriptor *schema_message(struct str name);

#endif
