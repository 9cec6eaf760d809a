/* The operators Gemm and MatMul. */
#include "base/search.h"
#include "graph.h"

/* A [2,3] x B [3,2]; numpy gives [[58,64],[139,154]]. */
static const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, 8, 9, 10, 11, 12};
static const float a_transposed[6] = {1, 4, 2, 5, 3, 6};

static struct graph *gemm_graph(const char *inputs, bool trans_a, bool trans_b)
{
    return graph_of(13, "A FLOAT[-1,-1]; B FLOAT%s; C = Gemm transA=%d transB=%d %s; -> C FLOAT[-1,2]",
                    trans_b ? "[2,3] = 7 9 11 8 10 12" : "[3,2] = 7 8 9 10 11 12", trans_a, trans_b, inputs);
}

static void run_gemm(struct graph *g, bool trans_a)
{
    assert_ok(graph_load(g));
    assert_true(g->model.on_compute_thread);
    graph_give(g, trans_a ? (const int64_t[]){3, 2} : (const int64_t[]){2, 3}, 2, trans_a ? a_transposed : a, 6);
    assert_ok(graph_run(g));
}

TEST(gemm_in_all_four_transpositions)
{
    for (int way = 0; way < 4; way++) {
        struct graph *g = gemm_graph("A B", way & 1, way & 2);
        run_gemm(g, way & 1);
        assert_floats(g, SHAPE(2, 2), 58, 64, 139, 154);
    }
}

TEST(gemm_adds_c_however_it_broadcasts)
{
    static const struct {
        int64_t shape[2];
        size_t rank, count;
        float expected[4];
    } cases[] = {{{0}, 0, 1, {68, 74, 149, 164}},    {{1}, 1, 1, {68, 74, 149, 164}},
                 {{2}, 1, 2, {68, 84, 149, 174}},    {{1, 2}, 2, 2, {68, 84, 149, 174}},
                 {{2, 1}, 2, 2, {68, 74, 159, 174}}, {{2, 2}, 2, 4, {68, 84, 169, 194}},
                 {{1, 1}, 2, 1, {68, 74, 149, 164}}};
    static const float c[4] = {10, 20, 30, 40};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct graph *g = gemm_graph("A B D", false, false);
        graph_constant(g, "D", FLOAT, cases[i].shape, cases[i].rank, c, cases[i].count * sizeof(*c));
        run_gemm(g, false);
        assert_made(&g->made[0], DATATYPE_FP32, SHAPE(2, 2), cases[i].expected, sizeof(cases[i].expected));
    }
}

TEST(gemm_runs_with_other_shapes_afterwards)
{
    struct graph *g = gemm_graph("A B", false, false);
    run_gemm(g, false);
    for (int round = 0; round < 40; round++) { /* these are more shapes than are kept */
        int64_t rows = round % 20;
        float *data = graph_alloc(g, (size_t)(rows + 1) * 3 * sizeof(float));
        for (int64_t i = 0; i < rows * 3; i++)
            data[i] = 1;
        graph_give(g, SHAPE(rows, 3), data, (size_t)rows * 3);
        assert_ok(graph_run(g));
        assert_int_equal(g->made[0].count, rows * 2);
        for (int64_t i = 0; i < rows; i++) {
            assert_true(((const float *)g->made[0].data)[i * 2] == 27);
            assert_true(((const float *)g->made[0].data)[i * 2 + 1] == 30);
        }
    }
}

/* The shape of D comes with each run: a vector for each row, or a matrix. */
TEST(gemm_adds_c_of_another_shape_at_each_run)
{
    struct graph *g =
        graph_of(13, "A FLOAT[2,3]; L FLOAT[4]; count INT64[1]; B FLOAT[3,2] = 7 8 9 10 11 12; none INT64[1] = 0;"
                     "rows INT64[2] = -1 2; some = Slice L none count; D = Reshape some rows; C = Gemm A B D;"
                     "-> C FLOAT[2,2]");
    for (int64_t round = 0; round < 4; round++) {
        const int64_t count = round % 2 ? 4 : 2;
        graph_give(g, SHAPE(2, 3), a, 6);
        graph_give_floats(g, SHAPE(4), 10, 20, 30, 40);
        graph_give(g, SHAPE(1), &count, 1);
        assert_ok(graph_run(g));
        assert_floats(g, SHAPE(2, 2), 68, 84, count == 2 ? 149 : 169, count == 2 ? 174 : 194);
    }
}

