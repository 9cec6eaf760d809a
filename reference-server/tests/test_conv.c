/* The expected values were calculated by hand where the sums are simple, otherwise by onnxruntime. */
#include "base/search.h"
#include "graph.h"
#include <pthread.h>

static float counting[64];

/* A convolution with these attributes (and inputs) by weights 1, 2, 3... */
static struct graph *conv_graph(const char *attributes, const int64_t *weights, size_t rank, size_t channels)
{
    const int64_t shape[5] = {-1, (int64_t)channels, -1, -1, -1};
    struct graph *g =
        graph_of(13, "A FLOAT%s; C = Conv A W %s; -> C FLOAT", shape_text(&arena, shape, rank), attributes);
    float data[64];
    size_t count;
    assert_true(shape_count(weights, rank, &count) && count <= COUNT_OF(data));
    for (size_t i = 0; i < COUNT_OF(data); i++) {
        counting[i] = (float)i;
        data[i] = (float)(i + 1);
    }
    graph_constant(g, "W", FLOAT, weights, rank, data, count * sizeof(*data));
    return g;
}

TEST(a_plain_convolution)
{
    struct graph *g = conv_graph("", SHAPE(1, 1, 2, 2), 1);
    assert_ok(graph_load(g));
    assert_true(g->model.on_compute_thread);
    graph_give(g, SHAPE(1, 1, 3, 3), counting, 9);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(1, 1, 2, 2), 0 + 2 + 9 + 16, 1 + 4 + 12 + 20, 3 + 8 + 18 + 28, 4 + 10 + 21 + 32);
    graph_give(g, SHAPE(2, 1, 2, 2), counting, 8);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(2, 1, 1, 1), 0 + 2 + 6 + 12, 4 + 10 + 18 + 28);
    graph_give(g, SHAPE(0, 1, 2, 2), counting, 0);
    assert_ok(graph_run(g));
    assert_int_equal(g->made[0].count, 0);
}

TEST(groups_strides_dilations_pads_and_bias)
{
    struct graph *g = conv_graph("B group=2 dilations=[2,1] strides=[1,2] pads=[1,0,0,1]", SHAPE(2, 1, 2, 2), 2);
    graph_add(g, "B FLOAT[2] = 0.5 -1");
    graph_give(g, SHAPE(1, 2, 4, 4), counting, 32);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(1, 2, 3, 2), 32.5F, 46.5F, 62.5F, 82.5F, 102.5F, 122.5F, 307, 337, 549, 601, 653, 705);
}

TEST(one_and_three_dimensions)
{
    struct graph *g = conv_graph("", SHAPE(1, 1, 2), 1);
    graph_give(g, SHAPE(1, 1, 3), counting, 3);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(1, 1, 2), 2, 5);
    g = conv_graph("", SHAPE(1, 1, 1, 1, 2), 1);
    graph_give(g, SHAPE(1, 1, 2, 1, 2), counting, 4);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(1, 1, 2, 1, 1), 2, 8);
}

TEST(weights_may_come_with_the_request)
{
    struct graph *g = graph_of(13, "A FLOAT[-1,-1,-1]; W FLOAT[-1,-1,-1]; C = Conv A W; -> C FLOAT[-1,-1,-1]");
    assert_ok(graph_load(g));
    for (int round = 1; round < 3; round++) {
        float factor = (float)round;
        graph_give_floats(g, SHAPE(1, 1, 3), 1, 2, 4);
        graph_give_floats(g, SHAPE(1, 1, 2), factor, 10 * factor);
        assert_ok(graph_run(g));
        assert_floats(g, SHAPE(1, 1, 2), 21 * factor, 42 * factor);
    }
    graph_give_floats(g, SHAPE(1, 2, 1), 1, 2);
    graph_give_floats(g, SHAPE(1, 1, 1), 1);
    assert_int_equal(graph_run(g).code, STATUS_INVALID_ARGUMENT);
    graph_give_floats(g, SHAPE(1, 1, 1), 1);
    graph_give(g, SHAPE(0, 1, 1), NULL, 0);
    assert_int_equal(graph_run(g).code, STATUS_INVALID_ARGUMENT);
}

TEST(nonsense_is_a_load_error)
{
    static const struct {
        const char *set, *word;
    } rows[] = {{"strides=[0,1]", "strides"},
                {"strides=[-1,1]", "strides"},
                {"strides=[1073741824,1]", "strides"},
                {"dilations=[1,0]", "dilations"},
                {"dilations=[9223372036854775807,1]", "dilations"},
                {"kernel_shape=[2,3]", "kernel_shape"},
                {"kernel_shape=[0,2]", "kernel_shape"},
                {"pads=[1,1]", "pads"},
                {"pads=[-1,0,0,0]", "pads"},
                {"auto_pad=SAME", "auto_pad"},
                {"group=0", "groups"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct graph *g = conv_graph(rows[i].set, SHAPE(1, 1, 2, 2), 1);
        assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "Conv", rows[i].word);
    }
    assert_fails(graph_load(conv_graph("group=2", SHAPE(3, 1, 2, 2), 2)), STATUS_INVALID_ARGUMENT, "Conv", "groups");
    assert_fails(graph_load(conv_graph("", SHAPE(1, 1, 2, 2), 3)), STATUS_INVALID_ARGUMENT, "Conv", "[-1,3,-1,-1]");
    assert_fails(graph_load(conv_graph("", SHAPE(1, 1), 1)), STATUS_INVALID_ARGUMENT, "Conv", "weights");
}

TEST(an_input_smaller_than_the_window_is_refused)
{
    struct graph *g = conv_graph("", SHAPE(1, 1, 2, 2), 1);
    graph_give(g, SHAPE(1, 1, 1, 5), counting, 5);
    assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "Conv", "[1,5]");
}

static void *run_elsewhere(void *pointer)
{
    struct graph *g = pointer;
    struct status status = graph_run(g);
    return is_ok(status) ? g : NULL;
}

/* With these shapes oneDNN needs scratch memory. By itself, it would keep it for the thread that made the primitive. */
TEST(another_thread_runs_what_one_has_made)
{
    float ones[64];
    for (size_t i = 0; i < 64; i++)
        ones[i] = 1;
    struct graph *g = conv_graph("pads=[1,1,1,1]", SHAPE(4, 1, 3, 3), 1);
    assert_ok(graph_load(g));
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        void *result = g;
        graph_give(g, SHAPE(1, 1, 8, 8), ones, 64);
        if (round == 0)
            assert_ok(graph_run(g));
        else
            assert_true(pthread_create(&thread, NULL, run_elsewhere, g) == 0 && pthread_join(thread, &result) == 0);
        assert_ptr_equal(result, g);
        for (size_t channel = 0; channel < 4; channel++)
            assert_float_equal(((const float *)g->made[0].data)[64 * channel + 9], 81 * (float)channel + 45, 0);
    }
}
