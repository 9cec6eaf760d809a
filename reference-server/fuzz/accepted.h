/* What fuzz targets demand of an input tensor of a request that is accepted, over any protocol. */
#pragma once

#include "tensor/raw.h"

#include <stdlib.h>

/* It has a name, a datatype and a shape, and as many bytes as its elements need. */
static inline void check_tensor(const struct tensor *tensor)
{
    size_t offset = 0, count = 0;
    struct str element;
    if (!tensor->name.data || tensor->datatype == DATATYPE_NONE || !tensor->shape || tensor->rank > TENSOR_RANK_MAX)
        abort();
    if (tensor->datatype != DATATYPE_BYTES && tensor->size != tensor->count * datatype_size(tensor->datatype))
        abort();
    while (tensor->datatype == DATATYPE_BYTES && raw_next_bytes(tensor, &offset, &element))
        count++;
    if (tensor->datatype == DATATYPE_BYTES && (count != tensor->count || offset != tensor->size))
        abort();
}
