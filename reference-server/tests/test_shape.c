/* Operators of ONNX that change shapes. */
#include "graph.h"

static const int32_t six[6] = {1, 2, 3, 4, 5, 6};

/* Makes a node over A, which is INT32 [2,-1] and gets [2,3]. S is a list of INT64. */
static struct graph *over_six(int64_t opset, const char *node, const char *list)
{
    struct graph *g = graph_of(opset, "A INT32[2,-1]; C = %s; -> C INT32", node);
    if (list)
        graph_add(g, "S INT64%s", list);
    return g;
}

static void assert_shape(struct graph *g, const int64_t *shape, size_t rank)
{
    graph_give(g, SHAPE(2, 3), six, 6);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT32, shape, rank, six, sizeof(six));
    assert_ptr_equal(g->made[0].data, six); /* the memory is shared, not copied */
}

#define SIX             "INT32[2,3] 1 2 3 4 5 6"
#define RESHAPE(TO)     "A INT32[2,-1]; S INT64" TO "; C = Reshape A S; -> C INT32"
#define SQUEEZE(OP, BY) "A INT32[2,-1]; S INT64" BY "; C = " OP " A S; -> C INT32"
#define CAST(TO)                                                                                                       \
    {                                                                                                                  \
        "A INT32[2]; C = Cast to=" TO " A; -> C INT32", NULL, "unsupported: not supported"                             \
    }

TEST(shapes_are_changed_or_refused)
{
    static const struct graph_case rows[] = {
        {RESHAPE("[2] = 3 2"), SIX, "INT32[3,2] 1 2 3 4 5 6"},
        {RESHAPE("[1] = -1"), SIX, "INT32[6] 1 2 3 4 5 6"},
        {RESHAPE("[3] = 0 -1 1"), SIX, "INT32[2,3,1] 1 2 3 4 5 6"},
        {RESHAPE("[2] = 4 -1"), SIX, "refused: [4,-1]"},
        {RESHAPE("[2] = -1 -1"), SIX, "refused: [-1,-1]"},
        {RESHAPE("[2] = -2 3"), SIX, "refused: [-2,3]"},
        {RESHAPE("[3] = 6 1 0"), SIX, "refused: [6,1,0]"},
        {"A INT32[2,-1]; S INT64[2] = 0 6; C = Reshape allowzero=1 A S; -> C INT32", SIX, "refused: [0,6]"},
        {"A INT32[2,-1]; S FLOAT[1] = 6; C = Reshape A S; -> C INT32", SIX, "refused: FP32"},
        {RESHAPE("[-1]") "[-1,-1]", SIX "; INT64[2] -1 2", "INT32[3,2] 1 2 3 4 5 6"},
        {RESHAPE("[-1]") "[-1,-1]", SIX "; INT64[0]", "refused: to []"}, /* six elements are not a scalar */
        {RESHAPE("[-1]") "[-1,-1]",
         SIX "; INT64[40] 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
         "refused: a list of 40 numbers"},
        {"A INT32[2,-1]; C = Flatten axis=3 A; -> C INT32", NULL, "refused: axis 3"},
        {"A INT32[2,-1]; C = Transpose perm=[0,0] A; -> C INT32", NULL, "refused: perm"},
        {SQUEEZE("Unsqueeze", "[2] = 1 1"), NULL, "refused: unsqueeze"},
        {"A INT32[2,-1]; C = Unsqueeze axes=[0] A; -> C INT32", NULL, "refused: 1 input, not 2"},
        {SQUEEZE("Squeeze", "[1] = 0"), NULL, "refused: squeeze"},
        {SQUEEZE("Squeeze", "[1] = 1"), SIX, "refused: [2,3]"},
        {"A INT32[1,-1,1]; S INT64[1] = -1; B = Squeeze A; C = Squeeze A S; -> C INT32[1,-1]; -> B INT32[-1]",
         "INT32[1,6,1] 1 2 3 4 5 6", "INT32[1,6] 1 2 3 4 5 6; INT32[6] 1 2 3 4 5 6"},
        CAST("0"),
        CAST("14"),
        CAST("99"),
        CAST("-1"),
        CAST("8"), /* STRING */
        CAST("9223372036854775807"),
    };
    static const struct graph_case before = {SQUEEZE("Unsqueeze", "[1] = 0"), NULL, "refused: 2 inputs, not 1"};
    assert_cases(14, rows);
    graph_case(11, &before);
}

TEST(what_changes_only_the_shape_shares_the_memory)
{
    assert_shape(over_six(13, "Flatten A", NULL), SHAPE(2, 3));
    assert_shape(over_six(13, "Flatten axis=2 A", NULL), SHAPE(6, 1));
    assert_shape(over_six(13, "Reshape A S", "[2] = 3 2"), SHAPE(3, 2));
    assert_shape(over_six(13, "Unsqueeze A S", "[2] = 0 -1"), SHAPE(1, 2, 3, 1));
    assert_shape(over_six(11, "Unsqueeze axes=[1,3] A", NULL), SHAPE(2, 1, 3, 1));
    assert_shape(graph_of(11, "A INT32[2,-1]; C = Squeeze A; -> C INT32[-1,-1]"), SHAPE(2, 3)); /* no dimension is 1 */
    assert_shape(over_six(13, "Identity A", NULL), SHAPE(2, 3));
    assert_shape(over_six(13, "Cast to=6 A", NULL), SHAPE(2, 3));
}

TEST(constants_in_every_form)
{
    struct graph *g =
        graph_of(13, "i = Constant value_int=-7; is = Constant value_ints=[1,2]; f = Constant value_float=1.5;"
                     "s = Constant value_string=ab; t = Constant; V FLOAT[1,1] = 2.5;"
                     "-> i INT64[]; -> is INT64[2]; -> f FLOAT[]; -> s STRING[]; -> t FLOAT[1,1]");
    graph_attribute(g, graph_last(g), "value")->t = g->graph.initializer[0];
    g->graph.n_initializer = 0;
    assert_ok(graph_load(g));
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT64, SCALAR, (const int64_t[]){-7}, 8);
    assert_made(&g->made[1], DATATYPE_INT64, SHAPE(2), (const int64_t[]){1, 2}, 16);
    assert_made(&g->made[2], DATATYPE_FP32, SCALAR, (const float[]){1.5F}, 4);
    assert_made(&g->made[3], DATATYPE_BYTES, SCALAR, "\2\0\0\0ab", 6);
    assert_made(&g->made[4], DATATYPE_FP32, SHAPE(1, 1), (const float[]){2.5F}, 4);
}

TEST(a_constant_needs_one_value)
{
    struct graph *g = graph_of(13, "C = Constant; -> C INT64[]");
    assert_int_equal(graph_load(g).code, STATUS_INVALID_ARGUMENT);
    graph_attribute(g, g->graph.node[0], "value"); /* the attribute has no tensor */
    assert_int_equal(graph_load(g).code, STATUS_INVALID_ARGUMENT);
    graph_add_attribute(g, graph_last(g), "value_int=1");
    assert_int_equal(graph_load(g).code, STATUS_INVALID_ARGUMENT);
}
