/* Pools, beyond the cases of ONNX in test_onnx_nodes. The expected values are onnxruntime's. */
#include "graph.h"

#include <math.h>

static struct graph *graph_of_rank(size_t rank, const char *op_type)
{
    static const int64_t shape[] = {-1, 1, -1, -1, -1};
    const char *text = shape_text(&arena, shape, rank);
    return graph_of(13, "A FLOAT%s; C = %s A; -> C FLOAT%s", text, op_type, text);
}

TEST(nothing_has_no_maximum_and_no_average)
{
    struct graph *g = graph_of_rank(4, "GlobalAveragePool");
    assert_ok(graph_load(g));
    assert_true(g->model.on_compute_thread);
    graph_give(g, SHAPE(1, 1, 0, 5), NULL, 0);
    assert_int_equal(graph_run(g).code, STATUS_INVALID_ARGUMENT);
}

TEST(pools_over_one_and_three_dimensions)
{
    struct graph *g = graph_of_rank(3, "MaxPool kernel_shape=[3] dilations=[2] strides=[3] pads=[2,1]");
    assert_ok(graph_load(g));
    graph_give_floats(g, SHAPE(1, 1, 15), 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(1, 1, 5), 6, 3, 5, 6, 2);
    g = graph_of_rank(5, "AveragePool kernel_shape=[2,2,3] strides=[1,1,2] pads=[0,1,1,1,0,2]");
    assert_ok(graph_load(g));
    graph_give_floats(g, SHAPE(1, 1, 3, 2, 4), 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 7, 6, 2, 7, 1, 0, 5, 3, 4);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(1, 1, 3, 2, 3), 3, 4, 3.5F, 2.875F, 3.3333333F, 3.5F, 4.25F, 3.8333333F, 3, 3.375F,
                  3.8333333F, 4.25F, 4, 3.3333333F, 1, 3.25F, 3.6666667F, 2.5F);
}

TEST(a_pool_that_a_team_shares)
{
    enum { PLANES = 9, HEIGHT = 400, WIDTH = 600, COUNT = PLANES * HEIGHT * WIDTH };
    struct graph *g =
        graph_of(13, "A FLOAT[1,%d,%d,%d]; C = MaxPool kernel_shape=[1,2] A; -> C FLOAT", PLANES, HEIGHT, WIDTH);
    const float *given = graph_pattern(g, COUNT, 1);
    graph_give(g, SHAPE(1, PLANES, HEIGHT, WIDTH), given, COUNT);
    assert_ok(graph_run(g));
    const float *made = g->made[0].data;
    assert_int_equal(g->made[0].count, COUNT - PLANES * HEIGHT);
    for (size_t row = 0; row < (size_t)PLANES * HEIGHT; row++, made += WIDTH - 1, given += WIDTH)
        for (size_t i = 0; i + 1 < WIDTH; i++)
            assert_true(made[i] == fmaxf(given[i], given[i + 1]));
}

/* A convolution with constant weights puts its channels last, and the pool after it keeps them there. */
static const struct tensor *pooled_channels(int64_t channels, bool is_constant)
{
    const int64_t weights[] = {channels, 3, 1, 1}; /* until the graph has run */
    struct graph *g = graph_of(13,
                               "X FLOAT[2,3,7,9]; W FLOAT[%d,3,1,1]%s; c = Conv X W; -> Y FLOAT;"
                               "Y = MaxPool kernel_shape=[2,3] dilations=[3,2] pads=[1,2,0,1] c",
                               (int)channels, is_constant ? " ~ 1" : "");
    graph_give(g, SHAPE(2, 3, 7, 9), graph_pattern(g, 378, 0), 378);
    if (!is_constant)
        graph_give(g, weights, 4, graph_pattern(g, (size_t)channels * 3, 1), (size_t)channels * 3);
    assert_ok(graph_run(g));
    return &g->made[0];
}

TEST(pools_of_channels_that_lie_last)
{
    for (int64_t channels = 7; channels < 18; channels++) {
        const struct tensor *made = pooled_channels(channels, true), *right = pooled_channels(channels, false);
        assert_int_equal(made->count, right->count);
        assert_near(made, right->data, right->count);
    }
}

TEST(nonsense_is_a_load_error)
{
    static const struct {
        const char *text, *word;
        enum status_code code;
    } rows[] = {
        {"A FLOAT[-1,1,-1,-1]; C = MaxPool A", "kernel_shape", STATUS_INVALID_ARGUMENT},
        {"A FLOAT[-1,1,-1,-1]; C = MaxPool kernel_shape=[2,2] pads=[2,2,2,2] A", "padding", STATUS_INVALID_ARGUMENT},
        {"A FLOAT[-1,1,-1,-1]; C = MaxPool kernel_shape=[2,2,2] A", "3 dimensions", STATUS_INVALID_ARGUMENT},
        {"A FLOAT[-1,1,-1,-1]; C D = MaxPool kernel_shape=[2,2] A", "2 outputs", STATUS_UNIMPLEMENTED},
        {"A DOUBLE[-1,1,-1,-1]; C = MaxPool kernel_shape=[2,2] A", "FP64", STATUS_UNIMPLEMENTED},
        {"A FLOAT[-1,1]; C = GlobalMaxPool A", "0 spatial dimensions", STATUS_UNIMPLEMENTED},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_fails(graph_load(graph_of(13, "%s", rows[i].text)), rows[i].code, "Pool", rows[i].word);
}
