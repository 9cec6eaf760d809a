/* The tensor datatypes, as one table (000, "Tensor Data Types"; BF16: 001, "InferTensorContents"). */
#pragma once

#include "base/str.h"
#include <stddef.h>

enum datatype {
    DATATYPE_NONE, /* no datatype, or an unknown one */
    DATATYPE_BOOL,
    DATATYPE_UINT8,
    DATATYPE_UINT16,
    DATATYPE_UINT32,
    DATATYPE_UINT64,
    DATATYPE_INT8,
    DATATYPE_INT16,
    DATATYPE_INT32,
    DATATYPE_INT64,
    DATATYPE_FP16,
    DATATYPE_FP32,
    DATATYPE_FP64,
    DATATYPE_BF16,
    DATATYPE_BYTES,
    DATATYPE_COUNT
};

struct datatype_row {
    struct str name;      /* the name on the wire: "INT32" */
    size_t size;          /* bytes of one element in raw form; 0 for BYTES, whose elements carry their length */
    int contents_field;   /* field number in InferTensorContents; 0 for FP16 and BF16, which are raw only */
    const char *contents; /* the name of that field: "int_contents" */
};

extern const struct datatype_row datatype_table[DATATYPE_COUNT];

/* Returns DATATYPE_NONE for an unknown name. Names are case-sensitive (000, "All strings ... are case-sensitive"). */
enum datatype datatype_from_name(struct str name);

static inline const char *datatype_name(enum datatype type)
{
    return datatype_table[type].name.data;
}

static inline size_t datatype_size(enum datatype type)
{
    return datatype_table[type].size;
}

static inline bool datatype_is_float(enum datatype type)
{
    return type >= DATATYPE_FP16 && type <= DATATYPE_BF16;
}
