/* The table of the operators that this server runs. An operator whose meaning changed between opsets has a row for each
 * meaning. */
#include "base/search.h"
#include "engine/families.h"

/* The outer parentheses keep the commas together where one macro calls another. */
#define ATTRIBUTES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Each row has a name, the first opset, the fewest and the most inputs, the most outputs, the datatypes of the inputs,
 * attributes (without those that are in columns: axis and lists), the family with its functions, and other columns
 * (struct onnx_operator). */
#define ROW(NAME, SINCE, LEAST, MOST, OUTPUTS, TAKES, ...)                                                             \
    .name = (NAME), .since = (SINCE), .inputs_min = (LEAST), .inputs_max = (MOST), .outputs_max = (OUTPUTS),           \
    .takes = (TAKES), .attributes = __VA_ARGS__
#define OPERATOR(NAME, SINCE, LEAST, MOST, OUTPUTS, TAKES, NAMES, FAMILY, ...)                                         \
    {                                                                                                                  \
        ROW(NAME, SINCE, LEAST, MOST, OUTPUTS, TAKES, NAMES), .infer = FAMILY##_infer, .compute = FAMILY##_compute,    \
                                                              __VA_ARGS__                                              \
    }
/* The output is like the first input, but for what other columns say. */
#define LIKE_INPUT(NAME, SINCE, TAKES, NAMES, FAMILY, ...)                                                             \
    {                                                                                                                  \
        ROW(NAME, SINCE, 1, 1, 1, TAKES, NAMES), .compute = FAMILY##_compute, __VA_ARGS__                              \
    }
#define VIEW(NAME, SINCE, LEAST, MOST, NAMES, FAMILY, ...)                                                             \
    {                                                                                                                  \
        ROW(NAME, SINCE, LEAST, MOST, 1, ".", NAMES), .infer = FAMILY##_infer, .is_view = true, __VA_ARGS__            \
    }
#define LOADS(FAMILY) .load = FAMILY##_load
#define HEAVY(FAMILY) LOADS(FAMILY), .is_heavy = true

#define RECURRENT(NAME, SINCE, OUTPUTS, ATTRIBUTE)                                                                     \
    OPERATOR(NAME, SINCE, 3, 8, OUTPUTS, "ffffsf",                                                                     \
             ATTRIBUTES(DIRECTION, "activations", "hidden_size", "layout=0|!1", ATTRIBUTE), recurrent,                 \
             HEAVY(recurrent))
#define TREES(NAME, OUTPUTS, ...)                                                                                      \
    OPERATOR(ML NAME, 1, 1, 1, OUTPUTS, "n",                                                                           \
             ATTRIBUTES(TRANSFORM, "nodes_falsenodeids", "nodes_featureids", "nodes_hitrates",                         \
                        "nodes_missing_value_tracks_true", "nodes_modes", "nodes_nodeids", "nodes_treeids",            \
                        "nodes_truenodeids", "nodes_values", __VA_ARGS__),                                             \
             trees, LOADS(trees), ANY_RANK, RANKS(1, 2))
