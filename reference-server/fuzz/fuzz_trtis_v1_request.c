/* The input is a request to TensorRT Inference Server v1, for a model that has no files: a header NV-InferRequest, a
 * line feed, and the bytes of the body; or, if it begins with a NUL, an InferRequest of gRPC. The memory ends with the
 * input. A request that is accepted must be complete: every input has a name, a datatype and a shape, and as many bytes
 * as its elements need. */
#include "request.h"

#include "models/config.h"
#include "trtis_v1/grpc.h"

#include <trtis_v1.pb-c.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void no_answer(struct v1_infer *)
{
}

/* Checks a header, and takes the bytes as the body: what is missing is a failure. */
static struct status check(struct v1_infer *asked, struct str body)
{
    struct status status = v1_infer_check(asked);
    for (size_t i = 0; is_ok(status) && i < asked->request.input_count; i++) {
        if (asked->sizes[i] > body.size)
            return status_plain(STATUS_INVALID_ARGUMENT, "short");
        status = v1_infer_take(asked, i, (struct str){body.data, asked->sizes[i]});
        body = str_from(body, asked->sizes[i]);
        if (is_ok(status))
            check_tensor(&asked->request.inputs[i].tensor);
    }
    return is_ok(status) ? v1_infer_check_scheduled(asked) : status;
}

static struct status read_http(struct v1_infer *asked, struct str input, struct arena *arena)
{
    const char *end = input.size ? memchr(input.data, '\n', input.size) : NULL;
    struct str text = {input.data, end ? (size_t)(end - input.data) : input.size};
    struct str body = end ? str_from(input, text.size + 1) : STR("");
    struct buf message = {0};
    struct status status = text_read(text_type_of("trtis_v1", "InferRequestHeader"), text, arena, &message);
    if (is_ok(status))
        status = v1_infer_read_header(buf_str(&message), arena, &asked->header);
    buf_free(&message);
    char *copy = arena_alloc(arena, body.size);
    if (!is_ok(status) || !copy)
        return status;
    if (body.size)
        memcpy(copy, body.data, body.size);
    return check(asked, (struct str){copy, body.size});
}

static struct status read_grpc(struct v1_infer *asked, struct str input, struct arena *arena)
{
    const struct rpc_method method = {.request = &nvidia__inferenceserver__infer_request__descriptor};
    const struct rpc_call call = {.arena = arena, .method = &method, .message = input};
    struct wire_parts parts = {0};
    struct status status = v1_grpc_read_infer(&call, asked, &parts);
    return is_ok(status) ? check(asked, parts.count ? parts.values[0] : STR("")) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const int64_t shape[] = {-1, -1, 2}, dims[] = {1};
    static struct tensor_spec inputs[] = {
        {.name = STR("a"), .datatype = DATATYPE_INT32, .shape = shape, .rank = 3},
        {.name = STR("b"), .datatype = DATATYPE_BYTES, .shape = shape, .rank = 2},
        {.name = STR("c"), .datatype = DATATYPE_BOOL, .shape = shape, .rank = 1},
    };
    static struct tensor_spec outputs[] = {{.name = STR("o"), .datatype = DATATYPE_FP32},
                                           {.name = STR("p"), .datatype = DATATYPE_FP16}};
    static const struct config_tensor reshaped[] = {
        {.name = STR("c"), .datatype = DATATYPE_BOOL, .dims = dims, .rank = 1, .is_reshaped = true}};
    static const struct model_config config = {
        .max_batch_size = 4, .has_sequences = true, .inputs = reshaped, .input_count = 1};
    static struct model model = {.name = STR("m"),
                                 .config = &config,
                                 .inputs = inputs,
                                 .input_count = 3,
                                 .outputs = outputs,
                                 .output_count = 2,
                                 .state = MODEL_READY};
    char *memory = copy_input(bytes, size, 0);
    struct str input = {memory, size};
    struct arena arena = arena_new((size_t)64 * size + (4 << 20));
    struct v1_infer asked = {.request = {.arena = &arena}, .hold = {.model = &model}, .answer = no_answer};
    bool is_grpc = size > 0 && memory[0] == 0;
    struct status status = is_grpc ? read_grpc(&asked, str_from(input, 1), &arena) : read_http(&asked, input, &arena);
    if (!is_ok(status) && (!str_is_utf8(status.message) || status.message.size == 0))
        abort();
    arena_free(&arena);
    free(memory);
    return 0;
}
