/* The input is the body of an inference request over REST; the first byte says whether the duties that coerce are off,
 * and whether binary data follows the JSON. A body that is accepted must be complete: every input has a name and a
 * datatype, and as many bytes as its elements need. */
#include "predict_v2/rest_decode.h"
#include "tensor/raw.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_input(const struct infer_input *input)
{
    const struct tensor *tensor = &input->tensor;
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static void *kept;
    static const char *off[] = {"v2-rest.element-type", "v2-rest.element-null", "v2-rest.element-range",
                                "v2-rest.member-once",  "v2-rest.json-valid",   "v2-rest.utf8-valid",
                                "v2-rest.bom"};
    const struct switches lenient = {"v2-rest", off, sizeof(off) / sizeof(*off)};
    if (size == 0)
        return 0;
    char *body = calloc(1, size - 1 + JSON_PADDING);
    if (!body)
        return 0;
    memcpy(body, bytes + 1, size - 1);
    struct arena arena = arena_new((size_t)256 << 20);
    struct http_request http = {.arena = &arena, .kept = &kept, .switches = bytes[0] & 1 ? &lenient : NULL};
    struct rest_call call = {.http = &http, .arena = &arena, .model = STR("m")};
    if (bytes[0] & 2) /* binary data begins with the first byte 0 */
        call.json_length = arena_printf(&arena, "%zu", strnlen(body, size - 1));
    struct infer_request request = {.arena = &arena, .switches = http.switches};
    struct status status = rest_decode_infer(&call, (struct str){body, size - 1}, &request);
    if (!is_ok(status) && !str_is_utf8(status.message))
        abort();
    for (size_t i = 0; is_ok(status) && i < request.input_count; i++)
        check_input(&request.inputs[i]);
    arena_free(&arena);
    free(body);
    return 0;
}
