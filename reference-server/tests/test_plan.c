/* Networks as plans run them: nodes that are joined, layouts, places in memory, many shapes. The expected values are
 * onnxruntime's. */
#include "engine/onednn.h"
#include "graph.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>

#define THREADS 4
#define ROUNDS  60

static void give_pattern(struct graph *g, const int64_t *shape, size_t rank)
{
    size_t count;
    assert_true(shape_count(shape, rank, &count));
    graph_give(g, shape, rank, graph_pattern(g, count, 0), count);
}

/* Makes the parameters of a BatchNormalization, whose gain and variance are positive. */
static void add_statistics(struct graph *g, size_t channels)
{
    static const char *const names[] = {"gain", "bias", "mean", "variance"};
    static const float least[] = {0.5F, 0, 0, 1};
    for (size_t i = 0; i < 4; i++) {
        const float *pattern = graph_pattern(g, channels, i + 2);
        float values[8];
        for (size_t c = 0; c < channels; c++)
            values[c] = (i % 3 ? pattern[c] : fabsf(pattern[c])) + least[i];
        graph_constant(g, names[i], FLOAT, SHAPE((int64_t)channels), values, channels * sizeof(float));
    }
}

/* Conv, BatchNormalization, Relu, Conv, to whose result the input is added. */
static struct graph *residual_graph(void)
{
    struct graph *g = graph_of(13, "X FLOAT[-1,2,3,3]; W1 FLOAT[4,2,3,3] ~ 1; W2 FLOAT[2,4,1,1] ~ 6; B2 FLOAT[2] ~ 7;"
                                   "c1 = Conv pads=[1,1,1,1] X W1; n1 = BatchNormalization c1 gain bias mean variance;"
                                   "r1 = Relu n1; c2 = Conv r1 W2 B2; x1 = Relu X; s = Add c2 x1; Y = Relu s;"
                                   "-> Y FLOAT[-1,2,3,3]");
    add_statistics(g, 4);
    assert_ok(graph_load(g));
    return g;
}

static const float residual[18] = {0,          0.6815312F, 0,          0.3822812F,  1.159856F, 0,
                                   0.4728319F, 0.1401423F, 0,          0.07572103F, 0,         0.3048984F,
                                   0.1102194F, 0,          0.9229207F, 0,           0,         0.3905536F};

TEST(a_residual_block)
{
    struct graph *g = residual_graph();
    for (int round = 0; round < 3; round++) { /* the block of memory is used again */
        give_pattern(g, SHAPE(1, 2, 3, 3));
        assert_ok(graph_run(g));
        assert_near(&g->made[0], residual, 18);
    }
}

TEST(more_shapes_than_plans_are_kept)
{
    struct graph *g = residual_graph();
    for (int64_t round = 0; round < 50; round++) {
        int64_t batch = round % 25 + 1;
        float *images = graph_alloc(g, (size_t)batch * 18 * sizeof(*images));
        for (int64_t i = 0; i < batch; i++)
            memcpy(images + i * 18, graph_pattern(g, 18, 0), 18 * sizeof(*images));
        graph_give(g, SHAPE(batch, 2, 3, 3), images, (size_t)batch * 18);
        assert_ok(graph_run(g));
        assert_int_equal(g->made[0].shape[0], batch);
        struct tensor last = g->made[0];
        last.data = (float *)last.data + (batch - 1) * 18;
        last.count = 18;
        assert_near(&last, residual, 18);
    }
}

TEST(an_empty_batch)
{
    struct graph *g = residual_graph();
    graph_give(g, SHAPE(0, 2, 3, 3), NULL, 0);
    assert_ok(graph_run(g));
    assert_int_equal(g->made[0].shape[0], 0);
    assert_int_equal(g->made[0].count, 0);
}

/* The convolution may not write its result over what is added to it: it reads that itself, and so does the node after.
 */
TEST(a_convolution_of_what_is_added_to_it)
{
    struct graph *g = graph_of(13, "X FLOAT[-1,2,3,3]; W FLOAT[2,2,1,1] ~ 1; x1 = Relu X; c = Conv x1 W; s = Add c x1;"
                                   "Y = Sub s x1; -> Y FLOAT[-1,2,3,3]; -> s FLOAT[-1,2,3,3]");
    give_pattern(g, SHAPE(1, 2, 3, 3));
    assert_ok(graph_run(g));
    assert_gives(g, 0, 0.140625F, -0.125F, 0, -0.21875F, -0.0625F, 0.234375F, -0.203125F, 0, 0.1875F, -0.234375F,
                 -0.03125F, 0, -0.234375F, -0.015625F, -0.390625F, -0.140625F, 0, -0.3125F);
    assert_gives(g, 1, 0.140625F, 0.125F, 0, 0.40625F, 0.0625F, 0.234375F, 0.296875F, 0, 0.1875F, 0.140625F, -0.03125F,
                 0, 0.015625F, -0.015625F, 0.234375F, -0.015625F, 0, 0.1875F);
}

