/* The table of the operators that this server runs. An operator whose meaning changed between opsets has a row for each
 * meaning. */
#include "base/count.h"
#include "engine/families.h"

#define ATTRIBUTES(...)                                                                                                \
    (const char *const[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }

/* Each row has a name, the first opset, the fewest and the most inputs, and attributes. Then follow, in the long form:
 * the family, whose functions load and run; if it keeps primitives of oneDNN, the function that unloads; and what plans
 * must know. */
#define ROW(NAME, SINCE, LEAST, MOST, OUTPUTS, ...)                                                                    \
    .name = (NAME), .since = (SINCE), .inputs_min = (LEAST), .inputs_max = (MOST), .outputs_max = (OUTPUTS),           \
    .attributes = __VA_ARGS__
#define LONG(NAME, SINCE, LEAST, MOST, NAMES, FAMILY, ...)                                                             \
    {                                                                                                                  \
        ROW(NAME, SINCE, LEAST, MOST, 1, NAMES), .load = FAMILY##_load, .run = FAMILY##_run, __VA_ARGS__               \
    }
#define ONEDNN(NAME, SINCE, LEAST, MOST, NAMES, FAMILY, UNLOAD, ...)                                                   \
    {                                                                                                                  \
        ROW(NAME, SINCE, LEAST, MOST, 1, NAMES), .load = FAMILY##_load, .run = FAMILY##_run, .unload = (UNLOAD),       \
                                                 .uses_onednn = true, __VA_ARGS__                                      \
    }

/* In the short form: the most outputs, attributes, the family, with a shape function and a kernel; and the same. */
#define SHORT(NAME, SINCE, LEAST, MOST, OUTPUTS, NAMES, FAMILY, ...)                                                   \
    {                                                                                                                  \
        ROW(NAME, SINCE, LEAST, MOST, OUTPUTS, NAMES), .infer = FAMILY##_infer, .compute = FAMILY##_compute,           \
                                                       __VA_ARGS__                                                     \
    }
#define RECURRENT(NAME, SINCE, OUTPUTS, ATTRIBUTE)                                                                     \
    SHORT(NAME, SINCE, 3, 8, OUTPUTS, ATTRIBUTES("activations", "direction", "hidden_size", "layout", ATTRIBUTE),      \
          recurrent, .uses_onednn = true)
#define TREES(NAME, FAMILY, OUTPUTS, ...)                                                                              \
    SHORT(ML NAME, 1, 1, 1, OUTPUTS,                                                                                   \
          ATTRIBUTES("nodes_falsenodeids", "nodes_featureids", "nodes_hitrates", "nodes_missing_value_tracks_true",    \
                     "nodes_modes", "nodes_nodeids", "nodes_treeids", "nodes_truenodeids", "nodes_values",             \
                     "post_transform", __VA_ARGS__),                                                                   \
          FAMILY, .load = FAMILY##_load)

#define NONE      NULL
#define ML        "ai.onnx.ml."
#define REDUCTION ATTRIBUTES("axes", "keepdims", "noop_with_empty_axes")

#define PLAIN      .layout = LAYOUT_ROW_MAJOR
#define ANY        .layout = LAYOUT_ANY
#define FOLLOW     .layout = LAYOUT_FOLLOW
#define LAST       .layout = LAYOUT_LAST
#define VIEW       .is_view = true
#define ONLY_SHAPE .only_shape = true

static const struct onnx_operator operators[] = {
    LONG("Add", 7, 2, 2, NONE, binary, ANY),
    LONG("Sub", 7, 2, 2, NONE, binary, ANY),
    LONG("Mul", 7, 2, 2, NONE, binary, ANY),
    LONG("Div", 7, 2, 2, NONE, binary, ANY),
    LONG("Sum", 8, 1, VARIADIC, NONE, binary, ANY),
    LONG("Mean", 8, 1, VARIADIC, NONE, binary, ANY),
    LONG("Min", 8, 1, VARIADIC, NONE, binary, ANY),
    LONG("Max", 8, 1, VARIADIC, NONE, binary, ANY),
    LONG("Mod", 10, 2, 2, ATTRIBUTES("fmod"), binary, ANY),
    LONG("BitShift", 11, 2, 2, ATTRIBUTES("direction"), binary, ANY),
    LONG("PRelu", 7, 2, 2, NONE, binary, ANY),
    LONG("Pow", 7, 2, 2, NONE, pow, ANY),
    LONG("Equal", 7, 2, 2, NONE, binary, ANY),
    LONG("Less", 7, 2, 2, NONE, binary, ANY),
    LONG("LessOrEqual", 12, 2, 2, NONE, binary, ANY),
    LONG("Greater", 7, 2, 2, NONE, binary, ANY),
    LONG("GreaterOrEqual", 12, 2, 2, NONE, binary, ANY),
    LONG("And", 7, 2, 2, NONE, binary, ANY),
    LONG("Or", 7, 2, 2, NONE, binary, ANY),
    LONG("Xor", 7, 2, 2, NONE, binary, ANY),

    LONG("Relu", 6, 1, 1, NONE, unary, ANY),
    LONG("Neg", 6, 1, 1, NONE, unary, ANY),
    LONG("Abs", 6, 1, 1, NONE, unary, ANY),
    LONG("Sqrt", 6, 1, 1, NONE, unary, ANY),
    LONG("Exp", 6, 1, 1, NONE, unary, ANY),
    LONG("Log", 6, 1, 1, NONE, unary, ANY),
    LONG("Sigmoid", 6, 1, 1, NONE, unary, ANY),
    LONG("Tanh", 6, 1, 1, NONE, unary, ANY),
    LONG("Floor", 6, 1, 1, NONE, unary, ANY),
    LONG("Ceil", 6, 1, 1, NONE, unary, ANY),
    LONG("Not", 1, 1, 1, NONE, unary, ANY),
    LONG("Erf", 9, 1, 1, NONE, unary, ANY),
    LONG("Sign", 9, 1, 1, NONE, unary, ANY),
    LONG("Reciprocal", 6, 1, 1, NONE, unary, ANY),
    LONG("Round", 11, 1, 1, NONE, unary, ANY),
    LONG("Softplus", 1, 1, 1, NONE, unary, ANY),
    LONG("Softsign", 1, 1, 1, NONE, unary, ANY),
    LONG("HardSwish", 14, 1, 1, NONE, unary, ANY),
    LONG("Sin", 7, 1, 1, NONE, unary, ANY),
    LONG("Cos", 7, 1, 1, NONE, unary, ANY),
    LONG("Tan", 7, 1, 1, NONE, unary, ANY),
    LONG("Asin", 7, 1, 1, NONE, unary, ANY),
    LONG("Acos", 7, 1, 1, NONE, unary, ANY),
    LONG("Atan", 7, 1, 1, NONE, unary, ANY),
    LONG("Sinh", 9, 1, 1, NONE, unary, ANY),
    LONG("Cosh", 9, 1, 1, NONE, unary, ANY),
    LONG("Asinh", 9, 1, 1, NONE, unary, ANY),
    LONG("Acosh", 9, 1, 1, NONE, unary, ANY),
    LONG("Atanh", 9, 1, 1, NONE, unary, ANY),

    ONEDNN("Gemm", 7, 2, 3, ATTRIBUTES("alpha", "beta", "transA", "transB"), gemm, gemm_unload, PLAIN),
    ONEDNN("MatMul", 1, 2, 2, NONE, matmul, gemm_unload, PLAIN),
    ONEDNN("Conv", 1, 2, 3, ATTRIBUTES("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"), conv,
           conv_unload, LAST),
    ONEDNN("MaxPool", 1, 1, 1,
           ATTRIBUTES("auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"), pool,
           pool_unload, FOLLOW),
    ONEDNN("AveragePool", 7, 1, 1,
           ATTRIBUTES("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"), pool,
           pool_unload, FOLLOW),
    ONEDNN("GlobalMaxPool", 1, 1, 1, NONE, pool, pool_unload, FOLLOW),
    ONEDNN("GlobalAveragePool", 1, 1, 1, NONE, pool, pool_unload, FOLLOW),
    ONEDNN("Softmax", 1, 1, 1, ATTRIBUTES("axis"), softmax, softmax_unload, PLAIN),
    ONEDNN("LogSoftmax", 1, 1, 1, ATTRIBUTES("axis"), softmax, softmax_unload, PLAIN),

    LONG("Identity", 1, 1, 1, NONE, identity, ANY, VIEW),
    LONG("Dropout", 7, 1, 2, ATTRIBUTES("ratio", "seed"), identity, ANY, VIEW),
    LONG("Constant", 1, 0, 0,
         ATTRIBUTES("value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings"),
         constant, PLAIN),
    LONG("Cast", 6, 1, 1, ATTRIBUTES("to"), cast, ANY, VIEW),
    LONG("Reshape", 5, 2, 2, ATTRIBUTES("allowzero"), reshape, VIEW),
    LONG("Flatten", 1, 1, 1, ATTRIBUTES("axis"), flatten, VIEW),
    LONG("Squeeze", 1, 1, 2, ATTRIBUTES("axes"), squeeze, VIEW),
    LONG("Unsqueeze", 1, 1, 2, ATTRIBUTES("axes"), unsqueeze, VIEW),
    LONG("Transpose", 1, 1, 1, ATTRIBUTES("perm"), transpose, PLAIN),

    SHORT("LeakyRelu", 6, 1, 1, 1, ATTRIBUTES("alpha"), curve, ANY),
    SHORT("Elu", 6, 1, 1, 1, ATTRIBUTES("alpha"), curve, ANY),
    SHORT("Celu", 12, 1, 1, 1, ATTRIBUTES("alpha"), curve, ANY),
    SHORT("Selu", 6, 1, 1, 1, ATTRIBUTES("alpha", "gamma"), curve, ANY),
    SHORT("HardSigmoid", 6, 1, 1, 1, ATTRIBUTES("alpha", "beta"), curve, ANY),
    SHORT("ThresholdedRelu", 10, 1, 1, 1, ATTRIBUTES("alpha"), curve, ANY),
    SHORT("Shrink", 9, 1, 1, 1, ATTRIBUTES("bias", "lambd"), curve, ANY),
    SHORT("Clip", 6, 1, 3, 1, ATTRIBUTES("min", "max"), clip, ANY),
    SHORT("IsNaN", 9, 1, 1, 1, NONE, is, ANY),
    SHORT("IsInf", 10, 1, 1, 1, ATTRIBUTES("detect_negative", "detect_positive"), is, ANY),

    SHORT("Concat", 4, 1, VARIADIC, 1, ATTRIBUTES("axis"), concat, FOLLOW),
    SHORT("Split", 2, 1, 2, 16, ATTRIBUTES("axis", "split"), split, PLAIN),
    SHORT("Slice", 1, 1, 5, 1, ATTRIBUTES("axes", "ends", "starts"), slice, PLAIN),
    SHORT("Pad", 2, 1, 3, 1, ATTRIBUTES("mode", "pads", "value"), pad, FOLLOW),
    SHORT("Tile", 6, 2, 2, 1, NONE, tile, PLAIN),
    SHORT("Expand", 8, 2, 2, 1, NONE, expand, PLAIN),
    SHORT("Where", 9, 3, 3, 1, NONE, where, PLAIN),
    SHORT("Gather", 1, 2, 2, 1, ATTRIBUTES("axis"), gather, PLAIN),
    SHORT("DepthToSpace", 1, 1, 1, 1, ATTRIBUTES("blocksize", "mode"), space, PLAIN),
    SHORT("SpaceToDepth", 1, 1, 1, 1, ATTRIBUTES("blocksize"), space, PLAIN),

    SHORT("Shape", 1, 1, 1, 1, ATTRIBUTES("start", "end"), shape, ONLY_SHAPE),
    SHORT("Size", 1, 1, 1, 1, NONE, size, ONLY_SHAPE),
    SHORT("ConstantOfShape", 9, 1, 1, 1, ATTRIBUTES("value"), constant_of_shape, PLAIN),
    SHORT("Range", 11, 3, 3, 1, NONE, range, PLAIN),

    SHORT("ReduceSum", 1, 1, 2, 1, REDUCTION, reduce, PLAIN),
    SHORT("ReduceMean", 1, 1, 1, 1, REDUCTION, reduce, PLAIN),
    SHORT("ReduceProd", 1, 1, 1, 1, REDUCTION, reduce, PLAIN),
    SHORT("ReduceMax", 1, 1, 1, 1, REDUCTION, reduce, PLAIN),
    SHORT("ReduceMin", 1, 1, 1, 1, REDUCTION, reduce, PLAIN),
    SHORT("ReduceL1", 1, 1, 1, 1, REDUCTION, reduce, PLAIN),
    SHORT("ReduceL2", 1, 1, 1, 1, REDUCTION, reduce, PLAIN),
    SHORT("ReduceSumSquare", 1, 1, 1, 1, REDUCTION, reduce, PLAIN),
    SHORT("ReduceLogSum", 1, 1, 1, 1, REDUCTION, reduce, PLAIN),
    SHORT("ReduceLogSumExp", 1, 1, 1, 1, REDUCTION, reduce, PLAIN),
    SHORT("ArgMax", 1, 1, 1, 1, ATTRIBUTES("axis", "keepdims", "select_last_index"), find, PLAIN),
    SHORT("ArgMin", 1, 1, 1, 1, ATTRIBUTES("axis", "keepdims", "select_last_index"), find, PLAIN),

    SHORT("BatchNormalization", 9, 5, 5, 1, ATTRIBUTES("epsilon", "momentum", "training_mode"), batch, FOLLOW),
    SHORT("InstanceNormalization", 6, 3, 3, 1, ATTRIBUTES("epsilon"), instance, PLAIN),
    SHORT("LayerNormalization", 17, 2, 3, 3, ATTRIBUTES("axis", "epsilon", "stash_type"), layer, PLAIN),
    SHORT("LRN", 1, 1, 1, 1, ATTRIBUTES("alpha", "beta", "bias", "size"), lrn, PLAIN),

    RECURRENT("LSTM", 8, 3, "input_forget"),
    RECURRENT("GRU", 6, 2, "linear_before_reset"),
    RECURRENT("RNN", 6, 2, "hidden_size"),

    SHORT(ML "Scaler", 1, 1, 1, 1, ATTRIBUTES("offset", "scale"), scaler, PLAIN),
    SHORT(ML "Normalizer", 1, 1, 1, 1, ATTRIBUTES("norm"), normalizer, PLAIN),
    SHORT(ML "ArrayFeatureExtractor", 1, 2, 2, 1, NONE, extractor, PLAIN),
    SHORT(ML "LinearRegressor", 1, 1, 1, 1, ATTRIBUTES("coefficients", "intercepts", "post_transform", "targets"),
          linear_regressor, PLAIN),
    SHORT(ML "LinearClassifier", 1, 1, 1, 2,
          ATTRIBUTES("classlabels_ints", "classlabels_strings", "coefficients", "intercepts", "multi_class",
                     "post_transform"),
          linear_classifier, PLAIN),
    SHORT(ML "SVMRegressor", 1, 1, 1, 1,
          ATTRIBUTES("coefficients", "kernel_params", "kernel_type", "n_supports", "one_class", "post_transform", "rho",
                     "support_vectors"),
          svm_regressor, PLAIN),
    SHORT(ML "SVMClassifier", 1, 1, 1, 2,
          ATTRIBUTES("classlabels_ints", "classlabels_strings", "coefficients", "kernel_params", "kernel_type",
                     "post_transform", "prob_a", "prob_b", "rho", "support_vectors", "vectors_per_class"),
          svm_classifier, PLAIN),
    TREES("TreeEnsembleRegressor", tree_regressor, 1, "aggregate_function", "base_values", "n_targets", "target_ids",
          "target_nodeids", "target_treeids", "target_weights"),
    TREES("TreeEnsembleClassifier", tree_classifier, 2, "base_values", "class_ids", "class_nodeids", "class_treeids",
          "class_weights", "classlabels_int64s", "classlabels_strings"),
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
