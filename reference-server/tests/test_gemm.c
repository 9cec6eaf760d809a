/* The operators Gemm and MatMul. */
#include "graph.h"

/* A [2,3] x B [3,2]; numpy gives [[58,64],[139,154]]. */
static const float a[6] = {1, 2, 3, 4, 5, 6};
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
#define ADDS(D, MADE)                                                                                                  \
    {                                                                                                                  \
        "A FLOAT[-1,-1]; B FLOAT[3,2] = 7 8 9 10 11 12; D FLOAT" D "; C = Gemm A B D; -> C FLOAT[-1,2]",               \
            "FLOAT[2,3] 1 2 3 4 5 6", "FLOAT[2,2] " MADE                                                               \
    }
    static const struct graph_case rows[] = {
        ADDS("[] = 10", "68 74 149 164"),       ADDS("[1] = 10", "68 74 149 164"),
        ADDS("[2] = 10 20", "68 84 149 174"),   ADDS("[1,2] = 10 20", "68 84 149 174"),
        ADDS("[2,1] = 10 20", "68 74 159 174"), ADDS("[2,2] = 10 20 30 40", "68 84 169 194"),
        ADDS("[1,1] = 10", "68 74 149 164"),
    };
    assert_cases(13, rows);
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

TEST(what_does_not_multiply_is_refused)
{
    static const struct graph_case rows[] = {
        {"A FLOAT[-1,-1]; B FLOAT[3,2] ~ 1; C = Gemm A B; -> C FLOAT", "FLOAT[3,2] 1 2 3 4 5 6",
         "refused: (Gemm): matrices [3,2]"},
        {"A FLOAT[-1,-1]; B FLOAT[3,2] ~ 1; D FLOAT[3] = 1 2 3; C = Gemm A B D; -> C FLOAT", "FLOAT[2,3] 1 2 3 4 5 6",
         "refused: C of shape [3] cannot be added to [2,2]"},
        {"A FLOAT[-1]; B FLOAT[3,2] ~ 1; C = Gemm A B; -> C FLOAT", NULL, "refused: inputs of 1 and 2 dimensions"},
    };
    assert_cases(13, rows);
}

/* --- MatMul --- */

#define MATMUL(TYPE, A, A_DATA, B, B_DATA, C, C_DATA)                                                                  \
    {                                                                                                                  \
        "A " TYPE A "; B " TYPE B "; C = MatMul A B; -> C " TYPE, TYPE A " " A_DATA ";" TYPE B " " B_DATA,             \
            TYPE C " " C_DATA                                                                                          \
    }
#define SIX  "1 2 3 4 5 6"
#define MORE "7 8 9 10 11 12"

TEST(matmul_of_vectors_matrices_and_stacks)
{
    static const struct graph_case rows[] = {
        MATMUL("FLOAT", "[2,3]", SIX, "[3,2]", MORE, "[2,2]", "58 64 139 154"),
        MATMUL("FLOAT", "[3]", "1 2 3", "[3]", "7 8 9", "[]", "50"),
        MATMUL("FLOAT", "[3]", "1 2 3", "[3,2]", MORE, "[2]", "58 64"),
        MATMUL("FLOAT", "[2,3]", SIX, "[3]", "7 8 9", "[2]", "50 122"),
        MATMUL("FLOAT", "[2,0]", "", "[0,2]", "", "[2,2]", "0 0 0 0"),
        MATMUL("FLOAT", "[2,1,2]", "1 2 3 4", "[2,1]", "10 100", "[2,1,1]", "210 430"),
        MATMUL("FLOAT", "[1,2]", "10 100", "[2,2,1]", "1 2 3 4", "[2,1,1]", "210 430"),
        MATMUL("FLOAT", "[2,1,1,2]", "1 2 3 4", "[1,2,2,1]", "1 2 3 4", "[2,2,1,1]", "5 11 11 25"),
        MATMUL("INT32", "[1,2]", "16777217 1", "[2,1]", "1 0", "[1,1]", "16777217"),
        MATMUL("INT32", "[1,2]", "2147483647 2", "[2,1]", "1 1", "[1,1]", "-2147483647"),
        MATMUL("DOUBLE", "[2,2]", "0.1 0.2 0.3 0.4", "[2,2]", "1 0 0 1", "[2,2]", "0.1 0.2 0.3 0.4"),
        MATMUL("INT64", "[2,1,1,2]", "1 2 3 4", "[1,2,2,1]", "1 2 3 4", "[2,2,1,1]", "5 11 11 25"),
        {"A FLOAT[-1,2,3]; B FLOAT[3] = 1 2 3; D FLOAT[2] = 10 20; P = MatMul A B; C = Add P D; -> C FLOAT[-1,2]",
         "FLOAT[1,2,3] " SIX, "FLOAT[1,2] 24 52"},
    };
    assert_cases(13, rows);
}
