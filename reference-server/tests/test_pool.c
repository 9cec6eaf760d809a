/* Pools, beyond the cases of ONNX in test_onnx_nodes. The expected values are onnxruntime's. */
#include "graph.h"

#include <math.h>

TEST(pools_over_one_and_three_dimensions)
{
    static const struct graph_case rows[] = {
        {"A FLOAT[-1,1,-1]; C = MaxPool kernel_shape=[3] dilations=[2] strides=[3] pads=[2,1] A; -> C FLOAT[-1,1,-1]",
         "FLOAT[1,1,15] 0 3 6 2 5 1 4 0 3 6 2 5 1 4 0", "FLOAT[1,1,5] 6 3 5 6 2"},
        {"A FLOAT[-1,1,-1,-1,-1]; -> C FLOAT[-1,1,-1,-1,-1];"
         "C = AveragePool kernel_shape=[2,2,3] strides=[1,1,2] pads=[0,1,1,1,0,2] A",
         "FLOAT[1,1,3,2,4] 0 3 6 2 5 1 4 0 3 6 2 5 1 4 0 7 6 2 7 1 0 5 3 4",
         "FLOAT[1,1,3,2,3] 3 4 3.5 2.875 3.3333333 3.5 4.25 3.8333333 3 3.375 3.8333333 4.25 4 3.3333333 1 3.25 "
         "3.6666667 "
         "2.5"},
        {"A FLOAT[-1,1,-1,-1]; C = GlobalAveragePool A; -> C FLOAT", "FLOAT[1,1,0,5]", "refused: nothing to pool"},
    };
    assert_cases(13, rows);
    struct graph *g = graph_of(13, "%s", rows[2].graph);
    assert_ok(graph_load(g));
    assert_true(g->model.on_compute_thread);
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
    static const struct graph_case rows[] = {
        {"A FLOAT[-1,1,-1,-1]; C = MaxPool A", NULL, "refused: kernel_shape"},
        {"A FLOAT[-1,1,-1,-1]; C = MaxPool kernel_shape=[2,2] pads=[2,2,2,2] A", NULL, "refused: its padding"},
        {"A FLOAT[-1,1,-1,-1]; C = MaxPool kernel_shape=[2,2,2] A", NULL, "refused: 3 dimensions"},
        {"A FLOAT[-1,1,-1,-1]; C D = MaxPool kernel_shape=[2,2] A", NULL, "unsupported: 2 outputs"},
        {"A DOUBLE[-1,1,-1,-1]; C = MaxPool kernel_shape=[2,2] A", NULL, "unsupported: FP64"},
        {"A FLOAT[-1,1]; C = GlobalMaxPool A", NULL, "unsupported: 0 spatial dimensions"},
    };
    assert_cases(13, rows);
}
