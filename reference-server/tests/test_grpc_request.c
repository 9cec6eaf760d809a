/* Where the raw data of a request lies in memory. What is read of requests, and refused, the suite judges. */
#include "predict_v2/grpc_decode.h"
#include "tests/scratch.h"

#include <inference.pb-c.h>

/* Inputs I INT32 [2] and B BYTES [2], with raw_input_contents. */
#define INTS       "\1\0\0\0\2\0\0\0"
#define TEXTS      "\1\0\0\0a\2\0\0\0bc"
#define RAW_INPUTS "\x2a\x0d\x0a\1I\x12\5INT32\x1a\1\2\x2a\x0d\x0a\1B\x12\5BYTES\x1a\1\2\x3a\x08" INTS "\x3a\x0b" TEXTS
static const struct str message = STR("\x0a\1m" RAW_INPUTS);

static const struct rpc_method method = {.request = &inference__model_infer_request__descriptor};
static struct infer_request request;
static struct data_form data_form;

static void decode(const struct rpc_method *by, struct str bytes)
{
    const struct rpc_call call = {.arena = &arena, .method = by, .message = bytes};
    request = (struct infer_request){.arena = &arena};
    assert_true(is_ok(grpc_decode_request(&call, &request, &data_form)));
    assert_true(data_form.is_raw);
    assert_int_equal(request.input_count, 2);
    assert_memory_equal(request.inputs[0].tensor.data, INTS, 8);
    assert_memory_equal(request.inputs[1].tensor.data, TEXTS, 11);
}

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(raw_data_is_aligned_for_vectors)
{
    decode(&method, message);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal((uintptr_t)request.inputs[i].tensor.data % 64, 0);
}

TEST(aligned_data_is_used_where_it_stands_if_the_message_stays)
{
    static const struct rpc_stream stream;
    static const struct rpc_method streamed = {.request = &inference__model_infer_request__descriptor,
                                               .stream = &stream};
    char *memory = arena_alloc(&arena, ARENA_WIDE);
    size_t begins = grpc_data_begins(message), skip = -begins & 63;
    memcpy(memory + skip, message.data, message.size);
    for (int is_streamed = 0; is_streamed < 2; is_streamed++) {
        decode(is_streamed ? &streamed : &method, (struct str){memory + skip, message.size});
        assert_int_equal(data_form.is_in_message, !is_streamed);
        assert_int_equal(request.inputs[0].tensor.data == memory + skip + begins, !is_streamed);
    }
}
