/* Softmax, beyond the cases of ONNX in test_onnx_nodes. numpy gave the expected values, in double. */
#include "graph.h"

TEST(before_opset_13_it_is_a_matrix_split_at_the_axis)
{
    struct graph *g = graph_of(11, "A FLOAT[2,2,2]; C = Softmax A; -> C FLOAT[2,2,2]");
    graph_give_floats(g, SHAPE(2, 2, 2), 0, 1, 2, 3, 4, 5, 6, 7);
    assert_ok(graph_run(g));
    assert_close(g, 0.0320586033F, 0.0871443187F, 0.236882818F, 0.64391426F, 0.0320586033F, 0.0871443187F, 0.236882818F,
                 0.64391426F);
}

TEST(a_softmax_of_nothing)
{
    struct graph *g = graph_of(13, "A FLOAT[-1]; C = Softmax A; -> C FLOAT[-1]");
    assert_ok(graph_load(g));
    assert_true(g->model.on_compute_thread);
    graph_give(g, SHAPE(0), NULL, 0);
    assert_ok(graph_run(g));
}

TEST(an_axis_that_is_not_there_is_refused)
{
    struct graph *g = graph_of(13, "A FLOAT[-1,3]; C = Softmax axis=2 A; -> C FLOAT[-1,3]");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "Softmax", "axis 2");
}
