/* Elementwise operators of ONNX. */
#include "base/search.h"
#include "graph.h"

static struct graph *binary_graph(const char *op_type, const char *type, const char *result)
{
    return graph_of(13, "A %s[-1,-1]; B %s[-1,-1]; C = %s A B; -> C %s", type, type, op_type, result);
}

/* Tests one row of each operand. */
static void assert_row(const char *op_type, const char *type, enum datatype result_type, const char *result,
                       const void *a, const void *b, const void *expected, size_t count)
{
    struct graph *g = binary_graph(op_type, type, result);
    graph_give(g, SHAPE(1, (int64_t)count), a, count);
    graph_give(g, SHAPE(1, (int64_t)count), b, count);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], result_type, SHAPE(1, (int64_t)count), expected, count * datatype_size(result_type));
}

#define ARITHMETIC(op_type, NAME, datatype, type, a, b, expected)                                                      \
    do {                                                                                                               \
        const type a_[] = a;                                                                                           \
        const type b_[] = b;                                                                                           \
        const type expected_[] = expected;                                                                             \
        assert_int_equal(sizeof(a_), sizeof(expected_));                                                               \
        assert_row(op_type, #NAME, datatype, #NAME, a_, b_, expected_, COUNT_OF(a_));                                  \
    } while (0)
#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

TEST(integers_wrap_around)
{
    ARITHMETIC("Add", INT8, DATATYPE_INT8, int8_t, LIST(127, -128, 1), LIST(1, -1, 2), LIST(-128, 127, 3));
    ARITHMETIC("Sub", UINT8, DATATYPE_UINT8, uint8_t, LIST(0, 5), LIST(1, 3), LIST(255, 2));
    ARITHMETIC("Mul", INT32, DATATYPE_INT32, int32_t, LIST(65536, -3, INT32_MIN), LIST(65536, 7, -1),
               LIST(0, -21, INT32_MIN));
    ARITHMETIC("Add", INT64, DATATYPE_INT64, int64_t, LIST(INT64_MAX, 9007199254740993), LIST(1, 1),
               LIST(INT64_MIN, 9007199254740994));
    ARITHMETIC("Mul", UINT32, DATATYPE_UINT32, uint32_t, LIST(UINT32_MAX), LIST(UINT32_MAX), LIST(1));
    ARITHMETIC("Mul", UINT16, DATATYPE_UINT16, uint16_t, LIST(UINT16_MAX), LIST(UINT16_MAX), LIST(1));
}

TEST(integer_division_cuts_and_wraps)
{
    ARITHMETIC("Div", INT32, DATATYPE_INT32, int32_t, LIST(7, -7, INT32_MIN, 6), LIST(2, 2, -1, -3),
               LIST(3, -3, INT32_MIN, -2));
    ARITHMETIC("Div", INT64, DATATYPE_INT64, int64_t, LIST(INT64_MIN), LIST(-1), LIST(INT64_MIN));
    ARITHMETIC("Div", UINT8, DATATYPE_UINT8, uint8_t, LIST(255, 7), LIST(2, 255), LIST(127, 0));
}

TEST(integer_division_by_zero_is_refused)
{
    struct graph *g = binary_graph("Div", "INT32", "INT32");
    graph_give(g, SHAPE(1, 2), (const int32_t[]){1, 2}, 2);
    graph_give(g, SHAPE(1, 2), (const int32_t[]){1, 0}, 2);
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "Div", "division by zero");
}

TEST(floats_follow_ieee)
{
    ARITHMETIC("Div", FLOAT, DATATYPE_FP32, float, LIST(1.0F, -1.0F, 1.0F), LIST(0.0F, 0.0F, 3.0F),
               LIST(__builtin_inff(), -__builtin_inff(), 0.333333343F));
    ARITHMETIC("Add", DOUBLE, DATATYPE_FP64, double, LIST(0.1), LIST(0.2), LIST(0.30000000000000004));
    ARITHMETIC("Sub", FLOAT, DATATYPE_FP32, float, LIST(-0.0F), LIST(0.0F), LIST(-0.0F));
}

TEST(halves_are_rounded_once)
{
    /* 2048 + 1 is a tie and rounds to even, 2048; 1 + 2 = 3; 65504 + 65504 is infinite */
    ARITHMETIC("Add", FLOAT16, DATATYPE_FP16, uint16_t, LIST(0x6800, 0x3C00, 0x7BFF), LIST(0x3C00, 0x4000, 0x7BFF),
               LIST(0x6800, 0x4200, 0x7C00));
    ARITHMETIC("Mul", BFLOAT16, DATATYPE_BF16, uint16_t, LIST(0x4040), LIST(0xC000), LIST(0xC0C0));
    ARITHMETIC("Mean", FLOAT16, DATATYPE_FP16, uint16_t, LIST(0x3C00), LIST(0x4200), LIST(0x4000));
    ARITHMETIC("Pow", FLOAT16, DATATYPE_FP16, uint16_t, LIST(0x4200), LIST(0x4000), LIST(0x4880));
    ARITHMETIC("PRelu", FLOAT16, DATATYPE_FP16, uint16_t, LIST(0xC000, 0x3C00), LIST(0x3800, 0x3800),
               LIST(0xBC00, 0x3C00));
}

