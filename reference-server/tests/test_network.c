/* Loading graphs of ONNX, right and wrong. */
#include "base/search.h"
#include "graph.h"

/* Makes a graph with one node; each test breaks one thing in it. */
static struct graph *sum_graph(void)
{
    return graph_of(13, "A INT32[-1,2]; B INT32[-1,2]; C = Add A B; -> C INT32[-1,2]");
}

static void assert_refused(struct graph *g, enum status_code code, const char *const *words)
{
    struct status status = graph_load(g);
    assert_int_equal(status.code, code);
    assert_null(g->network);
    assert_int_equal(g->model.input_count, 0);
    assert_says(status, words);
}

TEST(a_right_graph_loads_and_runs)
{
    struct graph *g = sum_graph();
    assert_ok(graph_load(g));
    assert_int_equal(g->model.input_count, 2);
    assert_true(str_is(g->model.inputs[1].name, "B"));
    assert_int_equal(g->model.inputs[0].shape[0], -1);
    assert_int_equal(g->model.inputs[0].shape[1], 2);
    assert_false(g->model.on_compute_thread);
    graph_give(g, SHAPE(1, 2), (const int32_t[]){1, 2}, 2);
    graph_give(g, SHAPE(1, 2), (const int32_t[]){10, 20}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT32, SHAPE(1, 2), (const int32_t[]){11, 22}, 8);
    assert_true(str_is(g->made[0].name, "C"));
}

