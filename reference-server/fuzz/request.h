/* What fuzz targets share whose input is an inference request: memory of its own, and what a request that is accepted
 * must have. */
#pragma once

#include "inference/infer.h"
#include "tensor/raw.h"

#include <stdlib.h>

/* Returns the input in memory of its own, with so many zeros after it, so that reading past these is noticed. The
 * caller frees it. */
static inline char *copy_input(const uint8_t *bytes, size_t size, size_t padding)
{
    char *copy = calloc(1, size + padding ? size + padding : 1);
    if (!copy)
        abort();
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

/* An input tensor has a name, a datatype and a shape, and as many bytes as its elements need. */
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

/* A refusal says why, in UTF-8. A request that is accepted is complete. */
static inline void check_decoded(struct status status, const struct infer_request *request)
{
    if (!is_ok(status) && !str_is_utf8(status.message))
        abort();
    for (size_t i = 0; is_ok(status) && i < request->input_count; i++)
        check_tensor(&request->inputs[i].tensor);
}
