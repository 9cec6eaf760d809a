#include "tensor/datatype.h"

const struct datatype_row datatype_table[DATATYPE_COUNT] = {
    [DATATYPE_NONE] = {STR("none"), 0, 0, ""},
    [DATATYPE_BOOL] = {STR("BOOL"), 1, 1, "bool_contents"},
    [DATATYPE_UINT8] = {STR("UINT8"), 1, 4, "uint_contents"},
    [DATATYPE_UINT16] = {STR("UINT16"), 2, 4, "uint_contents"},
    [DATATYPE_UINT32] = {STR("UINT32"), 4, 4, "uint_contents"},
    [DATATYPE_UINT64] = {STR("UINT64"), 8, 5, "uint64_contents"},
    [DATATYPE_INT8] = {STR("INT8"), 1, 2, "int_contents"},
    [DATATYPE_INT16] = {STR("INT16"), 2, 2, "int_contents"},
    [DATATYPE_INT32] = {STR("INT32"), 4, 2, "int_contents"},
    [DATATYPE_INT64] = {STR("INT64"), 8, 3, "int64_contents"},
    [DATATYPE_FP16] = {STR("FP16"), 2, 0, ""},
    [DATATYPE_FP32] = {STR("FP32"), 4, 6, "fp32_contents"},
    [DATATYPE_FP64] = {STR("FP64"), 8, 7, "fp64_contents"},
    [DATATYPE_BF16] = {STR("BF16"), 2, 0, ""},
    [DATATYPE_BYTES] = {STR("BYTES"), 0, 8, "bytes_contents"},
};

/* Returns the first row whose name can have that letter at its start. */
static int first_with(char letter)
{
    return letter == 'F'   ? DATATYPE_FP16
           : letter == 'I' ? DATATYPE_INT8
           : letter == 'U' ? DATATYPE_UINT8
                           : DATATYPE_BOOL;
}

enum datatype datatype_from_name(struct str name)
{
    for (int type = name.size > 0 ? first_with(name.data[0]) : DATATYPE_COUNT; type < DATATYPE_COUNT; type++)
        if (str_equal(name, datatype_table[type].name))
            return (enum datatype)type;
    return DATATYPE_NONE;
}
