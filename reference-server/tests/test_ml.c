/* Operators of the domain ai.onnx.ml. The expected values are onnxruntime's. */
#include "graph.h"

static Onnx__OperatorSetIdProto ml_opset;

/* Makes a graph over X [-1,2] with one node, whose outputs are Y, or L and Y. */
static struct graph *ml_graph(const char *op_type, const char *outputs, Onnx__NodeProto **node)
{
    struct graph *g = graph_new(13);
    onnx__operator_set_id_proto__init(&ml_opset);
    ml_opset.domain = graph_text(g, "ai.onnx.ml");
    ml_opset.has_version = 1;
    ml_opset.version = 3;
    graph_append(g, g->source.opset_import, g->source.n_opset_import, &ml_opset);
    graph_input(g, "X", FLOAT, SHAPE(-1, 2));
    *node = graph_node(g, op_type, "X", outputs);
    (*node)->domain = graph_text(g, "ai.onnx.ml");
    return g;
}

/* Runs the graph on three rows; its first output is the labels if there are two. */
static void run_rows(struct graph *g, int label)
{
    if (label)
        graph_output(g, "L", label, SHAPE(-1));
    graph_output(g, "Y", FLOAT, SHAPE(-1, -1));
    graph_give_floats(g, SHAPE(3, 2), 1, 2, -3, 0.5F, 0, 0);
    assert_ok(graph_run(g));
}

#define assert_integers(g, ...) assert_made(&(g)->made[0], DATATYPE_INT64, SHAPE(3), (const int64_t[]){__VA_ARGS__}, 24)

TEST(scaler_and_normalizer)
{
    Onnx__NodeProto *node;
    struct graph *g = ml_graph("Scaler", "Y", &node);
    graph_reals(g, node, "offset", REALS(1, 0.5F));
    graph_reals(g, node, "scale", REALS(2, 3));
    run_rows(g, 0);
    assert_floats(g, SHAPE(3, 2), 0, 4.5F, -8, 0, -2, -1.5F);
    static const struct {
        const char *norm;
        float wanted[6];
    } norms[] = {{"L1", {1.0F / 3, 2.0F / 3, -6.0F / 7, 1.0F / 7, 0, 0}},
                 {"L2", {0.4472136F, 0.8944272F, -0.98639394F, 0.16439899F, 0, 0}},
                 {"MAX", {0.5F, 1, -6, 1, 0, 0}}};
    for (size_t i = 0; i < COUNT_OF(norms); i++) {
        g = ml_graph("Normalizer", "Y", &node);
        graph_string(g, node, "norm", norms[i].norm);
        run_rows(g, 0);
        assert_near(&g->made[0], norms[i].wanted, 6);
    }
}

TEST(linear_models)
{
    Onnx__NodeProto *node;
    struct graph *g = ml_graph("LinearClassifier", "L Y", &node);
    graph_reals(g, node, "coefficients", REALS(0.5F, -1, 1, 0.25F, -0.5F, 0.75F));
    graph_reals(g, node, "intercepts", REALS(0.1F, -0.2F, 0.3F));
    graph_strings(g, node, "classlabels_strings", "a bc d");
    graph_string(g, node, "post_transform", "SOFTMAX");
    run_rows(g, STRING);
    assert_made(&g->made[0], DATATYPE_BYTES, SHAPE(3), "\2\0\0\0bc\1\0\0\0d\1\0\0\0d", 16);
    assert_near(&g->made[1], REALS(0.03251033F, 0.4837449F, 0.4837449F, 0.01662254F, 0.005133354F, 0.9782442F,
                                   0.3375845F, 0.2500888F, 0.4123267F));
    g = ml_graph("LinearClassifier", "L Y", &node);
    graph_reals(g, node, "coefficients", REALS(-0.5F, 1, 0.5F, -1));
    graph_reals(g, node, "intercepts", REALS(-0.25F, 0.25F));
    graph_ints(g, node, "classlabels_ints", SHAPE(4, 9));
    graph_string(g, node, "post_transform", "LOGISTIC");
    run_rows(g, INT64);
    assert_integers(g, 4, 4, 9);
    assert_near(&g->made[1], REALS(0.7772999F, 0.2227001F, 0.8519528F, 0.1480472F, 0.4378235F, 0.5621765F));
    g = ml_graph("LinearRegressor", "Y", &node);
    graph_reals(g, node, "coefficients", REALS(2, -1));
    graph_reals(g, node, "intercepts", REALS(0.5F));
    run_rows(g, 0);
    assert_floats(g, SHAPE(3, 1), 0.5F, -6, 0.5F);
}

