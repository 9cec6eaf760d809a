/* Convolutions by windows of 3 x 3, which the engine computes in tiles, beside the definition of a convolution, in
 * double precision. */
#include "graph.h"

#include <math.h>

enum follow { NOTHING, RELU, LEAKY, CLIP, SUM, SUM_RELU };

struct conv {
    int64_t batch, in, out, height, width;
    int64_t pads[4]; /* above, left, below, right */
    enum follow follow;
    bool has_bias;
};

static int64_t high_of(const struct conv *c)
{
    return c->height + c->pads[0] + c->pads[2] - 2;
}

static int64_t wide_of(const struct conv *c)
{
    return c->width + c->pads[1] + c->pads[3] - 2;
}

static struct graph *network_of(const struct conv *c)
{
    static const char *const following[] = {
        [NOTHING] = "Identity c",   [RELU] = "Relu c",     [LEAKY] = "LeakyRelu alpha=0.25 c",
        [CLIP] = "Clip c low high", [SUM] = "Add c added", [SUM_RELU] = "Relu sum"};
    struct graph *g = graph_of(
        13, "X FLOAT[-1,%d,%d,%d]; W FLOAT[%d,%d,3,3] ~ 1; B FLOAT[%d] ~ 2; low FLOAT[] = -0.25; high FLOAT[] = 0.5",
        (int)c->in, (int)c->height, (int)c->width, (int)c->out, (int)c->in, (int)c->out);
    if (c->follow >= SUM) /* an input could not be overwritten by the sum */
        graph_add(g, "A FLOAT[-1,%d,%d,%d]; added = Neg A", (int)c->out, (int)high_of(c), (int)wide_of(c));
    graph_add(g, "c = Conv pads=%s X W %s", shape_text(&arena, c->pads, 4), c->has_bias ? "B" : "");
    if (c->follow == SUM_RELU)
        graph_add(g, "sum = Add added c");
    graph_add(g, "Y = %s; -> Y FLOAT", following[c->follow]);
    return g;
}

static double followed(const struct conv *c, double x, double added)
{
    switch (c->follow) {
    case RELU:
        return x < 0 ? 0 : x;
    case LEAKY:
        return x < 0 ? x / 4 : x;
    case CLIP:
        return fmin(fmax(x, -0.25), 0.5);
    case SUM:
        return x - added;
    case SUM_RELU:
        return x < added ? 0 : x - added;
    default:
        return x;
    }
}

/* The sum over a window whose corner is at (y, x). */
static double window_at(const struct conv *c, const float *image, const float *weights, int64_t y, int64_t x)
{
    double sum = 0;
    for (int64_t k = 0; k < c->in; k++)
        for (int64_t i = 0; i < 9; i++) {
            const int64_t row = y + i / 3, column = x + i % 3;
            if (row >= 0 && row < c->height && column >= 0 && column < c->width)
                sum += (double)image[(k * c->height + row) * c->width + column] * (double)weights[k * 9 + i];
        }
    return sum;
}

static void assert_convolved(struct graph *g, const struct conv *c, const float *in, const float *added)
{
    const float *weights = graph_pattern(g, (size_t)(c->out * c->in * 9), 1);
    const float *bias = graph_pattern(g, (size_t)c->out, 2), *made = g->made[0].data;
    const int64_t high = high_of(c), wide = wide_of(c);
    const double tolerance = 1e-6 * (double)(c->in * 9); /* the numbers are below 1, and each product may be rounded */
    assert_int_equal(g->made[0].count, c->batch * c->out * high * wide);
    for (int64_t at = 0; at < c->batch * c->out * high * wide; at++) {
        const int64_t x = at % wide, y = at / wide % high, k = at / wide / high % c->out, n = at / wide / high / c->out;
        const double sum = window_at(c, in + n * c->in * c->height * c->width, weights + k * c->in * 9, y - c->pads[0],
                                     x - c->pads[1]) +
                           (c->has_bias ? (double)bias[k] : 0);
        const double right = followed(c, sum, added ? (double)added[at] : 0);
        if (fabs((double)made[at] - right) > tolerance)
            fail_msg("image %d, channel %d, row %d, column %d: %g, and right is %g", (int)n, (int)k, (int)y, (int)x,
                     (double)made[at], right);
    }
}

