#include "schema/graphpipe.h"

#include "base/search.h"

#define TABLE(name, fields)                                                                                            \
    {                                                                                                                  \
        name, fields, COUNT_OF(fields)                                                                                 \
    }

static const char *const type_names[] = {"Null",   "Uint8", "Int8",    "Uint16",  "Int16",   "Uint32", "Int32",
                                         "Uint64", "Int64", "Float16", "Float32", "Float64", "String"};
const struct flat_enum graphpipe_types = {type_names, NULL, COUNT_OF(type_names)};

static const struct flat_field tensor[] = {
    {"type", FLAT_UBYTE, false, &graphpipe_types, NULL},
    {"shape", FLAT_LONG, true, NULL, NULL},
    {"data", FLAT_UBYTE, true, NULL, NULL},
    {"string_val", FLAT_STRING, true, NULL, NULL},
};
const struct flat_table graphpipe_tensor = TABLE("Tensor", tensor);

static const struct flat_field infer_request[] = {
    {"config", FLAT_STRING, false, NULL, NULL},
    {"input_names", FLAT_STRING, true, NULL, NULL},
    {"input_tensors", FLAT_TABLE, true, NULL, &graphpipe_tensor},
    {"output_names", FLAT_STRING, true, NULL, NULL},
};
const struct flat_table graphpipe_infer_request = TABLE("InferRequest", infer_request);
const struct flat_table graphpipe_metadata_request = {"MetadataRequest", NULL, 0};

static const char *const req_names[] = {"NONE", "InferRequest", "MetadataRequest"};
static const struct flat_table *const req_tables[] = {NULL, &graphpipe_infer_request, &graphpipe_metadata_request};
static const struct flat_enum req = {req_names, req_tables, COUNT_OF(req_names)};

static const struct flat_field request[] = {
    {"req_type", FLAT_UBYTE, false, &req, NULL},
    {"req", FLAT_UNION, false, &req, NULL},
};
const struct flat_table graphpipe_request = TABLE("Request", request);

static const struct flat_field error[] = {
    {"code", FLAT_LONG, false, NULL, NULL},
    {"message", FLAT_STRING, false, NULL, NULL},
};
const struct flat_table graphpipe_error = TABLE("Error", error);

static const struct flat_field infer_response[] = {
    {"output_tensors", FLAT_TABLE, true, NULL, &graphpipe_tensor},
    {"errors", FLAT_TABLE, true, NULL, &graphpipe_error},
};
const struct flat_table graphpipe_infer_response = TABLE("InferResponse", infer_response);

static const struct flat_field io_metadata[] = {
    {"name", FLAT_STRING, false, NULL, NULL},
    {"description", FLAT_STRING, false, NULL, NULL},
    {"shape", FLAT_LONG, true, NULL, NULL},
    {"type", FLAT_UBYTE, false, &graphpipe_types, NULL},
};
const struct flat_table graphpipe_io_metadata = TABLE("IOMetadata", io_metadata);

static const struct flat_field metadata_response[] = {
    {"name", FLAT_STRING, false, NULL, NULL},
    {"version", FLAT_STRING, false, NULL, NULL},
    {"server", FLAT_STRING, false, NULL, NULL},
    {"description", FLAT_STRING, false, NULL, NULL},
    {"inputs", FLAT_TABLE, true, NULL, &graphpipe_io_metadata},
    {"outputs", FLAT_TABLE, true, NULL, &graphpipe_io_metadata},
};
const struct flat_table graphpipe_metadata_response = TABLE("MetadataResponse", metadata_response);
