/* Operators that index, reduce or cut off, and losses, beyond ONNX's own cases: other datatypes, ends of ranges, and
 * what must be refused. Expected values are numpy's. */
#include "base/search.h"
#include "graph.h"

/* Makes a node over A, of that type, with two inputs more, of INT64 and of A's type, if they have a rank. */
static struct graph *graph_over(const char *op_type, int type, const int64_t *shape, size_t rank, const char *inputs)
{
    struct graph *g = graph_new(16);
    graph_input(g, "A", type, shape, rank);
    graph_node(g, op_type, inputs, "Y");
    return g;
}

static void assert_load_refused(struct graph *g, int type, enum status_code code, const char *word)
{
    graph_open_output(g, "Y", type);
    assert_fails(graph_load(g), code, word);
}

static const int16_t small[6] = {3, -1, 2, 0, 7, 7};
static const uint64_t large[3] = {UINT64_MAX, 1, UINT64_MAX - 1};

TEST(positions_of_any_integers)
{
    for (int64_t last = 0; last < 2; last++) {
        struct graph *g = graph_over("ArgMax axis=1", INT16, SHAPE(2, 3), "A");
        graph_set(g, "select_last_index=%lld", (long long)last);
        graph_output(g, "Y", INT64, SHAPE(2, 1));
        graph_give(g, SHAPE(2, 3), small, 6);
        assert_ok(graph_run(g));
        assert_made(&g->made[0], DATATYPE_INT64, SHAPE(2, 1), (const int64_t[]){0, last ? 2 : 1}, 16);
    }
}

TEST(reductions_of_unsigned_numbers)
{
    static const struct {
        const char *op_type;
        uint64_t expected;
    } cases[] = {{"ReduceMax", UINT64_MAX},
                 {"ReduceMin", 1},
                 {"ReduceSum", UINT64_MAX - 1}, /* wraps */
                 {"ReduceL1", UINT64_MAX - 1},
                 {"ReduceMean", (UINT64_MAX - 1) / 3}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct graph *g = graph_over(cases[i].op_type, 13, SHAPE(3), "A");
        graph_set(g, "keepdims=0");
        graph_output(g, "Y", 13, SCALAR);
        graph_give(g, SHAPE(3), large, 3);
        assert_ok(graph_run(g));
        assert_made(&g->made[0], DATATYPE_UINT64, SCALAR, &cases[i].expected, 8);
    }
}

TEST(reductions_of_nothing)
{
    static const struct {
        int64_t axis, results;
    } rows[] = {{1, 0}, {-2, 2}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct graph *g = graph_over("ReduceSum keepdims=0", FLOAT, SHAPE(-1, -1), "A axis");
        graph_int64s(g, "axis", SHAPE(1), rows[i].axis);
        graph_output(g, "Y", FLOAT, SHAPE(-1));
        graph_give(g, SHAPE(0, 2), NULL, 0);
        assert_ok(graph_run(g));
        assert_made(&g->made[0], DATATYPE_FP32, SHAPE(rows[i].results), (const float[]){0, 0},
                    (size_t)rows[i].results * 4);
    }
}

TEST(sums_wrap_and_keep_their_datatype)
{
    struct graph *g = graph_over("CumSum reverse=1", INT8, SHAPE(-1, -1), "A axis");
    graph_int64s(g, "axis", SHAPE(1), -2);
    graph_output(g, "Y", INT8, SHAPE(-1, -1));
    graph_give(g, SHAPE(3, 2), (const int8_t[]){1, 2, 100, 3, 100, 4}, 6);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT8, SHAPE(3, 2), (const int8_t[]){-55, 9, -56, 7, 100, 4}, 6);
    graph_give(g, SHAPE(0, 2), small, 0);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT8, SHAPE(0, 2), NULL, 0);
}

