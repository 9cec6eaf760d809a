/* The input is a ModelInferRequest. The first byte chooses whether it is inflated first. */
#include "grpc/inflate.h"
#include "predict_v2/grpc_decode.h"
#include "tests/one_model.h"
#include "wire/message.h"

#include <inference.pb-c.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every byte of the data, as a model would. */
static void touch(const struct infer_request *request)
{
    for (size_t i = 0; i < request->input_count; i++) {
        const volatile char *data = request->inputs[i].tensor.data;
        for (size_t k = 0; k < request->inputs[i].tensor.size; k++)
            (void)data[k];
    }
}

/* The decoder checks most of a message while it reads it. What wire_check refuses, it must refuse as malformed, unless
 * it ran out of memory before. */
static void expect_checked(struct status status, struct str message, struct arena *arena)
{
    bool is_refused =
        status.broken && (strcmp(status.broken, "message-valid") == 0 || strcmp(status.broken, "string-utf8") == 0);
    if (!is_refused && status.code != STATUS_RESOURCE_EXHAUSTED &&
        !is_ok(wire_check(&inference__model_infer_request__descriptor, message, arena)))
        abort();
}

/* Inflates the message, in steps of that size. */
static struct status inflate(struct str message, size_t step, struct arena *arena, struct inflation **inflation,
                             struct str *inflated)
{
    bool is_done = false;
    struct status status = STATUS_IS_OK;
    *inflation = inflation_new(message, 1 << 20, grpc_data_begins);
    if (!*inflation)
        return status_no_memory();
    while (is_ok(status) && !is_done)
        status = inflation_go_on(*inflation, step, arena, &is_done);
    *inflated = inflation_bytes(*inflation);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rpc_method method = {.request = &inference__model_infer_request__descriptor};
    if (size == 0)
        return 0;
    struct arena arena = arena_new(16 << 20);
    uint8_t choice = *data++;
    size--;
    struct str message = {(const char *)data, size};
    char *place = arena_alloc(&arena, size + ARENA_WIDE); /* where data may be used, as in grpc/message.c */
    place += -grpc_data_begins(message) & 63;
    memcpy(place, data, size);

    struct rpc_call call = {.arena = &arena, .method = &method, .message = {place, size}};
    struct status status = STATUS_IS_OK;
    struct inflation *inflation = NULL;
    if (choice & 64)
        status = inflate(message, 1 + (size_t)choice * 97, &arena, &inflation, &call.message);
    struct infer_request request = {.arena = &arena};
    struct data_form form;
    if (is_ok(status))
        status = grpc_decode_request(&call, &request, &form);
    if (is_ok(status))
        touch(&request);
    if (!inflation)
        expect_checked(status, message, &arena);
    if (tally_sum(&holders) != 0)
        abort();
    inflation_free(inflation);
    arena_free(&arena);
    return 0;
}
