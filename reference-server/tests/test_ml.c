/* Operators of the domain ai.onnx.ml. The expected values are onnxruntime's. */
#include "graph.h"

static Onnx__OperatorSetIdProto ml_opset;

/* Makes a graph over X [-1,2] with one node, whose outputs are Y, or L and Y. */
static struct graph *ml_graph(const char *node, const char *outputs)
{
    struct graph *g = graph_of(13, "X FLOAT[-1,2]; %s = %s X", outputs, node);
    onnx__operator_set_id_proto__init(&ml_opset);
    ml_opset.domain = graph_text(g, "ai.onnx.ml");
    ml_opset.has_version = 1;
    ml_opset.version = 3;
    graph_append(g, g->source.opset_import, g->source.n_opset_import, &ml_opset);
    graph_last(g)->domain = graph_text(g, "ai.onnx.ml");
    return g;
}

/* Runs the graph on three rows; its first output is the labels if there are two. */
static void run_rows(struct graph *g, const char *label)
{
    if (label)
        graph_add(g, "-> L %s[-1]", label);
    graph_add(g, "-> Y FLOAT[-1,-1]");
    graph_give_floats(g, SHAPE(3, 2), 1, 2, -3, 0.5F, 0, 0);
    assert_ok(graph_run(g));
}

#define assert_integers(g, ...) assert_made(&(g)->made[0], DATATYPE_INT64, SHAPE(3), (const int64_t[]){__VA_ARGS__}, 24)

TEST(scaler_and_normalizer)
{
    struct graph *g = ml_graph("Scaler offset=[1.0,0.5] scale=[2.0,3.0]", "Y");
    run_rows(g, NULL);
    assert_floats(g, SHAPE(3, 2), 0, 4.5F, -8, 0, -2, -1.5F);
    static const struct {
        const char *node;
        float wanted[6];
    } norms[] = {{"Normalizer norm=L1", {1.0F / 3, 2.0F / 3, -6.0F / 7, 1.0F / 7, 0, 0}},
                 {"Normalizer norm=L2", {0.4472136F, 0.8944272F, -0.98639394F, 0.16439899F, 0, 0}},
                 {"Normalizer norm=MAX", {0.5F, 1, -6, 1, 0, 0}}};
    for (size_t i = 0; i < COUNT_OF(norms); i++) {
        g = ml_graph(norms[i].node, "Y");
        run_rows(g, NULL);
        assert_near(&g->made[0], norms[i].wanted, 6);
    }
}

TEST(linear_models)
{
    struct graph *g = ml_graph("LinearClassifier coefficients=[0.5,-1.0,1.0,0.25,-0.5,0.75] intercepts=[0.1,-0.2,0.3] "
                               "classlabels_strings=[a,bc,d] post_transform=SOFTMAX",
                               "L Y");
    run_rows(g, "STRING");
    assert_made(&g->made[0], DATATYPE_BYTES, SHAPE(3), "\2\0\0\0bc\1\0\0\0d\1\0\0\0d", 16);
    assert_near(&g->made[1], REALS(0.03251033F, 0.4837449F, 0.4837449F, 0.01662254F, 0.005133354F, 0.9782442F,
                                   0.3375845F, 0.2500888F, 0.4123267F));
    g = ml_graph("LinearClassifier coefficients=[-0.5,1.0,0.5,-1.0] intercepts=[-0.25,0.25] classlabels_ints=[4,9] "
                 "post_transform=LOGISTIC",
                 "L Y");
    run_rows(g, "INT64");
    assert_integers(g, 4, 4, 9);
    assert_near(&g->made[1], REALS(0.7772999F, 0.2227001F, 0.8519528F, 0.1480472F, 0.4378235F, 0.5621765F));
    g = ml_graph("LinearRegressor coefficients=[2.0,-1.0] intercepts=[0.5]", "Y");
    run_rows(g, NULL);
    assert_floats(g, SHAPE(3, 1), 0.5F, -6, 0.5F);
}

