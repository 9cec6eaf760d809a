/* Operators that move elements, where they must refuse: ONNX's own cases, in test_onnx_nodes, are right ones. */
#include "graph.h"

/* One node over A, INT32 [2,3]; B and more are INT64 lists. What is wrong is told at loading, or at the run if the
 * lists come with the request. */
static const struct refusal {
    const char *op_type, *inputs, *word;
    int64_t lists[4][5]; /* the count, then the numbers; of B, C, D, E */
} refusals[] = {
    {"Slice", "A B C D E", "step of 0", {{1, 0}, {1, 2}, {1, 0}, {1, 0}}},
    {"Slice", "A B C D", "do not fit", {{1, 0}, {1, 2}, {1, 2}}},
    {"Slice", "A B C", "do not fit", {{1, 0}, {2, 2, 2}}},
    {"Pad", "A B", "3 pads", {{3, 0, 0, 0}}},
    {"Pad", "A B", "pads of", {{4, -2, 0, -1, 0}}},
    {"Pad", "A B", "pads of", {{4, INT64_MAX, 0, 0, 0}}},
    {"Tile", "A B", "repeats", {{1, 2}}},
    {"Tile", "A B", "repeats", {{2, INT64_MAX, 2}}},
    {"Tile", "A B", "-1 repeats", {{2, -1, 2}}},
    {"Expand", "A B", "does not expand", {{2, 4, 3}}},
    {"Split", "A B", "parts", {{1, 3}}},
    {"Gather", "A B", "index 2 of 2", {{1, 2}}},
    {"Gather", "A B", "index -3 of 2", {{1, -3}}},
    {"GatherElements", "A B", "indices of shape [1] for [2,3]", {{1, 0}}},
    {"GatherND", "A B", "index 5 of 2", {{1, 5}}},
    {"GatherND", "A B", "index -4 of 3", {{2, 0, -4}}},
    {"GatherND", "A B", "indices of shape [3] for [2,3]", {{3, 0, 0, 0}}},
    {"ScatterND", "A B C", "INT32 and INT64", {{1, 0}, {3, 1, 2, 3}}},
    {"ScatterElements", "A B C", "INT32 and INT64", {{1, 0}, {1, 0}}},
    {"OneHot", "B C D", "its depth", {{1, 0}, {1, -1}, {2, 0, 1}}},
    {"OneHot", "B C D", "its depth", {{1, 0}, {2, 3, 3}, {2, 0, 1}}},
    {"OneHot", "B C D", "values are not two", {{1, 0}, {1, 3}, {1, 1}}},
    {"OneHot", "B C D", "memory", {{1, 0}, {1, INT64_MAX}, {2, 0, 1}}},
    {"Trilu", "A B", "2 diagonals", {{2, 0, 1}}},
    {"CumSum", "A B", "its axis", {{1, 2}}},
    {"CumSum", "A B", "its axis", {{2, 0, 1}}},
    {"Squeeze", "A B", "cannot squeeze [2,3]", {{1, 0}}},
    {"Squeeze", "A B", "cannot squeeze [2,3]", {{1, -3}}},
    {"Unsqueeze", "A B", "cannot unsqueeze [2,3]", {{2, 1, 1}}},
    {"Unsqueeze", "A B", "cannot unsqueeze [2,3]", {{1, 3}}},
    {"Reshape", "A B", "cannot reshape [2,3] to [4,-1]", {{2, 4, -1}}},
    {"ReduceSum", "A B", "axes", {{1, 2}}},
    {"ReduceSum", "A B", "axes", {{2, 1, -1}}},
    {"ConstantOfShape", "B", "impossible", {{1, -1}}},
    {"ConstantOfShape", "B", "impossible", {{3, INT32_MAX, INT32_MAX, INT32_MAX}}},
    {"ConstantOfShape", "B", "memory", {{2, 1 << 20, 1 << 20}}},
    {"Range", "B C D", "steps of 0", {{1, 0}, {1, 5}, {1, 0}}},
};

