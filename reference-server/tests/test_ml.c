/* Operators of the domain ai.onnx.ml. The expected values are onnxruntime's. */
#include "graph.h"

/* An operator over three rows of X [-1,2], which makes Y, or labels of a type and Y. */
#define MODEL(NODE)        "X FLOAT[-1,2]; Y = ml." NODE " X; -> Y FLOAT[-1,-1]"
#define LABELS(TYPE, NODE) "X FLOAT[-1,2]; L Y = ml." NODE " X; -> L " TYPE "[-1]; -> Y FLOAT[-1,-1]"
#define THREE_ROWS         "FLOAT[3,2] 1 2 -3 0.5 0 0"

TEST(scaler_and_normalizer)
{
    static const struct graph_case rows[] = {
        {MODEL("Scaler offset=[1.0,0.5] scale=[2.0,3.0]"), THREE_ROWS, "FLOAT[3,2] 0 4.5 -8 0 -2 -1.5"},
        {MODEL("Normalizer norm=L1"), THREE_ROWS, "FLOAT[3,2] 0.33333334 0.6666667 -0.85714287 0.14285715 0 0"},
        {MODEL("Normalizer norm=L2"), THREE_ROWS, "FLOAT[3,2] 0.4472136 0.8944272 -0.98639394 0.16439899 0 0"},
        {MODEL("Normalizer norm=MAX"), THREE_ROWS, "FLOAT[3,2] 0.5 1 -6 1 0 0"},
    };
    assert_cases(13, rows);
}