TEST(comparisons_and_logic_give_bool)
{
    static const float a[] = {1, 2, 3, __builtin_nanf("")}, b[] = {2, 2, 2, __builtin_nanf("")};
    static const struct {
        const char *op_type, *expected;
    } cases[] = {{"Equal", "\0\1\0\0"},
                 {"Less", "\1\0\0\0"},
                 {"LessOrEqual", "\1\1\0\0"},
                 {"Greater", "\0\0\1\0"},
                 {"GreaterOrEqual", "\0\1\1\0"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_row(cases[i].op_type, "FLOAT", DATATYPE_BOOL, "BOOL", a, b, cases[i].expected, 4);
    assert_row("And", "BOOL", DATATYPE_BOOL, "BOOL", "\0\0\1\1", "\0\1\0\1", "\0\0\0\1", 4);
    assert_row("Or", "BOOL", DATATYPE_BOOL, "BOOL", "\0\0\1\1", "\0\1\0\1", "\0\1\1\1", 4);
    assert_row("Xor", "BOOL", DATATYPE_BOOL, "BOOL", "\0\0\1\1", "\0\1\0\1", "\0\1\1\0", 4);
    assert_row("Equal", "BOOL", DATATYPE_BOOL, "BOOL", "\0\0\1\1", "\0\1\0\1", "\1\0\0\1", 4);
}

/* Compares 100 a + b over these shapes with the rule of broadcasting, applied to each element. */
static void assert_broadcast(const int64_t *a, size_t a_rank, const int64_t *b, size_t b_rank, const int64_t *out,
                             size_t out_rank)
{
    const int64_t any[] = {-1, -1, -1, -1};
    struct graph *g = graph_of(13, "A INT32%s; B INT32%s; C = Add A B; -> C INT32", shape_text(&arena, any, a_rank),
                               shape_text(&arena, any, b_rank));
    assert_ok(graph_load(g));
    int32_t a_data[64], b_data[64], expected[64];
    size_t a_count, b_count, count;
    assert_true(shape_count(a, a_rank, &a_count) && shape_count(b, b_rank, &b_count) &&
                shape_count(out, out_rank, &count));
    for (int32_t i = 0; i < 64; i++) {
        a_data[i] = 100 * i;
        b_data[i] = i;
    }
    for (size_t at = 0; at < count; at++) {
        size_t rest = at, index[4] = {0}, a_at = 0, b_at = 0;
        for (size_t i = out_rank; i-- > 0;) {
            index[i] = rest % (size_t)out[i];
            rest /= (size_t)out[i];
        }
        for (size_t i = 0; i < a_rank; i++)
            a_at = a_at * (size_t)a[i] + (a[i] == 1 ? 0 : index[out_rank - a_rank + i]);
        for (size_t i = 0; i < b_rank; i++)
            b_at = b_at * (size_t)b[i] + (b[i] == 1 ? 0 : index[out_rank - b_rank + i]);
        expected[at] = a_data[a_at] + b_data[b_at];
    }
    graph_give(g, a, a_rank, a_data, a_count);
    graph_give(g, b, b_rank, b_data, b_count);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT32, out, out_rank, expected, count * sizeof(*expected));
}

TEST(shapes_broadcast_as_numpy_does)
{
    assert_broadcast(SHAPE(2, 3), SHAPE(3), SHAPE(2, 3));
    assert_broadcast(SHAPE(3), SHAPE(2, 3), SHAPE(2, 3));
    assert_broadcast(SHAPE(2, 3), SCALAR, SHAPE(2, 3));
    assert_broadcast(SCALAR, SHAPE(2, 3), SHAPE(2, 3));
    assert_broadcast(SHAPE(2, 1), SHAPE(1, 3), SHAPE(2, 3));
    assert_broadcast(SHAPE(4, 1, 3), SHAPE(2, 1), SHAPE(4, 2, 3));
    assert_broadcast(SHAPE(2, 1, 2, 1), SHAPE(3, 1, 2), SHAPE(2, 3, 2, 2));
    assert_broadcast(SHAPE(1), SHAPE(1, 1), SHAPE(1, 1));
    assert_broadcast(SHAPE(0, 3), SHAPE(1, 3), SHAPE(0, 3));
    assert_broadcast(SCALAR, SCALAR, SCALAR);
}

TEST(inputs_of_two_datatypes_are_a_load_error)
{
    struct graph *g = graph_of(13, "A INT32[-1]; B INT64[-1]; C = Add A B; -> C INT32");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "Add", "INT32", "INT64");
}

TEST(datatypes_without_a_kernel_are_a_load_error)
{
    static const struct {
        const char *op_type, *type;
    } cases[] = {{"Add", "BOOL"}, {"Add", "STRING"}, {"And", "INT32"}, {"Less", "BOOL"}, {"Equal", "STRING"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct graph *g = binary_graph(cases[i].op_type, cases[i].type, cases[i].type);
        assert_fails(graph_load(g), STATUS_UNIMPLEMENTED, cases[i].op_type, "not supported");
    }
}

TEST(shapes_that_never_broadcast_are_a_load_error)
{
    struct graph *g = graph_of(13, "A INT32[-1,2]; B INT32[-1,3]; C = Add A B; -> C INT32");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "[-1,2]", "[-1,3]");
}
