/* Operators of ONNX with one input, of other datatypes than in the cases of ONNX in test_onnx_nodes. */
#include "graph.h"

static void assert_exactly(const char *op_type, const char *type, const void *data, const void *expected, size_t count)
{
    struct graph *g = graph_of(13, "A %s[-1]; C = %s A; -> C %s[-1]", type, op_type, type);
    graph_give(g, SHAPE((int64_t)count), data, count);
    assert_ok(graph_run(g));
    assert_int_equal(g->made[0].count, count);
    assert_memory_equal(g->made[0].data, expected, g->made[0].size);
}

TEST(integers)
{
    assert_exactly("Relu", "INT8", (const int8_t[]){-128, 5}, (const int8_t[]){0, 5}, 2);
    assert_exactly("Neg", "INT32", (const int32_t[]){INT32_MIN, 5}, (const int32_t[]){INT32_MIN, -5}, 2);
    assert_exactly("Abs", "INT64", (const int64_t[]){INT64_MIN, -5}, (const int64_t[]){INT64_MIN, 5}, 2);
    assert_exactly("Abs", "UINT8", (const uint8_t[]){255}, (const uint8_t[]){255}, 1);
    assert_exactly("Sign", "INT8", (const int8_t[]){-128, 0, 5}, (const int8_t[]){-1, 0, 1}, 3);
    assert_exactly("Sign", "UINT8", (const uint8_t[]){0, 255}, (const uint8_t[]){0, 1}, 2);
}

TEST(bounds_of_any_numbers)
{
    struct graph *g = graph_of(13, "A INT16[-1]; least INT16[] = -3; C = Clip A least; -> C INT16[-1]");
    graph_give(g, SHAPE(3), (const int16_t[]){INT16_MIN, 0, INT16_MAX}, 3);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT16, SHAPE(3), (const int16_t[]){-3, 0, INT16_MAX}, 6);

    /* where the bounds are attributes, of doubles too */
    g = graph_of(6, "A DOUBLE[-1]; C = Clip max=1.5 A; -> C DOUBLE[-1]");
    graph_give(g, SHAPE(2), (const double[]){-1e300, 1e300}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_FP64, SHAPE(2), (const double[]){-1e300, 1.5}, 16);

    g = graph_of(13, "A INT16[-1]; least INT64[1] = 0; C = Clip A least; -> C INT16[-1]");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "Clip", "INT16", "INT64");
}

TEST(halves_and_doubles)
{
    assert_exactly("Sqrt", "DOUBLE", (const double[]){4, 2}, (const double[]){2, 1.4142135623730951}, 2);
    assert_exactly("Relu", "FLOAT16", (const uint16_t[]){0xBC00, 0x3C00}, (const uint16_t[]){0, 0x3C00}, 2);
    assert_exactly("Neg", "BFLOAT16", (const uint16_t[]){0x3F80}, (const uint16_t[]){0xBF80}, 1);
}

TEST(datatypes_without_a_kernel_are_a_load_error)
{
    struct graph *g = graph_of(13, "A INT32[-1]; C = Exp A; -> C INT32[-1]");
    assert_fails(graph_load(g), STATUS_UNIMPLEMENTED, "Exp", "INT32");
}