#define BINARY(NAME, SINCE, LEAST, MOST, ATTRIBUTE, RESULT, ...)                                                       \
    OPERATOR(#NAME, SINCE, LEAST, MOST, 1, ".0", ATTRIBUTES(ATTRIBUTE), binary, LOADS(binary), ANY_LAYOUT,             \
             .gives = DATATYPE_##RESULT),
#define UNARY_ROW(NAME, SINCE, NAMES, ...)                                                                             \
    LIKE_INPUT(NAME, SINCE, ".", NAMES, unary, LOADS(unary), ANY_LAYOUT, __VA_ARGS__)
#define UNARY(NAME, SINCE, FUNCTION) UNARY_ROW(#NAME, SINCE, NONE),
#define REDUCE(NAME)                 OPERATOR(NAME, 1, 1, 1, 1, "*", ATTRIBUTES(REDUCTION), reduce, LIST("axes", 1))
#define POSITION(NAME)                                                                                                 \
    OPERATOR(NAME, 1, 1, 1, 1, "*", ATTRIBUTES("keepdims", "select_last_index"), reduce, AXIS(OF_INPUT, 0),            \
             GIVES(INT64))

#define NONE NULL
#define ML   "ai.onnx.ml."

#define ANY_LAYOUT .layout = LAYOUT_ANY
#define FOLLOW     .layout = LAYOUT_FOLLOW
#define PREFER     .layout = LAYOUT_PREFER
#define ONLY_SHAPE .only_shape = true

#define GIVES(DATATYPE)          .gives = DATATYPE_##DATATYPE
#define AXIS(OF, OTHERWISE)      .axis = AXIS_##OF, .axis_otherwise = (OTHERWISE)
#define LIST(ATTRIBUTE, INPUT)   .list = (ATTRIBUTE), .listed = (INPUT)
#define SHAPED(ATTRIBUTE, INPUT) LIST(ATTRIBUTE, INPUT), .shaped_by_list = true

#define ANY_RANK           .any_rank = true
#define LIKE(INPUT)        .like = (INPUT)
#define RANKS(LEAST, MOST) .rank_min = (LEAST), .rank_max = (MOST)

/* What several operators have among their attributes. */
#define REDUCTION "keepdims", "noop_with_empty_axes"
#define LOSS      "ignore_index", "reduction=mean|sum|none"
#define WINDOW    "auto_pad=NOTSET|VALID|SAME_UPPER|SAME_LOWER", "kernel_shape", "pads", "strides"
#define DIRECTION "direction=forward|reverse|bidirectional"
#define TRANSFORM "post_transform=NONE|SOFTMAX|LOGISTIC|SOFTMAX_ZERO|!PROBIT"
#define KERNEL    "kernel_params", "kernel_type=LINEAR|POLY|RBF|SIGMOID"
#define LABELS    "classlabels_ints", "classlabels_strings"

static const struct onnx_operator operators[] = {
    EACH_BINARY(BINARY) EACH_UNARY(UNARY) EACH_FAST_UNARY(UNARY) UNARY_ROW("Not", 1, NONE),
    OPERATOR("Pow", 7, 2, 2, 1, "*", NONE, binary, LOADS(binary), ANY_LAYOUT),
    UNARY_ROW("LeakyRelu", 6, ATTRIBUTES("alpha")),
    UNARY_ROW("Elu", 6, ATTRIBUTES("alpha")),
    UNARY_ROW("Celu", 12, ATTRIBUTES("alpha")),
    UNARY_ROW("Selu", 6, ATTRIBUTES("alpha", "gamma")),
    UNARY_ROW("HardSigmoid", 6, ATTRIBUTES("alpha", "beta")),
    UNARY_ROW("ThresholdedRelu", 10, ATTRIBUTES("alpha")),
    UNARY_ROW("Shrink", 9, ATTRIBUTES("bias", "lambd")),
    UNARY_ROW("IsNaN", 9, NONE, GIVES(BOOL)),
    UNARY_ROW("IsInf", 10, ATTRIBUTES("detect_negative", "detect_positive"), GIVES(BOOL)),
    OPERATOR("Clip", 6, 1, 3, 1, "*0", ATTRIBUTES("min", "max"), unary, LOADS(unary), ANY_LAYOUT),

    OPERATOR("Gemm", 7, 2, 3, 1, ".0", ATTRIBUTES("alpha", "beta", "transA", "transB"), gemm, HEAVY(gemm)),
    OPERATOR("MatMul", 1, 2, 2, 1, ".0", NONE, matmul, HEAVY(gemm)),
    OPERATOR("Conv", 1, 2, 3, 1, "f", ATTRIBUTES(WINDOW, "dilations", "group"), conv, HEAVY(conv), PREFER),
    OPERATOR("MaxPool", 1, 1, 1, 1, "f", ATTRIBUTES(WINDOW, "ceil_mode", "dilations", "storage_order=0|!1"), pool,
             HEAVY(pool), FOLLOW),
    OPERATOR("AveragePool", 7, 1, 1, 1, "f", ATTRIBUTES(WINDOW, "ceil_mode", "count_include_pad"), pool, HEAVY(pool),
             FOLLOW),
    OPERATOR("GlobalMaxPool", 1, 1, 1, 1, "f", NONE, pool, HEAVY(pool), FOLLOW),
    OPERATOR("GlobalAveragePool", 1, 1, 1, 1, "f", NONE, pool, HEAVY(pool), FOLLOW),
    LIKE_INPUT("Softmax", 1, "f", NONE, softmax, HEAVY(softmax), AXIS(OR_END, 1), .until = 12),
    LIKE_INPUT("Softmax", 13, "f", NONE, softmax, HEAVY(softmax), AXIS(OF_LIST, -1)),
    LIKE_INPUT("LogSoftmax", 1, "f", NONE, softmax, HEAVY(softmax), AXIS(OR_END, 1), .until = 12),
    LIKE_INPUT("LogSoftmax", 13, "f", NONE, softmax, HEAVY(softmax), AXIS(OF_LIST, -1)),

    {ROW("Constant", 1, 0, 0, 1, ".",
         ATTRIBUTES("value", "value_float", "value_floats", "value_int", "value_ints", "value_string",
                    "value_strings")),
     .infer = constant_infer, LOADS(constant)},
    OPERATOR("Identity", 1, 1, 1, 1, ".", NONE, cast, ANY_LAYOUT, .is_view = true),
    OPERATOR("Cast", 6, 1, 1, 1, ".", ATTRIBUTES("to"), cast, ANY_LAYOUT, ANY_RANK, .is_view = true),
    OPERATOR("CastLike", 15, 2, 2, 1, ".", NONE, cast, ANY_RANK, .is_view = true),
    VIEW("Reshape", 5, 2, 2, ATTRIBUTES("allowzero"), reshape, SHAPED(NULL, 1)),
    VIEW("Flatten", 1, 1, 1, NONE, flatten, AXIS(OR_END, 1)),
    VIEW("Squeeze", 1, 1, 1, NONE, squeeze, SHAPED("axes", 1), .until = 12),
    VIEW("Squeeze", 13, 1, 2, NONE, squeeze, SHAPED(NULL, 1)),
    VIEW("Unsqueeze", 1, 1, 1, NONE, unsqueeze, SHAPED("axes", 1), .until = 12),
    VIEW("Unsqueeze", 13, 2, 2, NONE, unsqueeze, SHAPED(NULL, 1)),
    OPERATOR("Dropout", 7, 1, 3, 2, ".", ATTRIBUTES("ratio", "seed"), dropout, ANY_LAYOUT, ANY_RANK, .is_view = true),
    OPERATOR("Transpose", 1, 1, 1, 1, "*", ATTRIBUTES("perm"), transpose),

    OPERATOR("Concat", 4, 1, VARIADIC, 1, "*0", NONE, concat, FOLLOW, AXIS(OF_INPUT, 1)),
    OPERATOR("Split", 2, 1, 2, 16, "*i", NONE, split, AXIS(OF_INPUT, 0), LIST("split", 1)),
    OPERATOR("Slice", 1, 1, 5, 1, "*i", ATTRIBUTES("axes", "ends", "starts"), slice),
    OPERATOR("Pad", 2, 1, 3, 1, "*i0", ATTRIBUTES("mode=constant|reflect|edge", "value"), pad, FOLLOW, LIST("pads", 1)),
    OPERATOR("Tile", 6, 2, 2, 1, "*i", NONE, tile, LIST(NULL, 1)),
    OPERATOR("Expand", 8, 2, 2, 1, "*i", NONE, expand, SHAPED(NULL, 1)),
    OPERATOR("Where", 9, 3, 3, 1, "b*1", NONE, where, LIKE(1)),
    OPERATOR("Gather", 1, 2, 2, 1, "*i", NONE, gather, AXIS(OF_INPUT, 0)),
    OPERATOR("GatherElements", 11, 2, 2, 1, "*i", NONE, elements, AXIS(OF_INPUT, 0)),
    OPERATOR("Scatter", 9, 3, 3, 1, "*i0", NONE, elements, AXIS(OF_INPUT, 0), .until = 10),
    OPERATOR("ScatterElements", 11, 3, 3, 1, "*i0", ATTRIBUTES("reduction"), elements, AXIS(OF_INPUT, 0)),
    OPERATOR("GatherND", 11, 2, 2, 1, "*i", ATTRIBUTES("batch_dims"), nd),
    OPERATOR("ScatterND", 11, 3, 3, 1, "*i0", ATTRIBUTES("reduction"), nd),
    OPERATOR("OneHot", 9, 3, 3, 1, "*", NONE, one_hot, AXIS(OF_MADE, -1), LIKE(2)),
    OPERATOR("DepthToSpace", 1, 1, 1, 1, "*", ATTRIBUTES("blocksize", "mode=DCR|CRD"), space, RANKS(4, 4)),
    OPERATOR("SpaceToDepth", 1, 1, 1, 1, "*", ATTRIBUTES("blocksize"), space, RANKS(4, 4)),

    OPERATOR("Shape", 1, 1, 1, 1, ".", ATTRIBUTES("start", "end"), shape, ONLY_SHAPE, GIVES(INT64)),
    OPERATOR("Size", 1, 1, 1, 1, ".", NONE, size, ONLY_SHAPE, GIVES(INT64)),
    OPERATOR("ConstantOfShape", 9, 1, 1, 1, "i", ATTRIBUTES("value"), constant_of_shape, ANY_RANK),
    OPERATOR("Range", 11, 3, 3, 1, "n0", NONE, range),

    OPERATOR("Trilu", 14, 1, 2, 1, "*i", ATTRIBUTES("upper"), trilu, LIST(NULL, 1), RANKS(2, TENSOR_RANK_MAX)),

    OPERATOR("ReduceSum", 1, 1, 2, 1, "*i", ATTRIBUTES(REDUCTION), reduce, LIST("axes", 1)),
    REDUCE("ReduceMean"),
    REDUCE("ReduceProd"),
    REDUCE("ReduceMax"),
    REDUCE("ReduceMin"),
    REDUCE("ReduceL1"),
    REDUCE("ReduceL2"),
    REDUCE("ReduceSumSquare"),
    REDUCE("ReduceLogSum"),
    REDUCE("ReduceLogSumExp"),
    POSITION("ArgMax"),
    POSITION("ArgMin"),

    LIKE_INPUT("Hardmax", 13, "f", NONE, hardmax, AXIS(OF_INPUT, -1)),
    OPERATOR("CumSum", 11, 2, 2, 1, "*i", ATTRIBUTES("exclusive", "reverse"), cumsum, LIST(NULL, 1)),
    OPERATOR("NegativeLogLikelihoodLoss", 12, 2, 3, 1, "fif", ATTRIBUTES(LOSS), loss),
    OPERATOR("SoftmaxCrossEntropyLoss", 12, 2, 3, 2, "fif", ATTRIBUTES(LOSS), loss),

    OPERATOR("BatchNormalization", 9, 5, 5, 1, "f", ATTRIBUTES("epsilon", "momentum", "training_mode=0|!1"), batch,
             FOLLOW, RANKS(1, TENSOR_RANK_MAX)),
    OPERATOR("InstanceNormalization", 6, 3, 3, 1, "f", ATTRIBUTES("epsilon"), instance, RANKS(2, TENSOR_RANK_MAX)),
    OPERATOR("LayerNormalization", 17, 2, 3, 3, "f", ATTRIBUTES("epsilon", "stash_type"), layer, AXIS(OF_INPUT, -1)),
    OPERATOR("LRN", 1, 1, 1, 1, "f", ATTRIBUTES("alpha", "beta", "bias", "size"), lrn, RANKS(2, TENSOR_RANK_MAX)),

    RECURRENT("LSTM", 8, 3, "input_forget=0|!1"),
    RECURRENT("GRU", 6, 2, "linear_before_reset"),
    RECURRENT("RNN", 6, 2, "hidden_size"),

    OPERATOR(ML "Scaler", 1, 1, 1, 1, "n", ATTRIBUTES("offset", "scale"), scaler, GIVES(FP32), RANKS(1, 2)),
    LIKE_INPUT(ML "Normalizer", 1, "n", ATTRIBUTES("norm=MAX|L1|L2"), normalizer, GIVES(FP32), RANKS(1, 2)),
    OPERATOR(ML "ArrayFeatureExtractor", 1, 2, 2, 1, "*l", NONE, extractor, RANKS(1, TENSOR_RANK_MAX)),
    OPERATOR(ML "LinearRegressor", 1, 1, 1, 1, "n", ATTRIBUTES(TRANSFORM, "coefficients", "intercepts", "targets"),
             linear, ANY_RANK, RANKS(1, 2)),
    OPERATOR(ML "LinearClassifier", 1, 1, 1, 2, "n",
             ATTRIBUTES(TRANSFORM, LABELS, "coefficients", "intercepts", "multi_class"), linear, ANY_RANK, RANKS(1, 2)),
    OPERATOR(ML "SVMRegressor", 1, 1, 1, 1, "n",
             ATTRIBUTES(TRANSFORM, KERNEL, "coefficients", "n_supports", "one_class=0|!1", "rho", "support_vectors"),
             svm, ANY_RANK, RANKS(1, 2)),
    OPERATOR(ML "SVMClassifier", 1, 1, 1, 2, "n",
             ATTRIBUTES(TRANSFORM, LABELS, KERNEL, "coefficients", "prob_a", "prob_b", "rho", "support_vectors",
                        "vectors_per_class"),
             svm, ANY_RANK, RANKS(1, 2)),
    TREES("TreeEnsembleRegressor", 1, "aggregate_function=SUM|AVERAGE|!MIN|!MAX", "base_values", "n_targets",
          "target_ids", "target_nodeids", "target_treeids", "target_weights"),
    TREES("TreeEnsembleClassifier", 2, "base_values", "class_ids", "class_nodeids", "class_treeids", "class_weights",
          "classlabels_int64s", "classlabels_strings"),
};

const struct onnx_operator *operator_named(const char *name, int64_t opset, bool *known)
{
    for (size_t i = 0; i < COUNT_OF(operators); i++) {
        const struct onnx_operator *row = &operators[i];
        if (strcmp(row->name, name) != 0)
            continue;
        *known = true;
        if (opset >= row->since && (row->until == 0 || opset <= row->until))
            return row;
    }
    return NULL;
}
