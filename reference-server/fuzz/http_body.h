/* What fuzz targets share whose input is the body of an inference request over HTTP. */
#pragma once

#include "accepted.h"
#include "inference/infer.h"

#include <stdlib.h>

/* Returns the body in memory of its own, with so many zeros behind it, so that reading past these is noticed. The
 * caller frees it. */
static inline char *copy_body(const uint8_t *bytes, size_t size, size_t padding)
{
    char *body = calloc(1, size + padding ? size + padding : 1);
    if (!body)
        abort();
    if (size)
        memcpy(body, bytes, size);
    return body;
}

/* A refusal says why, in UTF-8. A request that is accepted is complete: each input has a name, a datatype and a shape,
 * and as many bytes as its elements need. */
static inline void check_decoded(struct status status, const struct infer_request *request)
{
    if (!is_ok(status) && !str_is_utf8(status.message))
        abort();
    for (size_t i = 0; is_ok(status) && i < request->input_count; i++)
        check_tensor(&request->inputs[i].tensor);
}
