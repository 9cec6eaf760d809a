/* Conversions between datatypes. */
#include "tests/scratch.h"

#include "base/search.h"
#include "tensor/cast.h"

static void assert_cast(enum datatype from, const void *in, enum datatype to, const void *out, size_t count)
{
    struct tensor tensor = {.datatype = from, .count = count, .size = count * datatype_size(from)};
    tensor.data = arena_alloc(&arena, tensor.size);
    assert_non_null(tensor.data);
    if (tensor.size)
        memcpy(tensor.data, in, tensor.size);
    assert_true(tensor_cast(&tensor, to, &arena, &tensor));
    assert_int_equal(tensor.datatype, to);
    assert_int_equal(tensor.count, count);
    assert_int_equal(tensor.size, count * datatype_size(to));
    assert_memory_equal(tensor.data, out, tensor.size);
}

#define CAST(from_name, from_type, to_name, to_type, values, expected)                                                 \
    do {                                                                                                               \
        const from_type in_[] = values;                                                                                \
        const to_type out_[] = expected;                                                                               \
        assert_int_equal(COUNT_OF(in_), COUNT_OF(out_));                                                               \
        assert_cast(DATATYPE_##from_name, in_, DATATYPE_##to_name, out_, COUNT_OF(in_));                               \
    } while (0)
#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(integers_wrap)
{
    CAST(INT32, int32_t, INT8, int8_t, LIST(0, 127, 128, -129, 300), LIST(0, 127, -128, 127, 44));
    CAST(INT64, int64_t, UINT32, uint32_t, LIST(-1, INT64_MIN, 4294967297), LIST(UINT32_MAX, 0, 1));
    CAST(UINT64, uint64_t, INT64, int64_t, LIST(UINT64_MAX, 1), LIST(-1, 1));
    CAST(INT8, int8_t, UINT64, uint64_t, LIST(-1, 5), LIST(UINT64_MAX, 5));
    CAST(UINT16, uint16_t, INT16, int16_t, LIST(65535, 32768), LIST(-1, INT16_MIN));
}

TEST(floats_lose_their_fraction_and_stop_at_the_ends)
{
    CAST(FP64, double, INT32, int32_t, LIST(1.9, -1.9, 1e300, -1e300, __builtin_nan(""), 2147483647.0),
         LIST(1, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX));
    CAST(FP32, float, UINT8, uint8_t, LIST(255.9F, 256.0F, -0.5F, -3.0F, __builtin_inff()), LIST(255, 255, 0, 0, 255));
    CAST(FP64, double, INT64, int64_t, LIST(9223372036854775807.0, -9223372036854775808.0, 9007199254740993.0),
         LIST(INT64_MAX, INT64_MIN, 9007199254740992));
    CAST(FP64, double, UINT64, uint64_t, LIST(18446744073709551615.0, 9223372036854775808.0, -1.0, 1e30),
         LIST(UINT64_MAX, 9223372036854775808U, 0, UINT64_MAX));
}

TEST(integers_round_once_to_floats)
{
    CAST(INT32, int32_t, FP32, float, LIST(16777217, 16777219, -16777217),
         LIST(16777216.0F, 16777220.0F, -16777216.0F));
    /* 2^54 + 2^30 + 1 rounds up to the nearest float. Through a double the 1 is lost, and the tie rounds down, to
     * even. */
    CAST(INT64, int64_t, FP32, float, LIST(18014399583223809), LIST(18014400656965632.0F));
    CAST(UINT64, uint64_t, FP64, double, LIST(UINT64_MAX, 9007199254740993U),
         LIST(18446744073709551616.0, 9007199254740992.0));
}

TEST(halves_go_both_ways)
{
    CAST(FP32, float, FP16, uint16_t, LIST(1.0F, 65504.0F, 65520.0F, -0.0F), LIST(0x3C00, 0x7BFF, 0x7C00, 0x8000));
    CAST(FP16, uint16_t, FP32, float, LIST(0x3C00, 0x0001), LIST(1.0F, 0x1p-24F));
    CAST(FP32, float, BF16, uint16_t, LIST(1.0F, 1.00390625F, 1.01171875F), LIST(0x3F80, 0x3F80, 0x3F82));
    CAST(BF16, uint16_t, INT32, int32_t, LIST(0x3F80, 0xC040), LIST(1, -3));
    CAST(INT16, int16_t, FP16, uint16_t, LIST(2049, 2051), LIST(0x6800, 0x6802));
}

TEST(bool_is_whether_it_is_not_zero)
{
    CAST(FP32, float, BOOL, uint8_t, LIST(0.0F, -0.0F, 0.1F, __builtin_nanf("")), LIST(0, 0, 1, 1));
    CAST(INT32, int32_t, BOOL, uint8_t, LIST(0, 256, -1), LIST(0, 1, 1));
    CAST(BOOL, uint8_t, FP64, double, LIST(0, 1), LIST(0.0, 1.0));
}

TEST(many_elements_take_many_steps)
{
    int32_t in[1000];
    int64_t out[1000];
    for (int32_t i = 0; i < 1000; i++) {
        in[i] = i - 500;
        out[i] = i - 500;
    }
    assert_cast(DATATYPE_INT32, in, DATATYPE_INT64, out, 1000);
    assert_cast(DATATYPE_INT32, NULL, DATATYPE_INT64, NULL, 0);
}

TEST(memory_that_gives_out_is_told)
{
    struct arena small = arena_new(10);
    int32_t data[100] = {0};
    struct tensor tensor = {.datatype = DATATYPE_INT32, .data = data, .count = 100, .size = sizeof(data)};
    assert_false(tensor_cast(&tensor, DATATYPE_FP64, &small, &tensor));
    tensor.count = SIZE_MAX / 2;
    assert_false(tensor_cast(&tensor, DATATYPE_FP64, &arena, &tensor));
    arena_free(&small);
}
