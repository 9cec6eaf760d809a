/* Operators of ONNX that change shapes. */
#include "base/search.h"
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

/* Says that it is refused when it is loaded, or when it is run. */
static void assert_six_fails(struct graph *g, const char *word)
{
    struct status status = graph_load(g);
    if (is_ok(status)) {
        graph_give(g, SHAPE(2, 3), six, 6);
        status = graph_run(g);
    }
    assert_fails(status, STATUS_INVALID_ARGUMENT, word);
}

TEST(reshape)
{
    static const struct {
        int64_t opset, wanted[3], count, made[3];
        const char *word; /* of the refusal */
    } rows[] = {{13, {3, 2}, 2, {3, 2}, NULL},        {13, {-1}, 1, {6}, NULL},
                {13, {0, -1, 1}, 3, {2, 3, 1}, NULL}, {13, {4, -1}, 2, {0}, "[4,-1]"},
                {13, {-1, -1}, 2, {0}, "[-1,-1]"},    {13, {-2, 3}, 2, {0}, "[-2,3]"},
                {13, {6, 1, 0}, 3, {0}, "[6,1,0]"},   {14, {0, 6}, 2, {0}, "[0,6]"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct graph *g =
            over_six(rows[i].opset, rows[i].opset == 14 ? "Reshape allowzero=1 A S" : "Reshape A S", NULL);
        graph_constant(g, "S", INT64, SHAPE(rows[i].count), rows[i].wanted, (size_t)rows[i].count * sizeof(int64_t));
        if (!rows[i].word)
            assert_shape(g, rows[i].made, (size_t)rows[i].count);
        else
            assert_six_fails(g, rows[i].word);
    }
    struct graph *g = over_six(13, "Reshape A S", NULL);
    graph_add(g, "S FLOAT[1] = 6");
    assert_six_fails(g, "FP32");
}

TEST(reshape_by_a_shape_that_is_computed)
{
    struct graph *g = graph_of(13, "A INT32[2,-1]; S INT64[-1]; C = Reshape A S; -> C INT32[-1,-1]");
    graph_give(g, SHAPE(2, 3), six, 6);
    graph_give(g, SHAPE(2), (const int64_t[]){-1, 2}, 2);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT32, SHAPE(3, 2), six, sizeof(six));
    static const int64_t many[100];
    graph_give(g, SHAPE(2, 3), six, 6);
    graph_give(g, SHAPE(100), many, 100);
    assert_int_equal(graph_run(g).code, STATUS_INVALID_ARGUMENT);
    graph_give(g, SHAPE(2, 3), six, 6);
    graph_give(g, SHAPE(0), NULL, 0);
    assert_int_equal(graph_run(g).code, STATUS_INVALID_ARGUMENT); /* six elements are not a scalar */
}

TEST(flatten)
{
    assert_shape(over_six(13, "Flatten A", NULL), SHAPE(2, 3));
    assert_shape(over_six(13, "Flatten axis=2 A", NULL), SHAPE(6, 1));
    assert_fails(graph_load(over_six(13, "Flatten axis=3 A", NULL)), STATUS_INVALID_ARGUMENT, "axis 3");
    assert_fails(graph_load(over_six(13, "Transpose perm=[0,0] A", NULL)), STATUS_INVALID_ARGUMENT, "perm");
}

TEST(unsqueeze_and_squeeze_by_input_from_opset_13_on)
{
    assert_shape(over_six(13, "Unsqueeze A S", "[2] = 0 -1"), SHAPE(1, 2, 3, 1));
    assert_six_fails(over_six(13, "Unsqueeze A S", "[2] = 1 1"), "unsqueeze");
    assert_six_fails(over_six(13, "Unsqueeze axes=[0] A", NULL), "1 input, not 2");
    assert_six_fails(over_six(13, "Squeeze A S", "[1] = 0"), "squeeze");
    assert_six_fails(over_six(13, "Squeeze A S", "[1] = 1"), "[2,3]");
}

TEST(unsqueeze_and_squeeze_by_attribute_before)
{
    assert_shape(over_six(11, "Unsqueeze axes=[1,3] A", NULL), SHAPE(2, 1, 3, 1));
    assert_six_fails(over_six(11, "Unsqueeze A S", "[1] = 0"), "2 inputs, not 1");
    assert_shape(graph_of(11, "A INT32[2,-1]; C = Squeeze A; -> C INT32[-1,-1]"), SHAPE(2, 3)); /* no dimension is 1 */
}

TEST(squeeze_drops_what_is_1)
{
    struct graph *g = graph_of(13, "A INT32[1,-1,1]; S INT64[1] = -1; B = Squeeze A; C = Squeeze A S;"
                                   "-> C INT32[1,-1]; -> B INT32[-1]");
    graph_give(g, SHAPE(1, 6, 1), six, 6);
    assert_ok(graph_run(g));
    assert_made(&g->made[0], DATATYPE_INT32, SHAPE(1, 6), six, sizeof(six));
    assert_made(&g->made[1], DATATYPE_INT32, SHAPE(6), six, sizeof(six));
}

TEST(identity_and_cast_to_the_same_type_forward)
{
    assert_shape(over_six(13, "Identity A", NULL), SHAPE(2, 3));
    assert_shape(over_six(13, "Cast to=6 A", NULL), SHAPE(2, 3));
}

TEST(casts_that_do_not_exist_are_a_load_error)
{
    static const int64_t wrong[] = {0, 14, 99, -1, STRING, INT64_MAX};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct graph *g = graph_of(13, "A INT32[2]; C = Cast to=%lld A; -> C INT32", (long long)wrong[i]);
        assert_fails(graph_load(g), STATUS_UNIMPLEMENTED, "not supported");
    }
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