TEST(a_wrong_graph_is_refused)
{
    static const struct {
        enum status_code code;
        int opset;
        const char *text, *words[4];
    } rows[] = {
        {STATUS_UNIMPLEMENTED,
         13,
         "A INT32[2]; C = Frobnicate A; -> C INT32",
         {"node 'C'", "Frobnicate", "not supported"}},
        {STATUS_UNIMPLEMENTED, 6, "A INT32[2]; C = Add A A; -> C INT32", {"Add", "opset 6"}},
        {STATUS_UNIMPLEMENTED, 99, "A INT32[2]; -> A INT32", {"99"}},
        {STATUS_INVALID_ARGUMENT, -1, "A INT32[2]; -> A INT32", {"imports no version"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[2]; C = Add A X; -> C INT32", {"Add", "'X'"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[2]; C = Add A -; -> C INT32", {"Add"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[2]; C = Add A C; -> C INT32", {"'C'"}}, /* its own output */
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[2]; -> X INT32", {"output 'X'"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[2]; C = Add A A; C = Sub A A; -> C INT32", {"'C'", "twice"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[2]; A INT32[2]; -> A INT32", {"'A'", "twice"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[2]; -> A INT32; -> A INT32", {"'A'", "twice"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[-1,2]; C = Neg A; -> C FLOAT[-1,2]", {"'C'", "FP32", "INT32"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[-1,2]; C = Neg A; -> C INT32[-1,3]", {"'C'", "[-1,3]", "[-1,2]"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[-1,2]; C = Neg A; -> C INT32[-1]", {"'C'", "[-1]", "[-1,2]"}},
        {STATUS_UNIMPLEMENTED, 13, "A INT32; -> A INT32", {"'A'", "no shape"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[2]; C = Add A; -> C INT32", {"Add", "it has 1 input, not 2"}},
        {STATUS_INVALID_ARGUMENT, 13, "A INT32[2]", {"no output"}},
        {STATUS_UNIMPLEMENTED, 13, "A INT32[2]; C = Add broadcast=1 A A; -> C INT32", {"Add", "'broadcast'"}},
        {STATUS_INVALID_ARGUMENT, 13, "W INT32[3] = 1 2; -> W INT32", {"'W'", "2 elements", "[3]"}},
        {STATUS_INVALID_ARGUMENT, 13, "W INT32[-2] = 1 2; -> W INT32", {"'W'", "impossible shape"}},
        {STATUS_INVALID_ARGUMENT, 13, "W INT8[4294967296,4294967296] = 1; -> W INT8", {"'W'", "impossible shape"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_refused(graph_of(rows[i].opset, "%s", rows[i].text), rows[i].code, rows[i].words);
}

/* What the text of a graph cannot say. */
TEST(a_wrong_message_is_refused)
{
    static const int32_t two[2] = {1, 2};
    struct graph *g = sum_graph();
    g->graph.node[0]->name = graph_text(g, "first");
    g->graph.node[0]->domain = graph_text(g, "com.microsoft");
    assert_refused(g, STATUS_UNIMPLEMENTED, SAYS("node 'first'", "Add", "com.microsoft"));
    g = sum_graph();
    g->graph.node[0]->op_type = NULL;
    assert_refused(g, STATUS_UNIMPLEMENTED, SAYS("not supported"));
    g = sum_graph();
    g->graph.node[0]->n_output = 0;
    assert_refused(g, STATUS_UNIMPLEMENTED, SAYS("Add", "it has 0 outputs, not 1"));
    g = sum_graph();
    g->source.n_opset_import = 0;
    assert_refused(g, STATUS_INVALID_ARGUMENT, SAYS("imports no version"));
    g = sum_graph();
    g->source.graph = NULL;
    assert_refused(g, STATUS_INVALID_ARGUMENT, SAYS("no graph"));
    g = sum_graph();
    g->graph.input[0]->name = graph_text(g, "");
    assert_refused(g, STATUS_INVALID_ARGUMENT, SAYS("without a name"));
    g = sum_graph();
    g->graph.input[0]->type->tensor_type->elem_type = 14; /* COMPLEX64 */
    assert_refused(g, STATUS_UNIMPLEMENTED, SAYS("'A'", "14"));
    g = sum_graph();
    g->graph.input[0]->type = NULL;
    assert_refused(g, STATUS_UNIMPLEMENTED, SAYS("'A'", "not a tensor"));
    g = sum_graph();
    graph_constant(g, "W", INT32, SHAPE(1), two, 5);
    assert_refused(g, STATUS_INVALID_ARGUMENT, SAYS("'W'"));
    g = sum_graph();
    graph_constant(g, "W", 15, SHAPE(2), two, sizeof(two));
    assert_refused(g, STATUS_UNIMPLEMENTED, SAYS("'W'", "15"));
    g = sum_graph();
    Onnx__TensorProto *outside = graph_constant(g, "W", INT32, SHAPE(2), two, sizeof(two));
    outside->has_data_location = 1;
    outside->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    assert_refused(g, STATUS_UNIMPLEMENTED, SAYS("'W'", "another file"));
    g = sum_graph();
    graph_constant(g, "W", STRING, SHAPE(2), two, 0)->has_raw_data = 0;
    assert_refused(g, STATUS_INVALID_ARGUMENT, SAYS("'W'", "0 elements"));
}

TEST(an_output_without_a_shape_takes_the_inferred_one)
{
    struct graph *g = graph_of(13, "A INT32[-1,2]; C = Neg A; -> C INT32");
    assert_ok(graph_load(g));
    assert_int_equal(g->model.outputs[0].rank, 2);
    assert_int_equal(g->model.outputs[0].shape[1], 2);
}

TEST(an_initializer_may_be_listed_as_an_input_and_is_none)
{
    struct graph *g = sum_graph();
    graph_add(g, "B INT32[2] = 5 6");
    assert_ok(graph_load(g));
    assert_int_equal(g->model.input_count, 1);
    graph_give(g, SHAPE(1, 2), (const int32_t[]){1, 2}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT32, SHAPE(1, 2), (const int32_t[]){6, 8}, 8);
}

TEST(typed_initializers_are_read_like_raw_ones)
{
    struct graph *g = graph_of(13, "A INT8[-1]; C = Add A W; -> C INT8[3]");
    Onnx__TensorProto *weights = graph_constant(g, "W", INT8, SHAPE(3), "", 0);
    weights->has_raw_data = 0;
    weights->int32_data = (int32_t[]){1, -2, 127};
    weights->n_int32_data = 3;
    graph_give(g, SHAPE(3), (const int8_t[]){1, 1, 1}, 3);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT8, SHAPE(3), (const int8_t[]){2, -1, -128}, 3);
}

TEST(an_output_may_be_an_input_or_a_constant)
{
    struct graph *g = sum_graph();
    graph_add(g, "W INT32[1] = 7; -> A INT32[-1,2]; -> W INT32[1]");
    graph_give(g, SHAPE(1, 2), (const int32_t[]){1, 2}, 2);
    graph_give(g, SHAPE(1, 2), (const int32_t[]){3, 4}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[1], DATATYPE_INT32, SHAPE(1, 2), (const int32_t[]){1, 2}, 8);
    assert_made(&g->made[2], DATATYPE_INT32, SHAPE(1), (const int32_t[]){7}, 4);
}

/* An output may be sent when the model is gone. */
TEST(an_output_does_not_lie_in_the_networks_memory)
{
    const void *first[2];
    struct graph *g = graph_of(13, "W INT32[2] = 7 8; I = Identity W; -> W INT32[2]; -> I INT32[2]");
    assert_ok(graph_load(g));
    for (int run = 0; run < 2; run++) {
        assert_ok(graph_run(g));
        for (size_t i = 0; i < 2; i++) {
            assert_made(&g->made[i], DATATYPE_INT32, SHAPE(2), (const int32_t[]){7, 8}, 8);
            assert_true(run == 0 || g->made[i].data != first[i]);
            first[i] = g->made[i].data;
        }
    }
    network_free(g->network);
    g->network = NULL;
    for (size_t i = 0; i < 2; i++)
        assert_memory_equal(g->made[i].data, ((const int32_t[]){7, 8}), 8);
}

TEST(a_hundred_thousand_nodes_load)
{
    struct graph *g = sum_graph();
    size_t count = 100000;
    Onnx__NodeProto *nodes = calloc(count, sizeof(*nodes));
    Onnx__NodeProto **list = calloc(count + 1, sizeof(void *));
    char *previous = graph_text(g, "A");
    list[0] = g->graph.node[0];
    for (size_t i = 0; i < count; i++) {
        onnx__node_proto__init(&nodes[i]);
        nodes[i].op_type = graph_text(g, "Identity");
        nodes[i].input = graph_alloc(g, sizeof(char *));
        nodes[i].output = graph_alloc(g, sizeof(char *));
        nodes[i].n_input = nodes[i].n_output = 1;
        nodes[i].input[0] = previous;
        nodes[i].output[0] = previous = graph_text(g, arena_printf(&g->arena, "v%zu", i).data);
        list[i + 1] = &nodes[i];
    }
    g->graph.node = list;
    g->graph.n_node = count + 1;
    graph_give(g, SHAPE(1, 2), (const int32_t[]){1, 2}, 2);
    graph_give(g, SHAPE(1, 2), (const int32_t[]){3, 4}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT32, SHAPE(1, 2), (const int32_t[]){4, 6}, 8);
    free(nodes);
    free(list);
}

/* --- Hostile bytes --- */

/* Loads the bytes; if that works, runs the network on one row of zeros. */
static bool survive(struct str bytes)
{
    struct model model = {.arena = arena_new((size_t)64 << 20)};
    struct network *network = NULL;
    struct status status = network_load(bytes, &model, &network);
    assert_true(is_ok(status) == (network != NULL));
    assert_true(is_ok(status) || status.message.size > 0);
    struct arena scratch = arena_new((size_t)64 << 20);
    struct tensor *tensors = arena_alloc_zero(&scratch, model.input_count, sizeof(*tensors));
    struct model_output *outputs = arena_alloc_zero(&scratch, model.output_count, sizeof(*outputs));
    bool fits = network && tensors && outputs;
    for (size_t i = 0; fits && i < model.input_count; i++) {
        const struct tensor_spec *spec = &model.inputs[i];
        int64_t *shape = arena_alloc_zero(&scratch, spec->rank, sizeof(*shape));
        size_t count = 0;
        for (size_t j = 0; j < spec->rank; j++)
            shape[j] = spec->shape[j] < 0 ? 1 : spec->shape[j];
        fits = shape_count(shape, spec->rank, &count) && count < 1 << 20 && spec->datatype != DATATYPE_BYTES;
        size_t size = fits ? count * datatype_size(spec->datatype) : 0;
        tensors[i] = (struct tensor){.datatype = spec->datatype,
                                     .shape = shape,
                                     .rank = spec->rank,
                                     .count = count,
                                     .data = arena_alloc_zero(&scratch, size, 1),
                                     .size = size};
    }
    if (fits) {
        struct execution execution = {.arena = &scratch, .inputs = tensors, .outputs = outputs};
        (void)network_run(network, &execution, false);
    }
    network_free(network);
    arena_free(&scratch);
    arena_free(&model.arena);
    return network != NULL;
}

static const char *const kit_models[] = {"simple", "convnet", "classifier", "many_outputs", "scalar", "unicode"};

TEST(no_prefix_of_a_model_crashes)
{
    for (size_t i = 0; i < COUNT_OF(kit_models); i++) {
        struct str whole = kit_model(kit_models[i]);
        assert_true(survive(whole));
        for (size_t size = 0; size < whole.size; size += size < 64 ? 1 : 7) {
            char *bytes = malloc(size + 1); /* of exact size, so that a sanitizer sees a read beyond the end */
            memcpy(bytes, whole.data, size);
            survive((struct str){bytes, size});
            free(bytes);
        }
    }
}

TEST(no_changed_byte_crashes)
{
    uint32_t random = 1;
    for (size_t i = 0; i < COUNT_OF(kit_models); i++) {
        struct str whole = kit_model(kit_models[i]);
        char *bytes = malloc(whole.size);
        size_t loaded = 0;
        for (int round = 0; round < 1000; round++) {
            memcpy(bytes, whole.data, whole.size);
            for (int change = 0; change < 2; change++) {
                random = random * 1664525U + 1013904223U;
                bytes[(random >> 8) % whole.size] = (char)(random >> 3);
            }
            loaded += survive((struct str){bytes, whole.size});
        }
        assert_true(loaded > 0 && loaded < 1000);
        free(bytes);
    }
}

TEST(deep_nesting_is_refused)
{
    /* Makes a graph in an attribute of a node of a graph, and so on, from the inside out. */
    static char bytes[1 << 16];
    size_t size = 0;
    for (int depth = 0; depth < 2000; depth++) {
        static const unsigned char tags[] = {0x32, 0x2A, 0x0A}; /* attribute.g, node.attribute, graph.node */
        for (size_t i = 0; i < sizeof(tags); i++) {
            char head[4] = {(char)tags[i], (char)((size & 0x7F) | 0x80), (char)((size >> 7 & 0x7F) | 0x80),
                            (char)(size >> 14)};
            memmove(bytes + 4, bytes, size);
            memcpy(bytes, head, 4);
            size += 4;
        }
    }
    char head[4] = {0x3A, (char)((size & 0x7F) | 0x80), (char)((size >> 7 & 0x7F) | 0x80), (char)(size >> 14)};
    memmove(bytes + 4, bytes, size);
    memcpy(bytes, head, 4);
    assert_false(survive((struct str){bytes, size + 4}));
}

TEST(a_message_that_grows_when_unpacked_is_refused)
{
    static char bytes[1 << 20]; /* it contains empty training_info messages of 3 bytes each */
    for (size_t i = 0; i + 3 <= sizeof(bytes); i += 3)
        memcpy(bytes + i, "\xA2\x01", 3);
    struct model model = {.arena = arena_new(ARENA_NO_BUDGET)};
    struct network *network = NULL;
    assert_fails(network_load((struct str){bytes, sizeof(bytes) / 3 * 3}, &model, &network), STATUS_RESOURCE_EXHAUSTED,
                 "too large");
    arena_free(&model.arena);
}