/* Two trees: x0 <= 0 and x1 < 1; and what their leaves give, in lists whose names begin with PREFIX. */
#define TREES                                                                                                          \
    " nodes_treeids=[0,0,0,1,1,1] nodes_nodeids=[0,1,2,0,1,2] nodes_featureids=[0,0,0,1,0,0]"                          \
    " nodes_truenodeids=[1,0,0,1,0,0] nodes_falsenodeids=[2,0,0,2,0,0] nodes_values=[0.0,0.0,0.0,1.0,0.0,0.0]"         \
    " nodes_modes=[BRANCH_LEQ,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] "
#define LEAVES(PREFIX, IDS, WEIGHTS)                                                                                   \
    PREFIX "_treeids=[0,0,1,1] " PREFIX "_nodeids=[1,2,1,2] " PREFIX "_ids=" IDS " " PREFIX "_weights=" WEIGHTS

TEST(trees)
{
    struct graph *g = ml_graph(
        "TreeEnsembleRegressor base_values=[10.0]" TREES LEAVES("target", "[0,0,0,0]", "[1.0,2.0,0.25,0.5]"), "Y");
    run_rows(g, NULL);
    assert_floats(g, SHAPE(3, 1), 12.5F, 11.25F, 11.25F);

    g = ml_graph(
        "TreeEnsembleClassifier classlabels_int64s=[7,8]" TREES LEAVES("class", "[0,0,0,0]", "[0.25,0.5,0.125,0.5]"),
        "L Y");
    run_rows(g, "INT64");
    assert_integers(g, 8, 7, 7);
    assert_near(&g->made[1], REALS(0, 1, 0.625F, 0.375F, 0.625F, 0.375F));

    g = ml_graph("TreeEnsembleClassifier classlabels_int64s=[7,8] post_transform=LOGISTIC" TREES LEAVES(
                     "class", "[0,0,0,0]", "[-1.0,0.5,-0.125,0.5]"),
                 "L Y");
    run_rows(g, "INT64");
    assert_integers(g, 8, 7, 7);
    assert_near(&g->made[1], REALS(0.2689414F, 0.7310586F, 0.754915F, 0.245085F, 0.754915F, 0.245085F));

    g = ml_graph("TreeEnsembleClassifier classlabels_strings=[x,y,z] post_transform=SOFTMAX" TREES LEAVES(
                     "class", "[0,1,2,1]", "[1.0,0.5,0.25,0.5]"),
                 "L Y");
    run_rows(g, "STRING");
    assert_made(&g->made[0], DATATYPE_BYTES, SHAPE(3), "\1\0\0\0y\1\0\0\0x\1\0\0\0x", 15);
    assert_near(&g->made[1], REALS(0.2119416F, 0.5761169F, 0.2119416F, 0.5434056F, 0.1999078F, 0.2566866F, 0.5434056F,
                                   0.1999078F, 0.2566866F));
}

/* Trees that no walk could end in, or that lead out of the lists. */
TEST(broken_trees_are_refused)
{
    static const struct {
        const char *list, *word;
        int64_t values[6];
    } lists[] = {
        {"nodes_truenodeids", NULL, {0, 0, 0, 0, 0, 0}}, /* without a root, so no walk begins */
        {"nodes_truenodeids", "no node", {9, 0, 0, 1, 0, 0}},
        {"nodes_falsenodeids", "two parents", {1, 0, 0, 2, 0, 0}},
        {"nodes_featureids", "feature 2", {2, 0, 0, 1, 0, 0}},
        {"nodes_featureids", "position", {-1, 0, 0, 1, 0, 0}},
        {"nodes_nodeids", "one number", {0, 0, 2, 0, 1, 2}},
    };
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct graph *g =
            ml_graph("TreeEnsembleRegressor" TREES LEAVES("target", "[0,0,0,0]", "[1.0,2.0,3.0,4.0]"), "Y");
        const Onnx__NodeProto *node = graph_last(g);
        for (size_t k = 0; k < node->n_attribute; k++)
            if (strcmp(node->attribute[k]->name, lists[i].list) == 0)
                memcpy(node->attribute[k]->ints, lists[i].values, sizeof(lists[i].values));
        graph_add(g, "-> Y FLOAT[-1,-1]");
        if (lists[i].word)
            assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "Tree", lists[i].word);
        else
            assert_ok(graph_load(g));
    }
}