TEST(trilu_with_far_diagonals)
{
    static const struct {
        int64_t k, upper;
        const char *expected;
    } cases[] = {{INT64_MAX, 0, "\1\2\3\4\5\6"}, {INT64_MAX, 1, "\0\0\0\0\0\0"}, {INT64_MIN, 0, "\0\0\0\0\0\0"},
                 {INT64_MIN, 1, "\1\2\3\4\5\6"}, {1, 0, "\1\2\0\4\5\6"},         {-1, 0, "\0\0\0\4\0\0"},
                 {2, 1, "\0\0\3\0\0\0"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct graph *g = graph_over("Trilu", UINT8, SHAPE(-1, -1), "A k");
        graph_constant(g, "k", INT64, SCALAR, &cases[i].k, 8);
        graph_set(g, "upper=%lld", (long long)cases[i].upper);
        graph_output(g, "Y", UINT8, SHAPE(-1, -1));
        graph_give(g, SHAPE(2, 3), "\1\2\3\4\5\6", 6);
        assert_ok(graph_run(g));
        assert_made(&g->made[0], DATATYPE_UINT8, SHAPE(2, 3), cases[i].expected, 6);
        graph_give(g, SHAPE(2, 0), "", 0);
        assert_ok(graph_run(g));
    }
    struct graph *g = graph_over("Trilu", UINT8, SHAPE(3), "A");
    assert_load_refused(g, UINT8, STATUS_INVALID_ARGUMENT, "1 dimensions");
}

/* Scatters -1 and 5 to the places of `indices` in a row of 4. */
static struct graph *scattering(const char *op_type, const char *reduction, const int64_t *shape, size_t rank)
{
    struct graph *g = graph_over(op_type, INT64, SHAPE(4), "A indices updates");
    graph_input(g, "indices", INT64, shape, rank);
    graph_int64s(g, "updates", SHAPE(2), -1, 5);
    if (reduction)
        graph_set(g, "reduction=%s", reduction);
    return g;
}

TEST(scattered_elements_are_joined)
{
    static const struct {
        const char *reduction;
        int64_t expected[4];
    } cases[] = {
        {NULL, {5, 20, 30, 40}}, {"none", {5, 20, 30, 40}}, {"add", {14, 20, 30, 40}}, {"mul", {-50, 20, 30, 40}}};
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        bool nd = i % 2;
        struct graph *g = nd ? scattering("ScatterND", cases[i / 2].reduction, SHAPE(2, 1))
                             : scattering("ScatterElements", cases[i / 2].reduction, SHAPE(2));
        graph_output(g, "Y", INT64, SHAPE(4));
        graph_give(g, SHAPE(4), (const int64_t[]){10, 20, 30, 40}, 4);
        graph_give(g, (const int64_t[]){2, 1}, nd ? 2 : 1, (const int64_t[]){0, -4}, 2);
        assert_ok(graph_run(g));
        assert_made(&g->made[0], DATATYPE_INT64, SHAPE(4), cases[i / 2].expected, 32);
        graph_give(g, SHAPE(4), (const int64_t[]){10, 20, 30, 40}, 4);
        graph_give(g, (const int64_t[]){2, 1}, nd ? 2 : 1, (const int64_t[]){0, 4}, 2);
        assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "index 4 of 4");
    }
    assert_load_refused(scattering("ScatterND", "max", SHAPE(2, 1)), INT64, STATUS_UNIMPLEMENTED, "reduction 'max'");
    assert_load_refused(scattering("ScatterND", NULL, SHAPE(3, 1)), INT64, STATUS_INVALID_ARGUMENT, "[2], not [3]");
    assert_load_refused(scattering("ScatterElements", NULL, SHAPE(1)), INT64, STATUS_INVALID_ARGUMENT, "[2], not [1]");
    assert_load_refused(scattering("ScatterND", NULL, SHAPE(2, 2)), INT64, STATUS_INVALID_ARGUMENT, "[2,2] for [4]");
}

