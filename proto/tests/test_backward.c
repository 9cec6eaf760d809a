/* Writing protobuf messages from their end. */
#include "tests/scratch.h"
#include "wire/backward.h"

#include <inference.pb-c.h>

/* Encoded by protoc: model_name "m", and two outputs: the first has the name "a", the datatype "INT32" and the shape
 * [2, 300, -1], the second is empty. */
static const struct str message = {"\x0a\x01m\x2a\x19\x0a\x01"
                                   "a\x12\x05INT32\x1a\x0d\x02\xac\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x2a\x00",
                                   32};

static struct str write_message(struct arena *memory, size_t expected)
{
    static const int64_t shape[] = {2, 300, -1};
    struct wire_backward out = wire_backward_begin(memory, expected);
    wire_backward_nest(&out, 5, wire_backward_size(&out));
    size_t end = wire_backward_size(&out);
    wire_backward_int64s(&out, 3, shape, 3);
    wire_backward_text(&out, 2, STR("INT32"));
    wire_backward_text(&out, 1, STR("a"));
    wire_backward_nest(&out, 5, end);
    wire_backward_int64s(&out, 4, shape, 0);
    wire_backward_text(&out, 3, STR(""));
    wire_backward_text(&out, 1, STR("m"));
    return wire_backward_end(&out);
}

ARENA_TEST(a_message_is_written_whatever_was_expected)
{
    for (size_t expected = 0; expected < 64; expected++)
        assert_true(str_equal(write_message(&arena, expected), message));
}

ARENA_TEST(a_message_of_protobuf_c_is_nested)
{
    Inference__InferTensorContents contents = INFERENCE__INFER_TENSOR_CONTENTS__INIT;
    int32_t list[200] = {0};
    contents.int_contents = list;
    contents.n_int_contents = 200;
    struct wire_backward out = wire_backward_begin(&arena, 8);
    wire_backward_message(&out, 5, &contents.base);
    struct str written = wire_backward_end(&out);
    /* the field 5 of 203 bytes, in it the packed field 2 of 200 bytes, which are 0 */
    assert_int_equal(written.size, 206);
    assert_memory_equal(written.data, "\x2a\xcb\x01\x12\xc8\x01\x00", 7);
}

ARENA_TEST(a_text_of_128_bytes_has_a_length_of_two)
{
    char text[128] = "";
    struct wire_backward out = wire_backward_begin(&arena, 0);
    wire_backward_text(&out, 16, (struct str){text, sizeof(text)});
    struct str written = wire_backward_end(&out);
    assert_int_equal(written.size, 132);
    assert_memory_equal(written.data, "\x82\x01\x80\x01\x00", 5);
}

ARENA_TEST(empty_bytes_are_an_element)
{
    struct wire_backward out = wire_backward_begin(&arena, 8);
    wire_backward_bytes(&out, 6, (struct str){0});
    wire_backward_bytes(&out, 6, (struct str){"\0\1", 2});
    assert_true(str_equal(wire_backward_end(&out), (struct str){"\x32\x02\x00\x01\x32\x00", 6}));
}

TEST(an_exhausted_arena_gives_no_message)
{
    for (size_t budget = 0; budget < message.size; budget++) {
        struct arena small = arena_new(budget);
        assert_null(write_message(&small, 4).data);
        arena_free(&small);
    }
}