static void assert_computes(struct conv c)
{
    struct graph *g = network_of(&c);
    const size_t in = (size_t)(c.batch * c.in * c.height * c.width);
    const size_t out = (size_t)(c.batch * c.out * high_of(&c) * wide_of(&c));
    const int64_t shape[] = {c.batch, c.out, high_of(&c), wide_of(&c)};
    const float *given = graph_pattern(g, in, 3), *added = c.follow >= SUM ? graph_pattern(g, out, 4) : NULL;
    for (int turn = 0; turn < 2; turn++) { /* the second one has the memory of the first */
        graph_give(g, SHAPE(c.batch, c.in, c.height, c.width), given, in);
        if (added)
            graph_give(g, shape, 4, added, out);
        assert_ok(graph_run(g));
        assert_convolved(g, &c, given, added);
    }
}

TEST(tiles_that_fill_the_image)
{
    assert_computes((struct conv){1, 64, 32, 8, 8, {1, 1, 1, 1}, NOTHING, true});
    assert_computes((struct conv){1, 72, 40, 10, 14, {0, 0, 0, 0}, NOTHING, false});
}

TEST(tiles_beyond_the_image)
{
    assert_computes((struct conv){1, 64, 32, 7, 7, {1, 1, 1, 1}, NOTHING, true});
    assert_computes((struct conv){1, 64, 40, 9, 13, {0, 0, 0, 0}, NOTHING, true});
    assert_computes((struct conv){1, 64, 32, 1, 17, {1, 1, 1, 1}, NOTHING, true});
}

TEST(pads_of_any_size)
{
    assert_computes((struct conv){1, 64, 32, 9, 6, {2, 0, 1, 3}, NOTHING, true});
    assert_computes((struct conv){1, 64, 32, 3, 3, {7, 6, 5, 8}, NOTHING, true});
}

TEST(batches_whose_images_share_a_turn)
{
    assert_computes((struct conv){5, 64, 32, 6, 6, {1, 1, 1, 1}, NOTHING, true});
}

TEST(more_tiles_than_are_computed_at_once)
{
    assert_computes((struct conv){1, 64, 32, 20, 52, {1, 1, 1, 1}, NOTHING, true});
    assert_computes((struct conv){3, 64, 32, 20, 24, {1, 1, 1, 1}, RELU, true});
}

TEST(tiles_that_a_team_shares)
{
    assert_computes((struct conv){4, 64, 64, 20, 24, {1, 1, 1, 1}, RELU, true});
}

TEST(what_follows_a_convolution)
{
    for (enum follow follow = NOTHING; follow <= SUM_RELU; follow++)
        for (int has_bias = 0; has_bias < 2; has_bias++)
            assert_computes((struct conv){2, 64, 32, 6, 11, {1, 1, 1, 1}, follow, has_bias});
}

TEST(minus_infinity_becomes_zero)
{
    float bias[32];
    for (size_t i = 0; i < COUNT_OF(bias); i++)
        bias[i] = -INFINITY;
    struct graph *g = graph_of(13, "X FLOAT[1,64,8,8]; W FLOAT[32,64,3,3] ~ 1; c = Conv X W B; Y = Relu c; -> Y FLOAT");
    graph_constant(g, "B", FLOAT, SHAPE(32), bias, sizeof(bias));
    graph_give(g, SHAPE(1, 64, 8, 8), graph_pattern(g, 64 * 64, 3), 64 * 64);
    assert_ok(graph_run(g));
    for (size_t i = 0; i < g->made[0].count; i++)
        assert_true(((const float *)g->made[0].data)[i] == 0);
}

TEST(shapes_that_are_not_tiled)
{
    assert_computes((struct conv){1, 8, 32, 8, 8, {1, 1, 1, 1}, RELU, true});
    assert_computes((struct conv){1, 64, 36, 8, 8, {1, 1, 1, 1}, RELU, true});
    assert_computes((struct conv){1, 64, 32, 4, 4, {1, 1, 1, 1}, RELU, true});
}

/* Plans for large and small images share the weights: small ones are convolved directly. */
TEST(one_network_for_images_of_all_sizes)
{
    static const int64_t sizes[][2] = {{6, 6}, {20, 23}, {5, 9}, {3, 40}};
    struct graph *g = graph_of(13, "X FLOAT[-1,64,-1,-1]; W FLOAT[32,64,3,3] ~ 1; Y = Conv X W; -> Y FLOAT");
    assert_ok(graph_load(g));
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const struct conv c = {.batch = 1, .in = 64, .out = 32, .height = sizes[i][0], .width = sizes[i][1]};
        const size_t count = (size_t)(c.in * c.height * c.width);
        const float *given = graph_pattern(g, count, 3);
        graph_give(g, SHAPE(1, c.in, c.height, c.width), given, count);
        assert_ok(graph_run(g));
        assert_convolved(g, &c, given, NULL);
    }
}
