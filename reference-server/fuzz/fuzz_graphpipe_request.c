/* The input is the body of a request to GraphPipe's listener. It is decoded for a model that has no files, with all
 * duties on and in the lenient dialect. The memory ends with the body. */
#include "request.h"

#include "graphpipe/graphpipe_call.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

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
        if (status.code == STATUS_RESOURCE_EXHAUSTED && str_is(status.message, "out of memory"))
            abort(); /* the body asks for more memory than the budget above, a small multiple of it */
        if (!is_ok(status) || !reader.fault)
            check_decoded(status, &call.request);
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *body = copy_input(bytes, size, 0);
    decode((struct str){body, size}, false);
    decode((struct str){body, size}, true);
    free(body);
    return 0;
}
