/* The messages of GraphPipe (document 004), as tables for the reader and the writer of flatbuffers. graphpipe.fbs says
 * the same. */
#pragma once

#include "flat/schema.h"

enum graphpipe_type {
    GRAPHPIPE_NULL,
    GRAPHPIPE_UINT8,
    GRAPHPIPE_INT8,
    GRAPHPIPE_UINT16,
    GRAPHPIPE_INT16,
    GRAPHPIPE_UINT32,
    GRAPHPIPE_INT32,
    GRAPHPIPE_UINT64,
    GRAPHPIPE_INT64,
    GRAPHPIPE_FLOAT16,
    GRAPHPIPE_FLOAT32,
    GRAPHPIPE_FLOAT64,
    GRAPHPIPE_STRING,
    GRAPHPIPE_TYPE_COUNT
};

enum graphpipe_req { GRAPHPIPE_REQ_NONE, GRAPHPIPE_REQ_INFER, GRAPHPIPE_REQ_METADATA };

/* The ids of the fields. */
enum { TENSOR_TYPE, TENSOR_SHAPE, TENSOR_DATA, TENSOR_STRING_VAL };
enum { REQUEST_REQ_TYPE, REQUEST_REQ };
enum { INFER_REQUEST_CONFIG, INFER_REQUEST_INPUT_NAMES, INFER_REQUEST_INPUT_TENSORS, INFER_REQUEST_OUTPUT_NAMES };
enum { ERROR_CODE, ERROR_MESSAGE };
enum { INFER_RESPONSE_OUTPUT_TENSORS, INFER_RESPONSE_ERRORS };
enum { IO_METADATA_NAME, IO_METADATA_DESCRIPTION, IO_METADATA_SHAPE, IO_METADATA_TYPE };
enum {
    METADATA_RESPONSE_NAME,
    METADATA_RESPONSE_VERSION,
    METADATA_RESPONSE_SERVER,
    METADATA_RESPONSE_DESCRIPTION,
    METADATA_RESPONSE_INPUTS,
    METADATA_RESPONSE_OUTPUTS
};

extern const struct flat_enum graphpipe_types; /* "Null", "Uint8", ... */
extern const struct flat_table graphpipe_tensor;
extern const struct flat_table graphpipe_infer_request, graphpipe_metadata_request;
extern const struct flat_table graphpipe_request; /* the root of what a client sends */
extern const struct flat_table graphpipe_error;
extern const struct flat_table graphpipe_infer_response; /* the root of an answer */
extern const struct flat_table graphpipe_io_metadata;
extern const struct flat_table graphpipe_metadata_response; /* the root of an answer */