TEST(gemm_refuses_what_does_not_multiply)
{
    struct graph *g = gemm_graph("A B", false, false);
    graph_give(g, SHAPE(3, 2), a, 6);
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "Gemm", "[3,2]");
    g = gemm_graph("A B D", false, false);
    graph_add(g, "D FLOAT[3] = 1 2 3");
    graph_give(g, SHAPE(2, 3), a, 6);
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "[3]", "[2,2]");
    g = gemm_graph("A B", false, false);
    g->graph.input[0]->type->tensor_type->shape->n_dim = 1;
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "inputs of 1 and 2 dimensions");
}

static struct graph *matmul(const char *type, const int64_t *a_shape, size_t a_rank, const void *a_data,
                            const int64_t *b_shape, size_t b_rank, const void *b_data)
{
    size_t a_count = 0, b_count = 0;
    struct graph *g = graph_of(13, "A %s%s; B %s%s; C = MatMul A B; -> C %s", type, shape_text(&arena, a_shape, a_rank),
                               type, shape_text(&arena, b_shape, b_rank), type);
    assert_ok(graph_load(g));
    assert_true(shape_count(a_shape, a_rank, &a_count) && shape_count(b_shape, b_rank, &b_count));
    graph_give(g, a_shape, a_rank, a_data, a_count);
    graph_give(g, b_shape, b_rank, b_data, b_count);
    assert_ok(graph_run(g));
    return g;
}

TEST(matmul_of_vectors_and_matrices)
{
    struct graph *g = matmul("FLOAT", SHAPE(2, 3), a, SHAPE(3, 2), b);
    assert_floats(g, SHAPE(2, 2), 58, 64, 139, 154);
    g = matmul("FLOAT", SHAPE(3), a, SHAPE(3), b);
    assert_floats(g, SCALAR, 50);
    g = matmul("FLOAT", SHAPE(3), a, SHAPE(3, 2), b);
    assert_floats(g, SHAPE(2), 58, 64);
    g = matmul("FLOAT", SHAPE(2, 3), a, SHAPE(3), b);
    assert_floats(g, SHAPE(2), 50, 122);
    g = matmul("FLOAT", SHAPE(2, 0), a, SHAPE(0, 2), b);
    assert_floats(g, SHAPE(2, 2), 0, 0, 0, 0);
}

TEST(matmul_by_a_vector_and_then_a_sum)
{
    struct graph *g = graph_of(13, "A FLOAT[-1,2,3]; B FLOAT[3] = 1 2 3; D FLOAT[2] = 10 20; P = MatMul A B;"
                                   "C = Add P D; -> C FLOAT[-1,2]");
    graph_give(g, SHAPE(1, 2, 3), a, 6);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(1, 2), 24, 52);
}

TEST(matmul_broadcasts_stacks)
{
    static const float stack[4] = {1, 2, 3, 4}, pair[2] = {10, 100};
    struct graph *g = matmul("FLOAT", SHAPE(2, 1, 2), stack, SHAPE(2, 1), pair);
    assert_floats(g, SHAPE(2, 1, 1), 210, 430);
    g = matmul("FLOAT", SHAPE(1, 2), pair, SHAPE(2, 2, 1), stack);
    assert_floats(g, SHAPE(2, 1, 1), 210, 430);
    g = matmul("FLOAT", SHAPE(2, 1, 1, 2), stack, SHAPE(1, 2, 2, 1), stack);
    assert_floats(g, SHAPE(2, 2, 1, 1), 5, 11, 11, 25);
}

TEST(matmul_of_other_datatypes)
{
    static const int32_t ints[2] = {16777217, 1}, wrapping[2] = {INT32_MAX, 2};
    struct graph *g = matmul("INT32", SHAPE(1, 2), ints, SHAPE(2, 1), (const int32_t[]){1, 0});
    assert_made(&g->made[0], DATATYPE_INT32, SHAPE(1, 1), ints, 4);
    g = matmul("INT32", SHAPE(1, 2), wrapping, SHAPE(2, 1), (const int32_t[]){1, 1});
    assert_made(&g->made[0], DATATYPE_INT32, SHAPE(1, 1), (const int32_t[]){INT32_MIN + 1}, 4);
    static const double doubles[4] = {0.1, 0.2, 0.3, 0.4};
    g = matmul("DOUBLE", SHAPE(2, 2), doubles, SHAPE(2, 2), (const double[]){1, 0, 0, 1});
    assert_made(&g->made[0], DATATYPE_FP64, SHAPE(2, 2), doubles, sizeof(doubles));
    static const int64_t stack[4] = {1, 2, 3, 4};
    g = matmul("INT64", SHAPE(2, 1, 1, 2), stack, SHAPE(1, 2, 2, 1), stack);
    assert_made(&g->made[0], DATATYPE_INT64, SHAPE(2, 2, 1, 1), (const int64_t[]){5, 11, 11, 25}, 32);
}
