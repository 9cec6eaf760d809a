/* The types of tensors (004, "Tensor Type") as datatypes. */
#include "graphpipe/graphpipe_call.h"

static const enum datatype datatypes[GRAPHPIPE_TYPE_COUNT] = {
    [GRAPHPIPE_NULL] = DATATYPE_NONE,     [GRAPHPIPE_UINT8] = DATATYPE_UINT8,   [GRAPHPIPE_INT8] = DATATYPE_INT8,
    [GRAPHPIPE_UINT16] = DATATYPE_UINT16, [GRAPHPIPE_INT16] = DATATYPE_INT16,   [GRAPHPIPE_UINT32] = DATATYPE_UINT32,
    [GRAPHPIPE_INT32] = DATATYPE_INT32,   [GRAPHPIPE_UINT64] = DATATYPE_UINT64, [GRAPHPIPE_INT64] = DATATYPE_INT64,
    [GRAPHPIPE_FLOAT16] = DATATYPE_FP16,  [GRAPHPIPE_FLOAT32] = DATATYPE_FP32,  [GRAPHPIPE_FLOAT64] = DATATYPE_FP64,
    [GRAPHPIPE_STRING] = DATATYPE_BYTES,
};

enum datatype graphpipe_datatype(uint64_t type)
{
    return type < GRAPHPIPE_TYPE_COUNT ? datatypes[type] : DATATYPE_NONE;
}

enum graphpipe_type graphpipe_type(enum datatype datatype)
{
    for (size_t type = GRAPHPIPE_NULL + 1; type < GRAPHPIPE_TYPE_COUNT; type++)
        if (datatypes[type] == datatype)
            return (enum graphpipe_type)type;
    return GRAPHPIPE_NULL;
}
