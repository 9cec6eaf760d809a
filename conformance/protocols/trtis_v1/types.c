/* The datatypes of v1's model configuration beside those of the suite. */
#include "protocols/trtis_v1/trtis_v1.h"

#include "base/search.h"
#include "trtis_v1.pb-c.h"

static const struct {
    int64_t number;
    enum datatype datatype;
} pairs[] = {
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_BOOL, DATATYPE_BOOL},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_UINT8, DATATYPE_UINT8},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_UINT16, DATATYPE_UINT16},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_UINT32, DATATYPE_UINT32},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_UINT64, DATATYPE_UINT64},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_INT8, DATATYPE_INT8},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_INT16, DATATYPE_INT16},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_INT32, DATATYPE_INT32},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_INT64, DATATYPE_INT64},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_FP16, DATATYPE_FP16},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_FP32, DATATYPE_FP32},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_FP64, DATATYPE_FP64},
    {NVIDIA__INFERENCESERVER__DATA_TYPE__TYPE_STRING, DATATYPE_BYTES},
};

#define PAIR_COUNT COUNT_OF(pairs)

enum datatype trtis_datatype(int64_t number)
{
    return FIRST(i, PAIR_COUNT, pairs[i].number == number, pairs[i].datatype, DATATYPE_NONE);
}

bool trtis_has(enum datatype datatype)
{
    return ANY(i, PAIR_COUNT, pairs[i].datatype == datatype);
}
