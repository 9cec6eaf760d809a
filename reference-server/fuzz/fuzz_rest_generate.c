/* The input is the body of a request to generate, for a model with inputs of a few datatypes; the first byte says
 * whether it takes batches. */
#include "request.h"

#include "models/config.h"
#include "predict_v2/rest.h"
#include "predict_v2/rest_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static void *cache;
    static struct tensor_spec inputs[] = {{.name = {"text_input", 10}, .datatype = DATATYPE_BYTES},
                                          {.name = {"n", 1}, .datatype = DATATYPE_INT32},
                                          {.name = {"x\"", 2}, .datatype = DATATYPE_FP32}};
    if (size == 0)
        return 0;
    struct model_config config = {.max_batch_size = bytes[0] & 1};
    struct model model = {.inputs = inputs, .input_count = 3, .config = &config};
    char *body = copy_input(bytes + 1, size - 1, 0);
    struct arena arena = arena_new((size_t)64 << 20);
    struct http_request http = {.arena = &arena, .cache = &cache};
    struct rest_call call = {.http = &http, .arena = &arena, .model = STR("m")};
    struct infer_request request = {.arena = &arena};
    struct str text;
    struct status status = rest_generate_translate(&model, (struct str){body, size - 1}, &arena, &text);
    if (is_ok(status))
        status = rest_decode_infer(&call, text, &request);
    check_decoded(status, &request);
    arena_free(&arena);
    free(body);
    return 0;
}
