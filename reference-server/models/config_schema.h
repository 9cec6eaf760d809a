// ModelConfig for libprotobuf. The schema is a descriptor set in the program, so no code is generated for it.
#pragma once

extern "C" {
#include "models/config.h"
}

#include <google/protobuf/message.h>
#include <memory>

// Returns an empty ModelConfig, or null if the schema in this program is malformed.
std::unique_ptr<google::protobuf::Message> config_message();

// Returns INTERNAL, which says that.
struct status config_bad_schema(struct arena *arena);

// Indexed by the numbers of DataType in model_config.proto.
constexpr enum datatype CONFIG_DATATYPES[] = {DATATYPE_NONE,   DATATYPE_BOOL,   DATATYPE_UINT8, DATATYPE_UINT16,
                                              DATATYPE_UINT32, DATATYPE_UINT64, DATATYPE_INT8,  DATATYPE_INT16,
                                              DATATYPE_INT32,  DATATYPE_INT64,  DATATYPE_FP16,  DATATYPE_FP32,
                                              DATATYPE_FP64,   DATATYPE_BYTES,  DATATYPE_BF16};