TEST(linear_models)
{
    static const struct graph_case rows[] = {
        {LABELS("STRING", "LinearClassifier coefficients=[0.5,-1.0,1.0,0.25,-0.5,0.75] intercepts=[0.1,-0.2,0.3] "
                          "classlabels_strings=[a,bc,d] post_transform=SOFTMAX"),
         THREE_ROWS,
         "STRING[3] bc d d; FLOAT[3,3] 0.03251033 0.4837449 0.4837449 0.01662254 0.005133354 0.9782442 0.3375845 "
         "0.2500888 0.4123267"},
        {LABELS("INT64", "LinearClassifier coefficients=[-0.5,1.0,0.5,-1.0] intercepts=[-0.25,0.25] "
                         "classlabels_ints=[4,9] post_transform=LOGISTIC"),
         THREE_ROWS, "INT64[3] 4 4 9; FLOAT[3,2] 0.7772999 0.2227001 0.8519528 0.1480472 0.4378235 0.5621765"},
        {MODEL("LinearRegressor coefficients=[2.0,-1.0] intercepts=[0.5]"), THREE_ROWS, "FLOAT[3,1] 0.5 -6 0.5"},
        {MODEL("LinearRegressor coefficients=[2.0,-1.0,3.0]"), NULL,
         "refused: 3 coefficients and 0 intercepts for 2 features"},
        {MODEL("LinearRegressor post_transform=PROBIT"), NULL,
         "unsupported: 'post_transform' is 'PROBIT', which is not supported"},
        {MODEL("LinearRegressor post_transform=SOFT"), NULL, "refused: 'post_transform' is 'SOFT'"},
    };
    assert_cases(13, rows);
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
    static const struct graph_case rows[] = {
        {MODEL("TreeEnsembleRegressor base_values=[10.0]" TREES LEAVES("target", "[0,0,0,0]", "[1.0,2.0,0.25,0.5]")),
         THREE_ROWS, "FLOAT[3,1] 12.5 11.25 11.25"},
        {LABELS("INT64", "TreeEnsembleClassifier classlabels_int64s=[7,8]" TREES LEAVES("class", "[0,0,0,0]",
                                                                                        "[0.25,0.5,0.125,0.5]")),
         THREE_ROWS, "INT64[3] 8 7 7; FLOAT[3,2] 0 1 0.625 0.375 0.625 0.375"},
        {LABELS("INT64", "TreeEnsembleClassifier classlabels_int64s=[7,8] post_transform=LOGISTIC" TREES LEAVES(
                             "class", "[0,0,0,0]", "[-1.0,0.5,-0.125,0.5]")),
         THREE_ROWS, "INT64[3] 8 7 7; FLOAT[3,2] 0.2689414 0.7310586 0.754915 0.245085 0.754915 0.245085"},
        {LABELS("STRING", "TreeEnsembleClassifier classlabels_strings=[x,y,z] post_transform=SOFTMAX" TREES LEAVES(
                              "class", "[0,1,2,1]", "[1.0,0.5,0.25,0.5]")),
         THREE_ROWS,
         "STRING[3] y x x; FLOAT[3,3] 0.2119416 0.5761169 0.2119416 0.5434056 0.1999078 0.2566866 0.5434056 0.1999078 "
         "0.2566866"},
    };
    assert_cases(13, rows);
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
            graph_of(13, MODEL("TreeEnsembleRegressor" TREES LEAVES("target", "[0,0,0,0]", "[1.0,2.0,3.0,4.0]")));
        const Onnx__NodeProto *node = graph_last(g);
        for (size_t k = 0; k < node->n_attribute; k++)
            if (strcmp(node->attribute[k]->name, lists[i].list) == 0)
                memcpy(node->attribute[k]->ints, lists[i].values, sizeof(lists[i].values));
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
    static const struct graph_case rows[] = {
        {MODEL("SVMRegressor " VECTORS "coefficients=[1.0,-0.5,0.25] rho=[0.125] n_supports=3"), THREE_ROWS,
         "FLOAT[3,1] 0.08737979 0.154228 0.5620807"},
        {LABELS("INT64", THREE), THREE_ROWS,
         "INT64[3] 3 3 3; FLOAT[3,3] 0.07639556 -0.1375143 0.154089 0.1203942 -0.2159441 0.557864 0.4282653 0.3387133 "
         "0.1611001"},
        {LABELS("INT64", THREE " prob_a=[-1.0,-2.0,-1.5] prob_b=[0.1,0.2,0.3]"), THREE_ROWS,
         "INT64[3] 3 3 3; FLOAT[3,3] 0.2763857 0.3309018 0.3927124 0.277037 0.3993713 0.3235916 0.4273759 0.2905174 "
         "0.2821067"},
        {LABELS("INT64",
                "SVMClassifier kernel_type=POLY kernel_params=[0.5,1.0,2.0] rho=[0.125] vectors_per_class=[1,1] "
                "support_vectors=[1.0,0.0,0.0,1.0] coefficients=[1.0,-0.5] classlabels_ints=[3,5]"),
         THREE_ROWS, "INT64[3] 3 5 3; FLOAT[3,2] -0.375 0.375 0.40625 -0.40625 -0.625 0.625"},
        {LABELS("INT64", "SVMClassifier support_vectors=[1.0,0.0,0.0,1.0] coefficients=[1.0,-0.5] rho=[0.125] "
                         "vectors_per_class=[9223372036854775807,2] classlabels_ints=[3,5]"),
         NULL, "refused: vectors"},
        {LABELS("INT64", "SVMClassifier support_vectors=[1.0,0.0] coefficients=[] rho=[] vectors_per_class=[1] "
                         "classlabels_ints=[3]"),
         NULL, "refused: vectors_per_class does not fit 1 labels"},
    };
    assert_cases(13, rows);
}

TEST(chosen_columns)
{
#define CHOSEN "X FLOAT[-1,2]; columns INT64[-1]; Y = ml.ArrayFeatureExtractor X columns; -> Y FLOAT[-1,-1]"
    static const struct graph_case rows[] = {
        {CHOSEN, "FLOAT[2,2] 1 2 -3 0.5; INT64[3] 1 0 1", "FLOAT[2,3] 2 1 2 0.5 -3 0.5"},
        {CHOSEN, "FLOAT[2,2] 1 2 -3 0.5; INT64[1] 2", "refused: of 2"},
        {CHOSEN, "FLOAT[2,2] 1 2 -3 0.5; INT64[1] -1", "refused: of 2"},
    };
    assert_cases(13, rows);
}