TEST(indices_lie_inside_of_the_data)
{
    struct graph *g = graph_over("GatherElements", INT16, SHAPE(-1, -1), "A indices");
    graph_input(g, "indices", INT64, SHAPE(-1, -1));
    graph_output(g, "Y", INT16, SHAPE(-1, -1));
    graph_give(g, SHAPE(2, 3), small, 6);
    graph_give(g, SHAPE(1, 2), (const int64_t[]){1, -2}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT16, SHAPE(1, 2), (const int16_t[]){0, -1}, 4);
    graph_give(g, SHAPE(2, 3), small, 6);
    graph_give(g, SHAPE(1, 4), (const int64_t[]){0, 0, 0, 0}, 4); /* wider than the data */
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "indices of shape [1,4] for [2,3]");

    g = graph_over("GatherND batch_dims=1", INT16, SHAPE(-1, -1), "A indices");
    graph_input(g, "indices", INT64, SHAPE(-1, 1));
    graph_output(g, "Y", INT16, SHAPE(-1));
    graph_give(g, SHAPE(2, 3), small, 6);
    graph_give(g, SHAPE(2, 1), (const int64_t[]){2, -2}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT16, SHAPE(2), (const int16_t[]){2, 7}, 4);
    graph_give(g, SHAPE(2, 3), small, 6);
    graph_give(g, SHAPE(3, 1), (const int64_t[]){0, 0, 0}, 3); /* three batches of two */
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "indices of shape [3,1] for [2,3]");

    g = graph_over("GatherND batch_dims=2", INT16, SHAPE(2, 3), "A indices");
    graph_input(g, "indices", INT64, SHAPE(2, 1));
    assert_load_refused(g, INT16, STATUS_INVALID_ARGUMENT, "2 of them of batches");
    g = graph_over("GatherElements", INT16, SHAPE(2, 3), "A A");
    assert_load_refused(g, INT16, STATUS_INVALID_ARGUMENT, "INT16");
}

/* --- Losses --- */

static struct graph *loss_graph(const char *op_type, const char *inputs, const char *reduction)
{
    struct graph *g = graph_new(13);
    graph_input(g, "A", FLOAT, SHAPE(-1, 2));
    graph_input(g, "labels", INT64, SHAPE(-1));
    graph_node(g, op_type, inputs, "Y");
    graph_set(g, "reduction=%s", reduction);
    graph_set(g, "ignore_index=-1");
    graph_open_output(g, "Y", FLOAT);
    return g;
}

static void give_loss(struct graph *g, const int64_t labels[2])
{
    static const int64_t shape[] = {2, 2}; /* the tensors keep a pointer to it */
    static const float scores[] = {0, 1, 2, 0};
    graph_give(g, shape, 2, scores, 4);
    graph_give(g, shape, 1, labels, 2);
}

TEST(losses)
{
    struct graph *g = loss_graph("SoftmaxCrossEntropyLoss", "A labels", "none");
    g->graph.output[0] = graph_value(g, "Y", FLOAT, SHAPE(-1));
    give_loss(g, (const int64_t[]){1, -1}); /* ln(1 + e^-1); the second label is ignored */
    assert_ok(graph_run(g));
    assert_close(g, 0.313261688F, 0);
    give_loss(g, (const int64_t[]){1, 2});
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "label 2 of 2 classes");

    g = loss_graph("NegativeLogLikelihoodLoss", "A labels weights", "mean");
    graph_floats(g, "weights", SHAPE(2), 1, 3);
    g->graph.output[0] = graph_value(g, "Y", FLOAT, SCALAR);
    give_loss(g, (const int64_t[]){1, 0}); /* -(3 x 1 + 1 x 2) / 4 */
    assert_ok(graph_run(g));
    assert_close(g, -1.25F);
    graph_give_floats(g, SHAPE(2, 2), 0, 1, 2, 0);
    graph_give(g, SHAPE(1), (const int64_t[]){0}, 1);
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "labels of shape [1] for [2,2]");

    static const struct {
        const char *reduction, *word;
    } wrong[] = {{"sum", "one weight for each class"}, {"most", "'reduction' is 'most'"}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        g = loss_graph("NegativeLogLikelihoodLoss", "A labels weights", wrong[i].reduction);
        graph_floats(g, "weights", SHAPE(1), 1);
        assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, wrong[i].word);
    }
}

TEST(a_dropout_that_trains_is_refused)
{
    struct graph *g = graph_over("Dropout", FLOAT, SHAPE(2), "A - training");
    graph_input(g, "training", BOOL, SCALAR);
    graph_output(g, "Y", FLOAT, SHAPE(2));
    graph_give_floats(g, SHAPE(2), 1, 2);
    graph_give(g, SCALAR, "\0", 1);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(2), 1, 2);
    graph_give_floats(g, SHAPE(2), 1, 2);
    graph_give(g, SCALAR, "\1", 1);
    assert_fails(graph_run(g), STATUS_UNIMPLEMENTED, "training_mode");
    g = graph_over("Flatten", FLOAT, SHAPE(2), "A");
    graph_last(g)->output[0] = graph_text(g, "");
    graph_node(g, "Neg", "A", "Y");
    assert_load_refused(g, FLOAT, STATUS_INVALID_ARGUMENT, "a value without a name");
}
