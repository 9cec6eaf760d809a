/* The input is the body of an inference request over REST; the first byte says whether binary data follows the JSON. */
#include "request.h"

#include "predict_v2/rest_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static void *cache;
    if (size == 0)
        return 0;
    char *body = copy_input(bytes + 1, size - 1, JSON_PADDING);
    struct arena arena = arena_new((size_t)256 << 20);
    struct http_request http = {.arena = &arena, .cache = &cache};
    struct rest_call call = {.http = &http, .arena = &arena, .model = STR("m")};
    if (bytes[0] & 2) /* binary data begins with the first byte 0 */
        call.json_length = arena_printf(&arena, "%zu", strnlen(body, size - 1));
    struct infer_request request = {.arena = &arena};
    struct status status = rest_decode_infer(&call, (struct str){body, size - 1}, &request);
    check_decoded(status, &request);
    arena_free(&arena);
    free(body);
    return 0;
}
