/* The datatypes of GraphPipe beside those of the suite. */
#include "base/search.h"
#include "protocols/graphpipe/graphpipe.h"

static const struct {
    enum graphpipe_type type;
    enum datatype datatype;
} pairs[] = {
    {GRAPHPIPE_UINT8, DATATYPE_UINT8},   {GRAPHPIPE_INT8, DATATYPE_INT8},     {GRAPHPIPE_UINT16, DATATYPE_UINT16},
    {GRAPHPIPE_INT16, DATATYPE_INT16},   {GRAPHPIPE_UINT32, DATATYPE_UINT32}, {GRAPHPIPE_INT32, DATATYPE_INT32},
    {GRAPHPIPE_UINT64, DATATYPE_UINT64}, {GRAPHPIPE_INT64, DATATYPE_INT64},   {GRAPHPIPE_FLOAT16, DATATYPE_FP16},
    {GRAPHPIPE_FLOAT32, DATATYPE_FP32},  {GRAPHPIPE_FLOAT64, DATATYPE_FP64},  {GRAPHPIPE_STRING, DATATYPE_BYTES},
};

#define PAIR_COUNT COUNT_OF(pairs)

const char *graphpipe_type(enum datatype datatype)
{
    return FIRST(i, PAIR_COUNT, pairs[i].datatype == datatype, graphpipe_types.names[pairs[i].type], NULL);
}

enum datatype graphpipe_datatype(struct str type)
{
    return FIRST(i, PAIR_COUNT, str_is(type, graphpipe_types.names[pairs[i].type]), pairs[i].datatype, DATATYPE_NONE);
}
