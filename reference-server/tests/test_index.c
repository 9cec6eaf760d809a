/* Operators that index, reduce or cut off, and losses, beyond ONNX's own cases: other datatypes, ends of ranges, and
 * what must be refused. Expected values are numpy's. */
#include "base/search.h"
#include "graph.h"

static const int16_t small[6] = {3, -1, 2, 0, 7, 7};
static const uint64_t large[3] = {UINT64_MAX, 1, UINT64_MAX - 1};

TEST(positions_of_any_integers)
{
    for (int64_t last = 0; last < 2; last++) {
        struct graph *g =
            graph_of(16, "A INT16[2,3]; Y = ArgMax axis=1 select_last_index=%d A; -> Y INT64[2,1]", (int)last);
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
        struct graph *g = graph_of(16, "A UINT64[3]; Y = %s keepdims=0 A; -> Y UINT64[]", cases[i].op_type);
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
        struct graph *g =
            graph_of(16, "A FLOAT[-1,-1]; axis INT64[1] = %d; Y = ReduceSum keepdims=0 A axis; -> Y FLOAT[-1]",
                     (int)rows[i].axis);
        graph_give(g, SHAPE(0, 2), NULL, 0);
        assert_ok(graph_run(g));
        assert_made(&g->made[0], DATATYPE_FP32, SHAPE(rows[i].results), (const float[]){0, 0},
                    (size_t)rows[i].results * 4);
    }
}

TEST(sums_wrap_and_keep_their_datatype)
{
    struct graph *g = graph_of(16, "A INT8[-1,-1]; axis INT64[1] = -2; Y = CumSum reverse=1 A axis; -> Y INT8[-1,-1]");
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
        struct graph *g = graph_of(16, "A UINT8[-1,-1]; k INT64[] = %lld; Y = Trilu upper=%lld A k; -> Y UINT8[-1,-1]",
                                   (long long)cases[i].k, (long long)cases[i].upper);
        graph_give(g, SHAPE(2, 3), "\1\2\3\4\5\6", 6);
        assert_ok(graph_run(g));
        assert_made(&g->made[0], DATATYPE_UINT8, SHAPE(2, 3), cases[i].expected, 6);
        graph_give(g, SHAPE(2, 0), "", 0);
        assert_ok(graph_run(g));
    }
    assert_fails(graph_load(graph_of(16, "A UINT8[3]; Y = Trilu A")), STATUS_INVALID_ARGUMENT, "1 dimensions");
}

/* Scatters -1 and 5 to the places of `indices` in a row of 4. */
static struct graph *scattering(const char *op_type, const char *shape)
{
    return graph_of(16, "A INT64[4]; indices INT64%s; updates INT64[2] = -1 5; Y = %s A indices updates; -> Y INT64[4]",
                    shape, op_type);
}

static void assert_scattering_fails(const char *op_type, const char *shape, enum status_code code, const char *word)
{
    assert_fails(graph_load(scattering(op_type, shape)), code, word);
}

TEST(scattered_elements_are_joined)
{
    static const struct {
        const char *reduction;
        int64_t expected[4];
    } cases[] = {{"", {5, 20, 30, 40}},
                 {"reduction=none", {5, 20, 30, 40}},
                 {"reduction=add", {14, 20, 30, 40}},
                 {"reduction=mul", {-50, 20, 30, 40}}};
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        bool nd = i % 2;
        const char *op_type = arena_printf(&arena, "Scatter%s %s", nd ? "ND" : "Elements", cases[i / 2].reduction).data;
        struct graph *g = scattering(op_type, nd ? "[2,1]" : "[2]");
        graph_give(g, SHAPE(4), (const int64_t[]){10, 20, 30, 40}, 4);
        graph_give(g, (const int64_t[]){2, 1}, nd ? 2 : 1, (const int64_t[]){0, -4}, 2);
        assert_ok(graph_run(g));
        assert_made(&g->made[0], DATATYPE_INT64, SHAPE(4), cases[i / 2].expected, 32);
        graph_give(g, SHAPE(4), (const int64_t[]){10, 20, 30, 40}, 4);
        graph_give(g, (const int64_t[]){2, 1}, nd ? 2 : 1, (const int64_t[]){0, 4}, 2);
        assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "index 4 of 4");
    }
    assert_scattering_fails("ScatterND reduction=max", "[2,1]", STATUS_UNIMPLEMENTED, "reduction 'max'");
    assert_scattering_fails("ScatterND", "[3,1]", STATUS_INVALID_ARGUMENT, "[2], not [3]");
    assert_scattering_fails("ScatterElements", "[1]", STATUS_INVALID_ARGUMENT, "[2], not [1]");
    assert_scattering_fails("ScatterND", "[2,2]", STATUS_INVALID_ARGUMENT, "[2,2] for [4]");
}

