/* onnxruntime gave the expected values, over 3 x 5 numbers. */
#include "graph.h"

static struct graph *pool_graph(const char *op_type, bool has_kernel, Onnx__NodeProto **node)
{
    struct graph *g = graph_new(13);
    graph_input(g, "A", FLOAT, SHAPE(-1, 1, -1, -1));
    *node = graph_node(g, op_type, "A", "C");
    if (has_kernel)
        graph_ints(g, *node, "kernel_shape", SHAPE(2, 2));
    graph_output(g, "C", FLOAT, SHAPE(-1, 1, -1, -1));
    return g;
}

static void run_pool(struct graph *g)
{
    assert_ok(graph_load(g));
    assert_true(g->model.on_compute_thread);
    graph_give_floats(g, SHAPE(1, 1, 3, 5), 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0);
    assert_ok(graph_run(g));
}

TEST(max_pool)
{
    Onnx__NodeProto *node;
    struct graph *g = pool_graph("MaxPool", true, &node);
    graph_ints(g, node, "strides", SHAPE(2, 2));
    run_pool(g);
    assert_floats(g, SHAPE(1, 1, 1, 2), 4, 6);
}

TEST(max_pool_that_rounds_up)
{
    Onnx__NodeProto *node;
    struct graph *g = pool_graph("MaxPool", true, &node);
    graph_ints(g, node, "strides", SHAPE(2, 2));
    graph_int(g, node, "ceil_mode", 1);
    run_pool(g);
    assert_floats(g, SHAPE(1, 1, 2, 3), 4, 6, 6, 5, 4, 0);
}

TEST(max_pool_padded_to_the_same_size)
{
    Onnx__NodeProto *node;
    struct graph *g = pool_graph("MaxPool", true, &node);
    graph_ints(g, node, "strides", SHAPE(2, 2));
    graph_string(g, node, "auto_pad", "SAME_LOWER");
    run_pool(g);
    assert_floats(g, SHAPE(1, 1, 2, 3), 0, 6, 5, 2, 5, 6);
    g = pool_graph("MaxPool", true, &node);
    graph_ints(g, node, "strides", SHAPE(2, 2));
    graph_string(g, node, "auto_pad", "SAME_UPPER");
    run_pool(g);
    assert_floats(g, SHAPE(1, 1, 2, 3), 4, 6, 6, 5, 4, 0);
}

TEST(average_pool_with_and_without_its_padding)
{
    Onnx__NodeProto *node;
    struct graph *g = pool_graph("AveragePool", true, &node);
    graph_ints(g, node, "pads", SHAPE(1, 1, 0, 0));
    run_pool(g);
    assert_floats(g, SHAPE(1, 1, 3, 5), 0, 1.5F, 4.5F, 4, 3.5F, 0.5F, 2, 3.25F, 2.75F, 4, 1.5F, 3, 2.5F, 2, 3.25F);
    g = pool_graph("AveragePool", true, &node);
    graph_ints(g, node, "pads", SHAPE(1, 1, 0, 0));
    graph_int(g, node, "count_include_pad", 1);
    run_pool(g);
    assert_floats(g, SHAPE(1, 1, 3, 5), 0, 0.75F, 2.25F, 2, 1.75F, 0.25F, 2, 3.25F, 2.75F, 4, 0.75F, 3, 2.5F, 2, 3.25F);
}

TEST(global_pools)
{
    Onnx__NodeProto *node;
    struct graph *g = pool_graph("GlobalMaxPool", false, &node);
    run_pool(g);
    assert_floats(g, SHAPE(1, 1, 1, 1), 6);
    g = pool_graph("GlobalAveragePool", false, &node);
    run_pool(g);
    assert_close(g, 2.8F);
    graph_give(g, SHAPE(1, 1, 0, 5), NULL, 0);
    assert_int_equal(graph_run(g).code, STATUS_INVALID_ARGUMENT);
}

TEST(nonsense_is_a_load_error)
{
    Onnx__NodeProto *node;
    struct graph *g = pool_graph("MaxPool", false, &node);
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "Pool", "kernel_shape");
    g = pool_graph("MaxPool", true, &node);
    graph_ints(g, node, "pads", SHAPE(2, 2, 2, 2));
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "Pool", "padding");
    g = pool_graph("MaxPool", false, &node);
    graph_ints(g, node, "kernel_shape", SHAPE(2, 2, 2));
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "Pool", "3 dimensions");
    g = pool_graph("MaxPool", true, &node);
    graph_append(g, node->output, node->n_output, graph_text(g, "Indices"));
    assert_fails(graph_load(g), STATUS_UNIMPLEMENTED, "Pool", "2 outputs");
    g = pool_graph("MaxPool", true, &node);
    g->graph.input[0]->type->tensor_type->elem_type = DOUBLE;
    assert_fails(graph_load(g), STATUS_UNIMPLEMENTED, "Pool", "FP64");
    g = pool_graph("GlobalMaxPool", false, &node);
    g->graph.input[0]->type->tensor_type->shape->n_dim = 2;
    assert_fails(graph_load(g), STATUS_UNIMPLEMENTED, "Pool", "0 spatial dimensions");
}