/* GELU and LayerNormalization as exporters spell them for opset 13. */
#define GELU(FROM, TO) "d = Div " FROM " root; e = Erf d; e1 = Add e one; p = Mul " FROM " e1; " TO " = Mul p half;"
#define LAYER(FROM, EPSILON, GAIN, BIAS, TO)                                                                           \
    "mu = ReduceMean axes=[-1] " FROM "; df = Sub " FROM " mu; q = Pow df two; v = ReduceMean axes=[-1] q;"            \
    "ve = Add v " EPSILON "; sd = Sqrt ve; nm = Div df sd; sc = Mul nm " GAIN "; " TO " = Add sc " BIAS ";"
#define SCALARS "root FLOAT[] = 1.41421356; half FLOAT[] = 0.5; two FLOAT[] = 2; epsilon FLOAT[] = 1e-5;"

TEST(spelled_gelu_and_layer_normalization)
{
    struct graph *g = graph_of(13, "X FLOAT[-1,2,3]; W FLOAT[3,4] ~ 1; B FLOAT[4] ~ 2; G FLOAT[4] ~ 3; H FLOAT[4] ~ 4;"
                                   "one FLOAT[] = 1;" SCALARS "m = MatMul X W; a = Add m B;" GELU("a", "g")
                                       LAYER("g", "epsilon", "G", "H", "Y") "-> Y FLOAT[-1,2,4]");
    give_pattern(g, SHAPE(1, 2, 3));
    assert_ok(graph_run(g));
    for (size_t i = 0; i < 8; i++)
        assert_float_equal(((const float *)g->made[0].data)[i],
                           ((const float[]){-0.04972534F, -0.9379518F, 0.4610911F, 0.08259001F, 0.06818283F, 0.403325F,
                                            0.2450099F, 0.06225032F})[i],
                           2e-5F); /* the variance is small, so the division makes the last digits large */
}

TEST(what_looks_like_nodes_to_join)
{
    static const struct graph_case rows[] = {
        /* Another node reads what is added, between the convolution and the sum. */
        {"X FLOAT[-1,1,1,2]; W FLOAT[1,1,1,1] = 2; a = Neg X; b = Neg X; c = Conv b W; between = Abs a; s = Add a c;"
         "Y = Sub s between; -> Y FLOAT[-1,1,1,2]",
         "FLOAT[1,1,1,2] 3 -5", "FLOAT[1,1,1,2] -12 10"},
        /* Between the two halves of a GELU stands a node that only changes the shape. */
        {"X FLOAT[-1,2]; W FLOAT[2,2] = 1 0 0 1; turned INT64[2] = 2 1; one FLOAT[] = 1;" SCALARS
         "m = MatMul X W; d = Div m root; e = Erf d; t = Reshape e turned; e1 = Add t one; p = Mul m e1;"
         "Y = Mul p half; -> Y FLOAT[-1,2]",
         "FLOAT[1,2] 1 -1", "FLOAT[2,2] 0.8413447 -0.8413447 0.1586553 -0.1586553"},
        /* Constants of more dimensions than the chains add one. The values of the second chain are NumPy's: onnxruntime
         * loses the dimension. */
        {"X FLOAT[-1,2]; W FLOAT[2,2] = 1 0 0 1; one FLOAT[1,1,1] = 1; G FLOAT[2] = 2 4;" SCALARS
         "m = MatMul X W; x = Relu X;" GELU("m", "Y")
             LAYER("x", "one", "G", "G", "Z") "-> Y FLOAT[1,-1,2]; -> Z FLOAT[1,-1,2]",
         "FLOAT[1,2] 1 -1", "FLOAT[1,1,2] 0.8413447 -0.1586553; FLOAT[1,1,2] 2.8944272 2.2111456"},
        {"X FLOAT[-1,2]; gain FLOAT[2] = 2 2; bias FLOAT[2] = 0 1; four FLOAT[2] = 4 4;"
         "b = BatchNormalization X gain bias four four; Y = LeakyRelu alpha=0.5 b; -> Y FLOAT[-1,2]",
         "FLOAT[1,2] 3 5", "FLOAT[1,2] -0.4999994 1.999999"},
    };
    assert_cases(13, rows);
}

