/* The input is the body of a request to GraphPipe's listener. It is decoded for a model that has no files, with all
 * duties on and in the lenient dialect. The memory ends with the body. A request that is accepted must be complete:
 * every input has a name, a datatype and a shape, and as many bytes as its elements need. */
#include "graphpipe/graphpipe_call.h"
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

static void decode(struct str body, bool is_lenient)
{
    static const int64_t shape[] = {-1, 2};
    static struct tensor_spec inputs[] = {
        {.name = STR("input0"), .datatype = DATATYPE_FP32, .shape = shape, .rank = 2},
        {.name = STR("input1"), .datatype = DATATYPE_BYTES, .shape = shape, .rank = 2}};
    static struct tensor_spec outputs[] = {{.name = STR("output0"), .datatype = DATATYPE_FP32},
                                           {.name = STR("mask"), .datatype = DATATYPE_BOOL}};
    static struct model model = {.name = STR("m"),
                                 .inputs = inputs,
                                 .input_count = 2,
                                 .outputs = outputs,
                                 .output_count = 2,
                                 .state = MODEL_READY};
    struct arena arena = arena_new((size_t)64 * body.size + (1 << 20) + 128 * (64 << 10));
    struct graphpipe service = {.is_lenient = is_lenient};
    struct http_request http = {.arena = &arena};
    struct graphpipe_call call = {.http = &http, .service = &service, .arena = &arena, .hold = {.model = &model}};
    struct flat_reader reader = flat_begin(body);
    struct flat_object root, object;
    if (flat_root(&reader, &root) && flat_object_at(&reader, &root, REQUEST_REQ, &object)) {
        struct status status = graphpipe_read_request(&call, &reader, &object);
        if (!is_ok(status) && !str_is_utf8(status.message))
            abort();
        if (status.code == STATUS_RESOURCE_EXHAUSTED && str_is(status.message, "out of memory"))
            abort(); /* the body asks for more memory than the budget above, a small multiple of it */
        for (size_t i = 0; is_ok(status) && !reader.fault && i < call.request.input_count; i++)
            check_input(&call.request.inputs[i]);
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *body = malloc(size ? size : 1);
    if (!body)
        return 0;
    memcpy(body, bytes, size);
    decode((struct str){body, size}, false);
    decode((struct str){body, size}, true);
    free(body);
    return 0;
}