/* Three support vectors, and a machine of them for three classes. */
#define VECTORS "kernel_type=RBF kernel_params=[0.5,0.0,3.0] support_vectors=[1.0,0.0,0.0,1.0,-1.0,0.5] "
#define THREE                                                                                                          \
    "SVMClassifier " VECTORS "coefficients=[1.0,-0.5,0.25,0.75,-1.0,0.5] rho=[0.125,-0.25,0.5] "                       \
    "vectors_per_class=[1,1,1] classlabels_ints=[3,5,6]"

TEST(support_vectors)
{
    struct graph *g = ml_graph("SVMRegressor " VECTORS "coefficients=[1.0,-0.5,0.25] rho=[0.125] n_supports=3", "Y");
    run_rows(g, NULL);
    assert_near(&g->made[0], REALS(0.08737979F, 0.154228F, 0.5620807F));
    g = ml_graph(THREE, "L Y");
    run_rows(g, "INT64");
    assert_integers(g, 3, 3, 3);
    assert_near(&g->made[1], REALS(0.07639556F, -0.1375143F, 0.154089F, 0.1203942F, -0.2159441F, 0.557864F, 0.4282653F,
                                   0.3387133F, 0.1611001F));
    g = ml_graph(THREE " prob_a=[-1.0,-2.0,-1.5] prob_b=[0.1,0.2,0.3]", "L Y");
    run_rows(g, "INT64");
    assert_integers(g, 3, 3, 3);
    assert_near(&g->made[1], REALS(0.2763857F, 0.3309018F, 0.3927124F, 0.277037F, 0.3993713F, 0.3235916F, 0.4273759F,
                                   0.2905174F, 0.2821067F));
    g = ml_graph("SVMClassifier kernel_type=POLY kernel_params=[0.5,1.0,2.0] support_vectors=[1.0,0.0,0.0,1.0] "
                 "coefficients=[1.0,-0.5] rho=[0.125] vectors_per_class=[1,1] classlabels_ints=[3,5]",
                 "L Y");
    run_rows(g, "INT64");
    assert_integers(g, 3, 5, 3);
    assert_near(&g->made[1], REALS(-0.375F, 0.375F, 0.40625F, -0.40625F, -0.625F, 0.625F));
}

TEST(transforms_that_are_not_known_are_refused)
{
    struct graph *g = ml_graph("LinearRegressor post_transform=PROBIT", "Y");
    assert_fails(graph_load(g), STATUS_UNIMPLEMENTED, "'post_transform' is 'PROBIT', which is not supported");
    g = ml_graph("LinearRegressor post_transform=SOFT", "Y");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "'post_transform' is 'SOFT'");
}

TEST(lists_that_do_not_fit_are_refused)
{
    struct graph *g = ml_graph("LinearRegressor coefficients=[2.0,-1.0,3.0]", "Y");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "3 coefficients", "2 features");
    g = ml_graph("SVMClassifier support_vectors=[1.0,0.0,0.0,1.0] coefficients=[1.0,-0.5] rho=[0.125] "
                 "vectors_per_class=[9223372036854775807,2] classlabels_ints=[3,5]",
                 "L Y");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "vectors");
}

TEST(chosen_columns)
{
    static const int64_t wrong[] = {2, -1};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct graph *g = ml_graph("ArrayFeatureExtractor", "Y");
        graph_append(g, graph_last(g)->input, graph_last(g)->n_input, graph_text(g, "columns"));
        graph_add(g, "columns INT64[-1]; -> Y FLOAT[-1,-1]");
        graph_give_floats(g, SHAPE(2, 2), 1, 2, -3, 0.5F);
        graph_give(g, SHAPE(3), (const int64_t[]){1, 0, 1}, 3);
        assert_ok(graph_run(g));
        assert_floats(g, SHAPE(2, 3), 2, 1, 2, 0.5F, -3, 0.5F);
        graph_give_floats(g, SHAPE(2, 2), 1, 2, -3, 0.5F);
        graph_give(g, SHAPE(1), &wrong[i], 1);
        assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "of 2");
    }
}