/* Adds two trees: x0 <= 0 and x1 < 1. */
static void add_trees(struct graph *g, Onnx__NodeProto *node)
{
    graph_ints(g, node, "nodes_treeids", SHAPE(0, 0, 0, 1, 1, 1));
    graph_ints(g, node, "nodes_nodeids", SHAPE(0, 1, 2, 0, 1, 2));
    graph_ints(g, node, "nodes_featureids", SHAPE(0, 0, 0, 1, 0, 0));
    graph_ints(g, node, "nodes_truenodeids", SHAPE(1, 0, 0, 1, 0, 0));
    graph_ints(g, node, "nodes_falsenodeids", SHAPE(2, 0, 0, 2, 0, 0));
    graph_reals(g, node, "nodes_values", REALS(0, 0, 0, 1, 0, 0));
    graph_strings(g, node, "nodes_modes", "BRANCH_LEQ LEAF LEAF BRANCH_LT LEAF LEAF");
}

static void add_weights(struct graph *g, Onnx__NodeProto *node, bool is_classifier, const int64_t *targets,
                        const float *weights)
{
    graph_ints(g, node, is_classifier ? "class_treeids" : "target_treeids", SHAPE(0, 0, 1, 1));
    graph_ints(g, node, is_classifier ? "class_nodeids" : "target_nodeids", SHAPE(1, 2, 1, 2));
    graph_ints(g, node, is_classifier ? "class_ids" : "target_ids", targets, 4);
    graph_reals(g, node, is_classifier ? "class_weights" : "target_weights", weights, 4);
}

TEST(trees)
{
    static const int64_t none[4] = {0};
    Onnx__NodeProto *node;
    struct graph *g = ml_graph("TreeEnsembleRegressor", "Y", &node);
    add_trees(g, node);
    add_weights(g, node, false, none, (const float[]){1, 2, 0.25F, 0.5F});
    graph_reals(g, node, "base_values", REALS(10));
    run_rows(g, 0);
    assert_floats(g, SHAPE(3, 1), 12.5F, 11.25F, 11.25F);

    g = ml_graph("TreeEnsembleClassifier", "L Y", &node);
    add_trees(g, node);
    add_weights(g, node, true, none, (const float[]){0.25F, 0.5F, 0.125F, 0.5F});
    graph_ints(g, node, "classlabels_int64s", SHAPE(7, 8));
    run_rows(g, INT64);
    assert_integers(g, 8, 7, 7);
    assert_near(&g->made[1], REALS(0, 1, 0.625F, 0.375F, 0.625F, 0.375F));

    g = ml_graph("TreeEnsembleClassifier", "L Y", &node);
    add_trees(g, node);
    add_weights(g, node, true, none, (const float[]){-1, 0.5F, -0.125F, 0.5F});
    graph_ints(g, node, "classlabels_int64s", SHAPE(7, 8));
    graph_string(g, node, "post_transform", "LOGISTIC");
    run_rows(g, INT64);
    assert_integers(g, 8, 7, 7);
    assert_near(&g->made[1], REALS(0.2689414F, 0.7310586F, 0.754915F, 0.245085F, 0.754915F, 0.245085F));

    g = ml_graph("TreeEnsembleClassifier", "L Y", &node);
    add_trees(g, node);
    add_weights(g, node, true, (const int64_t[]){0, 1, 2, 1}, (const float[]){1, 0.5F, 0.25F, 0.5F});
    graph_strings(g, node, "classlabels_strings", "x y z");
    graph_string(g, node, "post_transform", "SOFTMAX");
    run_rows(g, STRING);
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
        Onnx__NodeProto *node;
        struct graph *g = ml_graph("TreeEnsembleRegressor", "Y", &node);
        add_trees(g, node);
        add_weights(g, node, false, (const int64_t[]){0, 0, 0, 0}, (const float[]){1, 2, 3, 4});
        for (size_t k = 0; k < node->n_attribute; k++)
            if (strcmp(node->attribute[k]->name, lists[i].list) == 0)
                memcpy(node->attribute[k]->ints, lists[i].values, sizeof(lists[i].values));
        graph_output(g, "Y", FLOAT, SHAPE(-1, -1));
        if (lists[i].word)
            assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "Tree", lists[i].word);
        else
            assert_ok(graph_load(g));
    }
}

static Onnx__NodeProto *svm_node(struct graph **g, bool is_classifier, const char *kernel)
{
    Onnx__NodeProto *node;
    *g = ml_graph(is_classifier ? "SVMClassifier" : "SVMRegressor", is_classifier ? "L Y" : "Y", &node);
    graph_string(*g, node, "kernel_type", kernel);
    return node;
}

