/* Large weights: they are moved out of the file, and kept once, in the layout that oneDNN likes. Results must not show
 * that. The numbers are eighths, so that sums are exact in any order, and what is right comes from the same node with
 * weights that are given at each run. */
#include "engine/primitive.h"
#include "graph.h"

/* A node with a constant W beside one whose W is an input. */
struct pair {
    struct graph *constant, *given;
    size_t weights_rank, weights_count;
    const int64_t *weights;
};

static struct pair pair_of(const char *op_type, const int64_t *in, size_t rank, const int64_t *weights,
                           size_t weights_rank)
{
    struct pair pair = {.weights = weights, .weights_rank = weights_rank};
    struct graph **both[] = {&pair.constant, &pair.given};
    assert_true(shape_count(weights, weights_rank, &pair.weights_count));
    for (size_t i = 0; i < COUNT_OF(both); i++)
        *both[i] = graph_of(13, "A FLOAT%s; W FLOAT%s%s; C = %s A W; -> C FLOAT", shape_text(&arena, in, rank),
                            shape_text(&arena, weights, weights_rank), i == 0 ? " ~ 1" : "", op_type);
    return pair;
}

static void assert_same_results(const struct pair *pair, const int64_t *shape, size_t rank)
{
    struct graph *both[] = {pair->constant, pair->given};
    size_t count;
    assert_true(shape_count(shape, rank, &count));
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        graph_give(both[i], shape, rank, graph_pattern(both[i], count, 3), count);
        if (both[i] == pair->given)
            graph_give(both[i], pair->weights, pair->weights_rank, graph_pattern(both[i], pair->weights_count, 1),
                       pair->weights_count);
        assert_ok(graph_run(both[i]));
    }
    const struct tensor *wanted = &pair->given->made[0];
    assert_true(wanted->count > 0);
    assert_made(&pair->constant->made[0], DATATYPE_FP32, wanted->shape, wanted->rank, wanted->data, wanted->size);
}

TEST(a_convolution_of_many_shapes)
{
    struct pair pair = pair_of("Conv", SHAPE(-1, 32, -1, -1), SHAPE(64, 32, 2, 3));
    for (int64_t batch = 1; batch <= 8; batch += 7)
        for (int64_t side = 3; side < 40; side *= 3)
            assert_same_results(&pair, SHAPE(batch, 32, side, side + 1));
}

TEST(a_convolution_of_as_many_groups_as_channels)
{
    struct pair pair = pair_of("Conv group=512", SHAPE(-1, 512, -1, -1), SHAPE(512, 1, 3, 3));
    assert_same_results(&pair, SHAPE(1, 512, 7, 7));
    assert_same_results(&pair, SHAPE(2, 512, 3, 5));
}

TEST(products_of_many_shapes)
{
    static const char *const op_types[] = {"Gemm", "MatMul"};
    for (size_t i = 0; i < COUNT_OF(op_types); i++) {
        struct pair pair = pair_of(op_types[i], SHAPE(-1, 200), SHAPE(200, 300));
        for (int64_t rows = 1; rows < 200; rows *= 5)
            assert_same_results(&pair, SHAPE(rows, 200));
        assert_same_results(&pair, SHAPE(1, 200));
    }
}

/* --- What others read stays --- */

#define CHANNELS 64
#define WEIGHTS  ((size_t)CHANNELS * CHANNELS)

static struct graph *convolution(void)
{
    return graph_of(13, "A FLOAT[-1,%d,5,5]; W FLOAT[%d,%d,1,1] ~ 1; C = Conv A W; -> C FLOAT", CHANNELS, CHANNELS,
                    CHANNELS);
}

/* Runs a convolution with W twice, and looks at the second output, which reads W in another way. */
static void assert_others_see(struct graph *g, const int64_t *shape, size_t rank)
{
    const float *weights = graph_pattern(g, WEIGHTS, 1);
    assert_ok(graph_load(g));
    for (int64_t batch = 1; batch < 3; batch++) {
        size_t count = (size_t)batch * CHANNELS * 25;
        graph_give(g, SHAPE(batch, CHANNELS, 5, 5), graph_pattern(g, count, 3), count);
        assert_ok(graph_run(g));
        assert_made(&g->made[1], DATATYPE_FP32, shape, rank, weights, WEIGHTS * sizeof(*weights));
    }
}

TEST(an_output_of_the_model_stays)
{
    struct graph *g = convolution();
    graph_add(g, "-> W FLOAT");
    assert_others_see(g, SHAPE(CHANNELS, CHANNELS, 1, 1));
}

TEST(what_another_node_reads_stays)
{
    struct graph *g = convolution();
    graph_add(g, "S INT64[2] = %d %d; R = Reshape W S; -> R FLOAT", CHANNELS,
              CHANNELS); /* it lies in the memory of W */
    assert_others_see(g, SHAPE(CHANNELS, CHANNELS));
}

/* --- Packs --- */

#define SIDE 256

static struct numbers matrix_of(int64_t side, int64_t row, int64_t column)
{
    return (struct numbers){.rank = 2, .shape = {side, side}, .strides = {row, column}};
}

