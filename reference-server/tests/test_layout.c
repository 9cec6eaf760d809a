/* Networks whose values lie in another form than row-major order: blocks of channels or channels last, as the processor
 * prefers (DNNL_MAX_CPU_ISA=SSE41 or AVX2 makes it prefer either). Convolutions whose weights are given at each run
 * work in row-major order, so the same network with such weights says what is right. */
#include "base/search.h"
#include "graph.h"

#include <math.h>

struct weights_of {
    const char *name;
    int64_t shape[4];
};

/* A network of all operators that follow the form. It has 8 channels, then `channels`, and `last` in the end. */
static struct graph *network_of(int64_t channels, int64_t last, bool is_constant, const int64_t *pads)
{
    const struct weights_of weights[] = {
        {"W1", {8, 3, 3, 3}}, {"W2", {8, 1, 3, 3}}, {"W3", {channels, 8, 1, 1}}, {"W4", {last, 8 + channels, 1, 1}}};
    struct graph *g = graph_new(13);
    graph_input(g, "X", FLOAT, SHAPE(-1, 3, 12, 10));
    for (size_t i = 0; i < COUNT_OF(weights); i++)
        if (is_constant)
            graph_patterned(g, weights[i].name, weights[i].shape, 4, i + 1);
        else
            graph_input(g, weights[i].name, FLOAT, weights[i].shape, 4);
    for (size_t i = 0; i < 3; i++)
        graph_patterned(g, (const char *[]){"gain", "bias", "mean"}[i], SHAPE(8 + channels), i);
    float *variance = graph_alloc(g, (size_t)(8 + channels) * sizeof(*variance));
    for (int64_t i = 0; i < 8 + channels; i++)
        variance[i] = 1 + (float)(i % 3);
    graph_constant(g, "variance", FLOAT, SHAPE(8 + channels), variance, (size_t)(8 + channels) * sizeof(*variance));
    graph_patterned(g, "factors", SHAPE(1, 8 + channels, 1, 1), 5);
    graph_floats(g, "half", SHAPE(1), 0.5F);
    graph_constant(g, "pads", INT64, SHAPE(8), pads, 8 * sizeof(*pads));

    graph_node(g, "Conv pads=[1,1,1,1]", "X W1", "c1");
    graph_node(g, "MaxPool kernel_shape=[2,2] strides=[2,2]", "c1", "p1");
    graph_node(g, "Conv group=8 pads=[1,1,1,1]", "p1 W2", "c2");
    graph_node(g, "Add", "c2 p1", "a1");
    graph_node(g, "Conv", "a1 W3", "c3");
    graph_node(g, "Concat axis=-3", "c3 p1", "both");
    graph_node(g, "Concat axis=-1", "both both", "wide");
    graph_node(g, "BatchNormalization", "wide gain bias mean variance", "n1");
    graph_node(g, "Relu", "n1", "r1");
    graph_node(g, "Mul", "r1 factors", "m1");
    graph_node(g, "Mul", "m1 half", "m2");
    graph_node(g, "Pad", "m2 pads", "padded");
    graph_node(g, "AveragePool kernel_shape=[3,2]", "padded", "p2");
    graph_node(g, "GlobalAveragePool", "p2", "mean_of_all");
    graph_node(g, "Flatten", "mean_of_all", "flat");
    graph_node(g, "Conv", "m2 W4", "c4");
    graph_open_output(g, "wide", FLOAT);
    graph_open_output(g, "p2", FLOAT);
    graph_open_output(g, "flat", FLOAT);
    graph_open_output(g, "c4", FLOAT);
    for (int64_t batch = 1; batch < 3; batch++) {
        graph_give(g, SHAPE(batch, 3, 12, 10), graph_pattern(g, (size_t)batch * 360, 0), (size_t)batch * 360);
        for (size_t i = 0, count; i < COUNT_OF(weights) && !is_constant; i++) {
            assert_true(shape_count(weights[i].shape, 4, &count));
            graph_give(g, weights[i].shape, 4, graph_pattern(g, count, i + 1), count);
        }
        assert_ok(graph_run(g));
    }
    return g;
}

static void assert_same(const struct tensor *made, const struct tensor *wanted)
{
    assert_int_equal(made->rank, wanted->rank);
    assert_memory_equal(made->shape, wanted->shape, wanted->rank * sizeof(*wanted->shape));
    for (size_t i = 0; i < wanted->count; i++) {
        const float is = ((const float *)made->data)[i], right = ((const float *)wanted->data)[i];
        assert_float_equal(is, right, 1e-5F * (1 + fabsf(right)));
    }
}

static void assert_form_does_not_show(int64_t channels, int64_t last, const int64_t *pads)
{
    struct graph *g = network_of(channels, last, true, pads), *right = network_of(channels, last, false, pads);
    for (size_t i = 0; i < 4; i++)
        assert_same(&g->made[i], &right->made[i]);
}

static const int64_t around[] = {0, 0, 1, 2, 0, 0, 0, 1};

TEST(channels_that_fill_blocks)
{
    struct tensor second = network_of(16, 8, true, around)->made[2];
    second.count /= 2; /* the second image of a batch of two */
    second.data = (float *)second.data + second.count;
    assert_near(&second,
                REALS(0, -0.06956758F, 0, -0.0006383013F, -0.05691149F, 0.0002470882F, -0.06212021F, 0.03038195F, 0,
                      -0.01455871F, 0.004315468F, 0, -0.06818035F, 3.539585e-06F, 0, -0.05531579F, 0, -0.0938725F,
                      0.03038195F, 0, -0.07043588F, 0.0009223044F, 0, -0.07720169F));
    assert_form_does_not_show(16, 8, around);
}

TEST(channels_that_fill_no_block)
{
    assert_form_does_not_show(6, 8, around);
    assert_form_does_not_show(16, 4, around);
}

TEST(pads_of_channels)
{
    assert_form_does_not_show(16, 8, (const int64_t[]){0, 1, 1, 2, 0, 2, 0, 1});
}