TEST(indices_lie_inside_of_the_data)
{
    struct graph *g =
        graph_of(16, "A INT16[-1,-1]; indices INT64[-1,-1]; Y = GatherElements A indices; -> Y INT16[-1,-1]");
    graph_give(g, SHAPE(2, 3), small, 6);
    graph_give(g, SHAPE(1, 2), (const int64_t[]){1, -2}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT16, SHAPE(1, 2), (const int16_t[]){0, -1}, 4);
    graph_give(g, SHAPE(2, 3), small, 6);
    graph_give(g, SHAPE(1, 4), (const int64_t[]){0, 0, 0, 0}, 4); /* wider than the data */
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "indices of shape [1,4] for [2,3]");

    g = graph_of(16, "A INT16[-1,-1]; indices INT64[-1,1]; Y = GatherND batch_dims=1 A indices; -> Y INT16[-1]");
    graph_give(g, SHAPE(2, 3), small, 6);
    graph_give(g, SHAPE(2, 1), (const int64_t[]){2, -2}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT16, SHAPE(2), (const int16_t[]){2, 7}, 4);
    graph_give(g, SHAPE(2, 3), small, 6);
    graph_give(g, SHAPE(3, 1), (const int64_t[]){0, 0, 0}, 3); /* three batches of two */
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "indices of shape [3,1] for [2,3]");

    g = graph_of(16, "A INT16[2,3]; indices INT64[2,1]; Y = GatherND batch_dims=2 A indices");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "2 of them of batches");
    g = graph_of(16, "A INT16[2,3]; Y = GatherElements A A");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "INT16");
}

/* --- Losses --- */

static struct graph *loss_graph(const char *op_type, const char *shape, const char *weights)
{
    return graph_of(13,
                    "A FLOAT[-1,2]; labels INT64[-1]; weights FLOAT%s; Y = %s ignore_index=-1 A labels %s;"
                    "-> Y FLOAT%s",
                    weights, op_type, strstr(op_type, "Softmax") ? "" : "weights", shape);
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
    struct graph *g = loss_graph("SoftmaxCrossEntropyLoss reduction=none", "[-1]", "[1] = 1");
    give_loss(g, (const int64_t[]){1, -1}); /* ln(1 + e^-1); the second label is ignored */
    assert_ok(graph_run(g));
    assert_close(g, 0.313261688F, 0);
    give_loss(g, (const int64_t[]){1, 2});
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "label 2 of 2 classes");

    g = loss_graph("NegativeLogLikelihoodLoss reduction=mean", "[]", "[2] = 1 3");
    give_loss(g, (const int64_t[]){1, 0}); /* -(3 x 1 + 1 x 2) / 4 */
    assert_ok(graph_run(g));
    assert_close(g, -1.25F);
    graph_give_floats(g, SHAPE(2, 2), 0, 1, 2, 0);
    graph_give(g, SHAPE(1), (const int64_t[]){0}, 1);
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "labels of shape [1] for [2,2]");

    static const struct {
        const char *op_type, *word;
    } wrong[] = {{"NegativeLogLikelihoodLoss reduction=sum", "one weight for each class"},
                 {"NegativeLogLikelihoodLoss reduction=most", "'reduction' is 'most'"}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_fails(graph_load(loss_graph(wrong[i].op_type, "[]", "[1] = 1")), STATUS_INVALID_ARGUMENT, wrong[i].word);
}

TEST(a_dropout_that_trains_is_refused)
{
    struct graph *g = graph_of(16, "A FLOAT[2]; training BOOL[]; Y = Dropout A - training; -> Y FLOAT[2]");
    graph_give_floats(g, SHAPE(2), 1, 2);
    graph_give(g, SCALAR, "\0", 1);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(2), 1, 2);
    graph_give_floats(g, SHAPE(2), 1, 2);
    graph_give(g, SCALAR, "\1", 1);
    assert_fails(graph_run(g), STATUS_UNIMPLEMENTED, "training_mode");
    g = graph_of(16, "A FLOAT[2]; - = Flatten A; Y = Neg A; -> Y FLOAT");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "a value without a name");
}