TEST(support_vectors)
{
    struct graph *g;
    Onnx__NodeProto *node = svm_node(&g, false, "RBF");
    graph_reals(g, node, "kernel_params", REALS(0.5F, 0, 3));
    graph_reals(g, node, "support_vectors", REALS(1, 0, 0, 1, -1, 0.5F));
    graph_reals(g, node, "coefficients", REALS(1, -0.5F, 0.25F));
    graph_reals(g, node, "rho", REALS(0.125F));
    graph_int(g, node, "n_supports", 3);
    run_rows(g, 0);
    assert_near(&g->made[0], REALS(0.08737979F, 0.154228F, 0.5620807F));
    for (int probable = 0; probable < 2; probable++) {
        node = svm_node(&g, true, "RBF");
        graph_reals(g, node, "kernel_params", REALS(0.5F, 0, 3));
        graph_reals(g, node, "support_vectors", REALS(1, 0, 0, 1, -1, 0.5F));
        graph_reals(g, node, "coefficients", REALS(1, -0.5F, 0.25F, 0.75F, -1, 0.5F));
        graph_reals(g, node, "rho", REALS(0.125F, -0.25F, 0.5F));
        graph_ints(g, node, "vectors_per_class", SHAPE(1, 1, 1));
        graph_ints(g, node, "classlabels_ints", SHAPE(3, 5, 6));
        if (probable) {
            graph_reals(g, node, "prob_a", REALS(-1, -2, -1.5F));
            graph_reals(g, node, "prob_b", REALS(0.1F, 0.2F, 0.3F));
        }
        run_rows(g, INT64);
        assert_integers(g, 3, 3, 3);
        static const float sums[] = {0.07639556F, -0.1375143F, 0.154089F,  0.1203942F, -0.2159441F,
                                     0.557864F,   0.4282653F,  0.3387133F, 0.1611001F},
                           probabilities[] = {0.2763857F, 0.3309018F, 0.3927124F, 0.277037F, 0.3993713F,
                                              0.3235916F, 0.4273759F, 0.2905174F, 0.2821067F};
        assert_near(&g->made[1], probable ? probabilities : sums, 9);
    }
    node = svm_node(&g, true, "POLY");
    graph_reals(g, node, "kernel_params", REALS(0.5F, 1, 2));
    graph_reals(g, node, "support_vectors", REALS(1, 0, 0, 1));
    graph_reals(g, node, "coefficients", REALS(1, -0.5F));
    graph_reals(g, node, "rho", REALS(0.125F));
    graph_ints(g, node, "vectors_per_class", SHAPE(1, 1));
    graph_ints(g, node, "classlabels_ints", SHAPE(3, 5));
    run_rows(g, INT64);
    assert_integers(g, 3, 5, 3);
    assert_near(&g->made[1], REALS(-0.375F, 0.375F, 0.40625F, -0.40625F, -0.625F, 0.625F));
}

TEST(transforms_that_are_not_known_are_refused)
{
    Onnx__NodeProto *node;
    struct graph *g = ml_graph("LinearRegressor", "Y", &node);
    graph_string(g, node, "post_transform", "PROBIT");
    assert_fails(graph_load(g), STATUS_UNIMPLEMENTED, "'post_transform' is 'PROBIT', which is not supported");
    g = ml_graph("LinearRegressor", "Y", &node);
    graph_string(g, node, "post_transform", "SOFT");
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "'post_transform' is 'SOFT'");
}

TEST(lists_that_do_not_fit_are_refused)
{
    Onnx__NodeProto *node;
    struct graph *g = ml_graph("LinearRegressor", "Y", &node);
    graph_reals(g, node, "coefficients", REALS(2, -1, 3));
    graph_output(g, "Y", FLOAT, SHAPE(-1, -1));
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "3 coefficients", "2 features");
    node = svm_node(&g, true, "RBF");
    graph_reals(g, node, "support_vectors", REALS(1, 0, 0, 1));
    graph_reals(g, node, "coefficients", REALS(1, -0.5F));
    graph_reals(g, node, "rho", REALS(0.125F));
    graph_ints(g, node, "vectors_per_class", SHAPE(INT64_MAX, 2));
    graph_ints(g, node, "classlabels_ints", SHAPE(3, 5));
    graph_output(g, "L", INT64, SHAPE(-1));
    graph_output(g, "Y", FLOAT, SHAPE(-1, -1));
    assert_fails(graph_load(g), STATUS_INVALID_ARGUMENT, "vectors");
}

TEST(chosen_columns)
{
    static const int64_t wrong[] = {2, -1};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Onnx__NodeProto *node;
        struct graph *g = ml_graph("ArrayFeatureExtractor", "Y", &node);
        graph_input(g, "columns", INT64, SHAPE(-1));
        graph_append(g, node->input, node->n_input, graph_text(g, "columns"));
        graph_output(g, "Y", FLOAT, SHAPE(-1, -1));
        graph_give_floats(g, SHAPE(2, 2), 1, 2, -3, 0.5F);
        graph_give(g, SHAPE(3), (const int64_t[]){1, 0, 1}, 3);
        assert_ok(graph_run(g));
        assert_floats(g, SHAPE(2, 3), 2, 1, 2, 0.5F, -3, 0.5F);
        graph_give_floats(g, SHAPE(2, 2), 1, 2, -3, 0.5F);
        graph_give(g, SHAPE(1), &wrong[i], 1);
        assert_fails(graph_run(g), STATUS_INVALID_ARGUMENT, "of 2");
    }
}
