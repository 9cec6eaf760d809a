/* Shapes and sizes of tensors. */
#include "tensor/tensor.h"
#include "tests/scratch.h"

TEST(elements_are_the_product_of_the_shape)
{
    size_t count;
    assert_true(shape_count((const int64_t[]){2, 3, 4}, 3, &count));
    assert_int_equal(count, 24);
    assert_true(shape_count(NULL, 0, &count));
    assert_int_equal(count, 1);
    assert_true(shape_count((const int64_t[]){5, 0, 3}, 3, &count));
    assert_int_equal(count, 0);
}

TEST(a_negative_dimension_has_no_elements)
{
    size_t count;
    assert_false(shape_count((const int64_t[]){-1}, 1, &count));
    assert_false(shape_count((const int64_t[]){0, -1}, 2, &count));
    assert_false(shape_count((const int64_t[]){INT64_MIN, 2}, 2, &count));
}

TEST(a_product_that_overflows_is_refused)
{
    size_t count;
    assert_false(shape_count((const int64_t[]){INT64_MAX, 2}, 2, &count));
    assert_false(shape_count((const int64_t[]){1LL << 32, 1LL << 32}, 2, &count));
    assert_false(shape_count((const int64_t[]){1LL << 61}, 1, &count)); /* 8 times this count is 2^64 */
    assert_true(shape_count((const int64_t[]){(1LL << 61) - 1}, 1, &count));
    assert_int_equal(count, (1LL << 61) - 1);
    assert_true(shape_count((const int64_t[]){INT64_MAX, INT64_MAX, 0}, 3, &count));
    assert_int_equal(count, 0);
}

ARENA_TEST(shapes_are_written_for_messages)
{
    assert_string_equal(shape_text(&arena, NULL, 0), "[]");
    assert_string_equal(shape_text(&arena, (const int64_t[]){1, 16}, 2), "[1,16]");
    assert_string_equal(shape_text(&arena, (const int64_t[]){-1, INT64_MIN}, 2), "[-1,-9223372036854775808]");
    int64_t many[100];
    for (size_t i = 0; i < 100; i++)
        many[i] = INT64_MIN;
    const char *text = shape_text(&arena, many, 100);
    assert_int_equal(strlen(text), 1 + TENSOR_RANK_MAX * 21 - 1 + 5);
    assert_string_equal(text + strlen(text) - 5, ",...]");
    struct arena empty = arena_new(0);
    assert_string_equal(shape_text(&empty, many, 1), "[...]");
    arena_free(&empty);
}
