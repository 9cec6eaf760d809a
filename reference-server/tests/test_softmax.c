/* Softmax, beyond the cases of ONNX in test_onnx_nodes. numpy gave the expected values, in double. */
#include "graph.h"

TEST(before_opset_13_it_is_a_matrix_split_at_the_axis)
{
    static const struct graph_case row = {"A FLOAT[2,2,2]; C = Softmax A; -> C FLOAT[2,2,2]",
                                          "FLOAT[2,2,2] 0 1 2 3 4 5 6 7",
                                          "FLOAT[2,2,2] 0.0320586033 0.0871443187 0.236882818 0.64391426 0.0320586033 "
                                          "0.0871443187 0.236882818 0.64391426"};
    graph_case(11, &row);
}

TEST(from_opset_13_on_it_is_along_the_axis)
{
    static const struct graph_case rows[] = {
        {"A FLOAT[-1]; C = Softmax A; -> C FLOAT[-1]", "FLOAT[0]", "FLOAT[0]"},
        {"A FLOAT[]; C = Softmax A; -> C FLOAT[]", "FLOAT[] 5", "FLOAT[] 1"}, /* as a list of one */
        {"A FLOAT[-1,3]; C = Softmax axis=2 A; -> C FLOAT[-1,3]", NULL, "refused: axis 2"},
    };
    assert_cases(13, rows);
    struct graph *g = graph_of(13, "%s", rows[0].graph);
    assert_ok(graph_load(g));
    assert_true(g->model.on_compute_thread);
}
