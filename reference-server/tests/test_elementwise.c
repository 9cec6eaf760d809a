/* Elementwise operators of ONNX. */
#include "graph.h"

/* An operator of two rows of this type, which gives one of that type. */
#define ROWS(OP, TYPE, GIVES) "A " TYPE "[-1]; B " TYPE "[-1]; C = " OP " A B; -> C " GIVES
#define BINARY(OP, TYPE, COUNT, A, B, MADE)                                                                            \
    {                                                                                                                  \
        ROWS(OP, TYPE, TYPE), TYPE "[" COUNT "] " A ";" TYPE "[" COUNT "] " B, TYPE "[" COUNT "] " MADE                \
    }
#define COMPARISON(OP, TYPE, A, B, MADE)                                                                               \
    {                                                                                                                  \
        ROWS(OP, TYPE, "BOOL"), TYPE "[4] " A ";" TYPE "[4] " B, "BOOL[4] " MADE                                       \
    }

TEST(integers_wrap_around)
{
    static const struct graph_case rows[] = {
        BINARY("Add", "INT8", "3", "127 -128 1", "1 -1 2", "-128 127 3"),
        BINARY("Sub", "UINT8", "2", "0 5", "1 3", "255 2"),
        BINARY("Mul", "INT32", "3", "65536 -3 -2147483648", "65536 7 -1", "0 -21 -2147483648"),
        BINARY("Add", "INT64", "2", "9223372036854775807 9007199254740993", "1 1",
               "-9223372036854775808 9007199254740994"),
        BINARY("Mul", "UINT32", "1", "4294967295", "4294967295", "1"),
        BINARY("Mul", "UINT16", "1", "65535", "65535", "1"),
    };
    assert_cases(13, rows);
}

TEST(integer_division_cuts_and_wraps)
{
    static const struct graph_case rows[] = {
        BINARY("Div", "INT32", "4", "7 -7 -2147483648 6", "2 2 -1 -3", "3 -3 -2147483648 -2"),
        BINARY("Div", "INT64", "1", "-9223372036854775808", "-1", "-9223372036854775808"),
        BINARY("Div", "UINT8", "2", "255 7", "2 255", "127 0"),
        {ROWS("Div", "INT32", "INT32"), "INT32[2] 1 2; INT32[2] 1 0", "refused: (Div): division by zero"},
    };
    assert_cases(13, rows);
}

TEST(floats_follow_ieee)
{
    static const struct graph_case rows[] = {
        BINARY("Div", "FLOAT", "3", "1 -1 1", "0 0 3", "inf -inf 0.333333343"),
        BINARY("Add", "DOUBLE", "1", "0.1", "0.2", "0.30000000000000004"),
        BINARY("Sub", "FLOAT", "1", "-0.0", "0", "-0.0"),
    };
    assert_cases(13, rows);
}

TEST(halves_are_rounded_once)
{
    static const struct graph_case rows[] = {
        /* 2048 + 1 is a tie and rounds to even, 2048; 1 + 2 = 3; 65504 + 65504 is infinite */
        BINARY("Add", "FLOAT16", "3", "0x6800 0x3C00 0x7BFF", "0x3C00 0x4000 0x7BFF", "0x6800 0x4200 0x7C00"),
        BINARY("Mul", "BFLOAT16", "1", "0x4040", "0xC000", "0xC0C0"),
        BINARY("Mean", "FLOAT16", "1", "0x3C00", "0x4200", "0x4000"),
        BINARY("Pow", "FLOAT16", "1", "0x4200", "0x4000", "0x4880"),
        BINARY("PRelu", "FLOAT16", "2", "0xC000 0x3C00", "0x3800 0x3800", "0xBC00 0x3C00"),
    };
    assert_cases(13, rows);
}

TEST(comparisons_and_logic_give_bool)
{
    static const struct graph_case rows[] = {
        COMPARISON("Equal", "FLOAT", "1 2 3 nan", "2 2 2 nan", "0 1 0 0"),
        COMPARISON("Less", "FLOAT", "1 2 3 nan", "2 2 2 nan", "1 0 0 0"),
        COMPARISON("LessOrEqual", "FLOAT", "1 2 3 nan", "2 2 2 nan", "1 1 0 0"),
        COMPARISON("Greater", "FLOAT", "1 2 3 nan", "2 2 2 nan", "0 0 1 0"),
        COMPARISON("GreaterOrEqual", "FLOAT", "1 2 3 nan", "2 2 2 nan", "0 1 1 0"),
        COMPARISON("And", "BOOL", "0 0 1 1", "0 1 0 1", "0 0 0 1"),
        COMPARISON("Or", "BOOL", "0 0 1 1", "0 1 0 1", "0 1 1 1"),
        COMPARISON("Xor", "BOOL", "0 0 1 1", "0 1 0 1", "0 1 1 0"),
        COMPARISON("Equal", "BOOL", "0 0 1 1", "0 1 0 1", "1 0 0 1"),
    };
    assert_cases(13, rows);
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

TEST(what_has_no_meaning_is_a_load_error)
{
    static const struct graph_case rows[] = {
        {"A INT32[-1]; B INT64[-1]; C = Add A B; -> C INT32", NULL, "refused: (Add): its inputs are INT32 and INT64"},
        {ROWS("Add", "BOOL", "BOOL"), NULL, "unsupported: (Add): BOOL is not supported"},
        {ROWS("Add", "STRING", "STRING"), NULL, "unsupported: (Add): BYTES is not supported"},
        {ROWS("And", "INT32", "INT32"), NULL, "unsupported: (And): INT32 is not supported"},
        {ROWS("Less", "BOOL", "BOOL"), NULL, "unsupported: (Less): BOOL is not supported"},
        {ROWS("Equal", "STRING", "BOOL"), NULL, "unsupported: (Equal): BYTES is not supported"},
        {"A INT32[-1,2]; B INT32[-1,3]; C = Add A B; -> C INT32", NULL, "refused: shapes [-1,2] and [-1,3]"},
    };
    assert_cases(13, rows);
}
