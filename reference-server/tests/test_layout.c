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
    const int all = (int)(8 + channels);
    struct graph *g = graph_of(
        13,
        "X FLOAT[-1,3,12,10]; gain FLOAT[%d] ~ 0; bias FLOAT[%d] ~ 1; mean FLOAT[%d] ~ 2; factors FLOAT[1,%d,1,1] ~ 5;"
        "half FLOAT[1] = 0.5; c1 = Conv pads=[1,1,1,1] X W1; p1 = MaxPool kernel_shape=[2,2] strides=[2,2] c1;"
        "c2 = Conv group=8 pads=[1,1,1,1] p1 W2; a1 = Add c2 p1; c3 = Conv a1 W3; both = Concat axis=-3 c3 p1;"
        "wide = Concat axis=-1 both both; n1 = BatchNormalization wide gain bias mean variance; r1 = Relu n1;"
        "m1 = Mul r1 factors; m2 = Mul m1 half; padded = Pad m2 pads; p2 = AveragePool kernel_shape=[3,2] padded;"
        "mean_of_all = GlobalAveragePool p2; flat = Flatten mean_of_all; c4 = Conv m2 W4;"
        "-> wide FLOAT; -> p2 FLOAT; -> flat FLOAT; -> c4 FLOAT",
        all, all, all, all);
    for (size_t i = 0; i < COUNT_OF(weights); i++)
        graph_add(g, "%s FLOAT%s%s", weights[i].name, shape_text(&arena, weights[i].shape, 4),
                  !is_constant ? "" : arena_printf(&arena, " ~ %zu", i + 1).data);
    float *variance = graph_alloc(g, (size_t)all * sizeof(*variance));
    for (int i = 0; i < all; i++)
        variance[i] = 1 + (float)(i % 3);
    graph_constant(g, "variance", FLOAT, SHAPE(all), variance, (size_t)all * sizeof(*variance));
    graph_constant(g, "pads", INT64, SHAPE(8), pads, 8 * sizeof(*pads));
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