TEST(packs_are_made_of_one_another)
{
    const struct numbers plain = matrix_of(SIDE, SIDE, 1), turned = matrix_of(SIDE, 1, SIDE),
                         *const orders[][3] = {
                             {&turned, &plain, &turned}, /* the first takes the place of the weights */
                             {&plain, &turned, &plain},  /* the first lies where they lie, so they must stay */
                         };
    for (size_t order = 0; order < COUNT_OF(orders); order++) {
        struct graph *g = graph_new(13);
        const float *matrix = graph_pattern(g, SIDE * SIDE, 1);
        void *given = memcpy(graph_alloc(g, SIDE * SIDE * sizeof(*matrix)), matrix, SIDE * SIDE * sizeof(*matrix));
        const struct weights weights = {.data = given, .are_own = true};
        struct packs *packs = packs_new();
        struct pack *taken[3];
        for (size_t i = 0; i < 3; i++) {
            layout *liked;
            assert_int_equal(layout_make(&liked, orders[order][i], false), dnnl_success);
            assert_int_equal(pack_take(packs, &plain, weights, liked, &taken[i]), dnnl_success);
            layout_free(liked);
        }
        for (size_t i = 0; i < 3 * SIDE * SIDE; i++) {
            const size_t row = i % (SIDE * SIDE) / SIDE, column = i % SIDE;
            const int64_t *strides = orders[order][i / SIDE / SIDE]->strides;
            const float *packed = (const float *)(const void *)taken[i / SIDE / SIDE]->bytes;
            assert_true(packed[row * (size_t)strides[0] + column * (size_t)strides[1]] == matrix[row * SIDE + column]);
        }
        for (size_t i = 0; i < 3; i++)
            pack_give_back(taken[i]);
        packs_free(packs);
    }
}

static void multiply_by_part(const float *constant, size_t count, size_t part, float *made)
{
    for (size_t i = 0; i < count; i++)
        made[i] = constant[i] * (float)(part + 2);
}

TEST(computed_weights_have_a_pack_of_their_own)
{
    static const float computed[] = {2, 4, 6, 8, 3, 6, 9, 12};
    float given[] = {1, 2, 3, 4};
    struct packs *packs = packs_new();
    struct pack *as_they_are, *parts;
    const struct numbers plain = matrix_of(2, 2, 1);
    layout *liked;
    assert_int_equal(layout_make(&liked, &plain, false), dnnl_success);
    assert_int_equal(pack_take(packs, &plain, (struct weights){.data = given}, liked, &as_they_are), dnnl_success);
    const struct weights weights = {.data = given, .parts = 2, .make_part = multiply_by_part};
    assert_int_equal(pack_take(packs, &plain, weights, liked, &parts), dnnl_success);
    assert_ptr_equal(as_they_are->bytes, given);
    assert_int_equal(parts->parts, 2);
    assert_memory_equal(parts->bytes, computed, sizeof(computed));
    pack_give_back(parts);
    pack_give_back(as_they_are);
    layout_free(liked);
    packs_free(packs);
}

/* --- The message --- */

/* A message in a message may come in parts, which are merged. */
TEST(a_graph_in_two_parts_is_one)
{
    struct graph *g = convolution();
    Onnx__ModelProto rest = ONNX__MODEL_PROTO__INIT;
    Onnx__GraphProto nodes = ONNX__GRAPH_PROTO__INIT, weights = ONNX__GRAPH_PROTO__INIT;
    nodes = g->graph;
    nodes.n_initializer = 0;
    weights.n_initializer = g->graph.n_initializer;
    weights.initializer = g->graph.initializer;
    rest.graph = &weights;
    g->source.graph = &nodes;
    size_t first = onnx__model_proto__get_packed_size(&g->source),
           size = first + onnx__model_proto__get_packed_size(&rest);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    onnx__model_proto__pack(&g->source, bytes);
    onnx__model_proto__pack(&rest, bytes + first);
    assert_ok(network_load((struct str){(const char *)bytes, size}, &g->model, &g->network));
    free(bytes);
    graph_give(g, SHAPE(1, CHANNELS, 5, 5), graph_pattern(g, (size_t)CHANNELS * 25, 3), (size_t)CHANNELS * 25);
    assert_ok(graph_run(g));
    assert_int_equal(g->made[0].count, CHANNELS * 25);
}

TEST(a_matrix_and_its_transpose)
{
    struct graph *g =
        graph_of(13, "A FLOAT[-1,%d]; W FLOAT[%d,%d] ~ 1; B = MatMul A W; C = Gemm transB=1 B W; -> C FLOAT", CHANNELS,
                 CHANNELS, CHANNELS);
    const float *weights = graph_pattern(g, WEIGHTS, 1);
    float first[CHANNELS] = {1}, wanted[CHANNELS] = {0}; /* the first row of W times each row */
    for (size_t i = 0; i < WEIGHTS; i++)
        wanted[i / CHANNELS] += weights[i] * weights[i % CHANNELS];
    graph_give(g, SHAPE(1, CHANNELS), first, CHANNELS);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_FP32, SHAPE(1, CHANNELS), wanted, sizeof(wanted));
}
