/* The schemas that the suite knows. Those of gRPC: the services and messages of proto/schema/, found by their full
 * names. The schema of inference.GRPCInferenceService is that of 001. */
#pragma once

#include "base/str.h"
#include "flat/schema.h"
#include "text/text.h"
#include <protobuf-c/protobuf-c.h>

/* The rpc of a path ("/inference.GRPCInferenceService/ModelInfer"); NULL if no schema has it. */
const ProtobufCMethodDescriptor *schema_rpc(struct str path);

/* The file below proto/schema/ that declares the service of such a path ("inference.proto"); NULL if none does. */
const char *schema_file(struct str path);

/* The message of that full name ("inference.ModelInferRequest"); NULL if no schema has it. It finds the messages of
 * rpcs and the messages of their fields. */
const ProtobufCMessageDescriptor *schema_message(struct str name);

/* The type of that message in proto/text/, which reads and prints its text form; NULL if it has none there. */
const struct text_type *schema_text(const ProtobufCMessageDescriptor *type);

/* The root of a flatbuffer, by the schema's namespace and its name ("graphpipe.Request"); NULL if no schema has it. */
const struct flat_table *schema_flatbuffer(struct str name);