/* A shape that is calculated from a shape is known when the plan is made. */
TEST(calculated_shapes)
{
    struct graph *g =
        graph_of(13, "X FLOAT[-1,2,2]; first INT64[1] = 0; rest INT64[1] = -1; shape = Shape X;"
                     "batch = Gather shape first; wanted = Concat axis=0 batch rest; flat = Reshape X wanted;"
                     "Y = Relu flat; -> Y FLOAT[-1,-1]");
    graph_give_floats(g, SHAPE(1, 2, 2), 1, -2, 3, -4);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(1, 4), 1, 0, 3, 0);
    graph_give_floats(g, SHAPE(2, 2, 2), 1, -2, 3, -4, 5, 6, 7, 8);
    assert_ok(graph_run(g));
    assert_floats(g, SHAPE(2, 4), 1, 0, 3, 0, 5, 6, 7, 8);
}

/* A shape that depends on data is known only at the run. */
TEST(shapes_that_depend_on_data)
{
    struct graph *g = graph_of(13, "X FLOAT[-1]; S INT64[-1]; shaped = Reshape X S; n = Neg shaped; Y = Abs n;"
                                   "-> Y FLOAT[-1,-1]; -> n FLOAT[-1,-1]");
    for (int64_t rows = 1; rows <= 4; rows *= 2) {
        graph_give_floats(g, SHAPE(4), 1, 2, 3, 4);
        graph_give(g, SHAPE(2), (const int64_t[]){rows, 4 / rows}, 2);
        assert_ok(graph_run(g));
        assert_floats(g, SHAPE(rows, 4 / rows), 1, 2, 3, 4);
    }
}

/* The block of a run is paid for by the request. */
TEST(a_request_without_memory_is_refused)
{
    struct graph *g = residual_graph();
    struct arena small = arena_new((size_t)64 << 10);
    int64_t batch = 4096;
    struct tensor input = {.datatype = DATATYPE_FP32,
                           .shape = (const int64_t[]){batch, 2, 3, 3},
                           .rank = 4,
                           .count = (size_t)batch * 18,
                           .data = graph_alloc(g, (size_t)batch * 18 * sizeof(float)),
                           .size = (size_t)batch * 18 * sizeof(float)};
    struct model_output output = {0};
    struct execution execution = {.arena = &small, .inputs = &input, .outputs = &output};
    assert_int_equal(network_run(g->network, &execution, false).code, STATUS_RESOURCE_EXHAUSTED);
    arena_free(&small);
}

struct runner {
    struct graph *g;
    pthread_t thread;
    size_t seed;
    bool right;
};

static void *run_often(void *argument)
{
    struct runner *runner = argument;
    float images[3 * 18];
    for (size_t i = 0; i < 3 * 18; i++)
        images[i] = ((float)((i % 18 * 7) % 11) - 5) / 8;
    runner->right = true;
    for (size_t round = 0; round < ROUNDS; round++) {
        int64_t shape[] = {(int64_t)((round + runner->seed) % 3 + 1), 2, 3, 3};
        struct arena memory = arena_new(ARENA_NO_BUDGET);
        struct tensor input = {.datatype = DATATYPE_FP32,
                               .shape = shape,
                               .rank = 4,
                               .count = (size_t)shape[0] * 18,
                               .data = images,
                               .size = (size_t)shape[0] * 18 * sizeof(float)};
        struct model_output output = {0};
        struct execution execution = {.arena = &memory, .inputs = &input, .outputs = &output};
        runner->right &= network_run(runner->g->network, &execution, false).code == STATUS_OK;
        for (size_t i = 0; runner->right && i < output.tensor.count; i++)
            runner->right &= fabsf(((const float *)output.tensor.data)[i] - residual[i % 18]) < 2e-6F;
        arena_free(&memory);
    }
    return NULL;
}

static size_t threads_of_process(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

TEST(a_team_computes_the_same_as_one_thread)
{
    enum { NUMBERS = 32 * 32 * 32 };
    struct graph *g = graph_of(13, "X FLOAT[1,32,32,32]; W FLOAT[32,32,5,5] ~ 1; Y = Conv pads=[2,2,2,2] X W;"
                                   "-> Y FLOAT[1,32,32,32]");
    give_pattern(g, SHAPE(1, 32, 32, 32));
    assert_ok(graph_run(g));
    if (onednn_use_threads(true) > 1)
        assert_true(threads_of_process() > 1);
    const float *by_team = memcpy(graph_alloc(g, NUMBERS * sizeof(float)), g->made[0].data, NUMBERS * sizeof(float));
    give_pattern(g, SHAPE(1, 32, 32, 32));
    assert_ok(graph_run_as(g, false));
    assert_near(&g->made[0], by_team, NUMBERS);
}

TEST(threads_share_plans)
{
    struct graph *g = residual_graph();
    struct runner runners[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        runners[i] = (struct runner){.g = g, .seed = i};
        assert_int_equal(pthread_create(&runners[i].thread, NULL, run_often, &runners[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(runners[i].thread, NULL);
        assert_true(runners[i].right);
    }
}