static struct graph *refusing_graph(const struct refusal *refusal, bool constant)
{
    static const char *const names[] = {"B", "C", "D", "E"};
    const bool is_float = strcmp(refusal->op_type, "ConstantOfShape") == 0,
               is_scalar = strcmp(refusal->op_type, "Range") == 0,
               is_list = is_scalar || strcmp(refusal->op_type, "OneHot") == 0;
    struct graph *g = graph_of(16, "A INT32[2,3]; made = %s %s; Y = Flatten axis=0 made; -> Y %s[-1,-1]",
                               refusal->op_type, refusal->inputs,
                               is_float  ? "FLOAT"
                               : is_list ? "INT64"
                                         : "INT32");
    for (size_t i = 0; i < 4; i++) {
        const int64_t *list = refusal->lists[i];
        if (list[0] && constant)
            graph_constant(g, names[i], INT64, &list[0], is_scalar ? 0 : 1, &list[1], (size_t)list[0] * 8);
        else if (list[0])
            graph_add(g, "%s INT64%s", names[i], shape_text(&arena, list, !is_scalar));
    }
    return g;
}

static void assert_refused_at(const struct refusal *refusal, bool constant)
{
    static const int32_t six[6] = {1, 2, 3, 4, 5, 6};
    struct graph *g = refusing_graph(refusal, constant);
    struct status status = graph_load(g);
    if (is_ok(status)) {
        graph_give(g, SHAPE(2, 3), six, 6);
        for (size_t i = 0; i < 4 && !constant; i++)
            if (refusal->lists[i][0])
                graph_give(g, &refusal->lists[i][0], g->model.inputs[g->given_count].rank, &refusal->lists[i][1],
                           (size_t)refusal->lists[i][0]);
        status = graph_run(g);
    }
    if (is_ok(status) || !strstr(status.message.data, refusal->word))
        print_error("%s: %s\n", refusal->op_type, is_ok(status) ? "not refused" : status.message.data);
    assert_false(is_ok(status));
    assert_says(status, SAYS(refusal->word));
}

TEST(wrong_constants_are_refused)
{
    for (size_t i = 0; i < COUNT_OF(refusals); i++)
        assert_refused_at(&refusals[i], true);
}

TEST(wrong_inputs_are_refused)
{
    for (size_t i = 0; i < COUNT_OF(refusals); i++)
        assert_refused_at(&refusals[i], false);
}

/* Pads rows of three numbers. */
static struct status pad(const char *mode, const int64_t pads[4], int64_t rows, struct graph **g)
{
    static const float numbers[] = {1, 2, 3};
    *g = graph_of(13, "X FLOAT[-1,3]; P INT64[4]; Y = Pad mode=%s X P; -> Y FLOAT[-1,-1]", mode);
    graph_give(*g, SHAPE(rows, 3), numbers, (size_t)rows * 3);
    graph_give(*g, SHAPE(4), pads, 4);
    return graph_run(*g);
}

TEST(what_a_pad_cuts_off_fills_nothing)
{
    struct graph *g;
    assert_says(pad("reflect", (const int64_t[]){0, 2, 0, -2}, 1, &g), SAYS("pads of 2 and -2"));
    assert_says(pad("edge", (const int64_t[]){0, 2, 0, -3}, 1, &g), SAYS("pads of 2 and -3"));
    assert_ok(pad("edge", (const int64_t[]){0, 2, 0, -2}, 1, &g));
    assert_floats(g, SHAPE(1, 3), 1, 1, 1);
    assert_ok(pad("reflect", (const int64_t[]){0, 1, 0, -1}, 1, &g));
    assert_floats(g, SHAPE(1, 3), 2, 1, 2);
}

TEST(an_empty_batch_is_padded)
{
    struct graph *g;
    assert_ok(pad("reflect", (const int64_t[]){0, 1, 0, 1}, 0, &g));
    assert_made(&g->made[0], DATATYPE_FP32, SHAPE(0, 5), NULL, 0);
}
