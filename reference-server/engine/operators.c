/* The table of the operators that this server runs. An operator whose meaning changed between opsets has a row for each
 * meaning. */
#include "base/count.h"
#include "engine/families.h"

#define ATTRIBUTES(...)                                                                                                \
    (const char *const[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }

/* Each row has a name, the first opset, the fewest and the most inputs, attributes, and a family. The long form has
 * functions that load and run; that of a family that keeps primitives of oneDNN has one that unloads, too. */
#define LONG(NAME, SINCE, LEAST, MOST, NAMES, FAMILY)                                                                  \
    {                                                                                                                  \
        .name = (NAME), .since = (SINCE), .inputs_min = (LEAST), .inputs_max = (MOST), .outputs_max = 1,               \
        .attributes = NAMES, .load = FAMILY##_load, .run = FAMILY##_run                                                \
    }
#define ONEDNN(NAME, SINCE, LEAST, MOST, NAMES, FAMILY, UNLOAD)                                                        \
    {                                                                                                                  \
        .name = (NAME), .since = (SINCE), .inputs_min = (LEAST), .inputs_max = (MOST), .outputs_max = 1,               \
        .uses_onednn = true, .attributes = NAMES, .load = FAMILY##_load, .run = FAMILY##_run, .unload = (UNLOAD)       \
    }

/* The short form has a shape function and a kernel; and the most outputs, behind the inputs. */
#define SHORT(NAME, SINCE, LEAST, MOST, OUTPUTS, NAMES, FAMILY)                                                        \
    {                                                                                                                  \
        .name = (NAME), .since = (SINCE), .inputs_min = (LEAST), .inputs_max = (MOST), .outputs_max = (OUTPUTS),       \
        .attributes = NAMES, .infer = FAMILY##_infer, .compute = FAMILY##_compute                                      \
    }
#define NONE      NULL
#define ML        "ai.onnx.ml."
#define REDUCTION ATTRIBUTES("axes", "keepdims", "noop_with_empty_axes")
#define RECURRENT(NAME, SINCE, OUTPUTS, ...)                                                                           \
    {                                                                                                                  \
        .name = (NAME), .since = (SINCE), .inputs_min = 3, .inputs_max = 8, .outputs_max = (OUTPUTS),                  \
        .uses_onednn = true,                                                                                           \
        .attributes = ATTRIBUTES("activations", "direction", "hidden_size", "layout", __VA_ARGS__),                    \
        .infer = recurrent_infer, .compute = recurrent_compute                                                         \
    }
#define TREES(NAME, FAMILY, OUTPUTS, ...)                                                                              \
    {                                                                                                                  \
        .name = ML NAME, .since = 1, .inputs_min = 1, .inputs_max = 1, .outputs_max = (OUTPUTS),                       \
        .attributes = ATTRIBUTES("nodes_falsenodeids", "nodes_featureids", "nodes_hitrates",                           \
                                 "nodes_missing_value_tracks_true", "nodes_modes", "nodes_nodeids", "nodes_treeids",   \
                                 "nodes_truenodeids", "nodes_values", "post_transform", __VA_ARGS__),                  \
        .load = FAMILY##_load, .infer = FAMILY##_infer, .compute = FAMILY##_compute                                    \
    }

static const struct onnx_operator operators[] = {
    LONG("Add", 7, 2, 2, NONE, arithmetic),
    LONG("Sub", 7, 2, 2, NONE, arithmetic),
    LONG("Mul", 7, 2, 2, NONE, arithmetic),
    LONG("Div", 7, 2, 2, NONE, arithmetic),
    LONG("Sum", 8, 1, VARIADIC, NONE, arithmetic),
    LONG("Mean", 8, 1, VARIADIC, NONE, arithmetic),
    LONG("Min", 8, 1, VARIADIC, NONE, arithmetic),
    LONG("Max", 8, 1, VARIADIC, NONE, arithmetic),
    LONG("Mod", 10, 2, 2, ATTRIBUTES("fmod"), arithmetic),
    LONG("BitShift", 11, 2, 2, ATTRIBUTES("direction"), arithmetic),
    LONG("PRelu", 7, 2, 2, NONE, arithmetic),
    LONG("Pow", 7, 2, 2, NONE, pow),
    LONG("Equal", 7, 2, 2, NONE, comparison),
    LONG("Less", 7, 2, 2, NONE, comparison),
    LONG("LessOrEqual", 12, 2, 2, NONE, comparison),
    LONG("Greater", 7, 2, 2, NONE, comparison),
    LONG("GreaterOrEqual", 12, 2, 2, NONE, comparison),
    LONG("And", 7, 2, 2, NONE, logic),
    LONG("Or", 7, 2, 2, NONE, logic),
    LONG("Xor", 7, 2, 2, NONE, logic),

    LONG("Relu", 6, 1, 1, NONE, unary),
    LONG("Neg", 6, 1, 1, NONE, unary),
    LONG("Abs", 6, 1, 1, NONE, unary),
    LONG("Sqrt", 6, 1, 1, NONE, unary),
    LONG("Exp", 6, 1, 1, NONE, unary),
    LONG("Log", 6, 1, 1, NONE, unary),
    LONG("Sigmoid", 6, 1, 1, NONE, unary),
    LONG("Tanh", 6, 1, 1, NONE, unary),
    LONG("Floor", 6, 1, 1, NONE, unary),
    LONG("Ceil", 6, 1, 1, NONE, unary),
    LONG("Not", 1, 1, 1, NONE, unary),
    LONG("Erf", 9, 1, 1, NONE, unary),
    LONG("Sign", 9, 1, 1, NONE, unary),
    LONG("Reciprocal", 6, 1, 1, NONE, unary),
    LONG("Round", 11, 1, 1, NONE, unary),
    LONG("Softplus", 1, 1, 1, NONE, unary),
    LONG("Softsign", 1, 1, 1, NONE, unary),
    LONG("HardSwish", 14, 1, 1, NONE, unary),
    LONG("Sin", 7, 1, 1, NONE, unary),
    LONG("Cos", 7, 1, 1, NONE, unary),
    LONG("Tan", 7, 1, 1, NONE, unary),
    LONG("Asin", 7, 1, 1, NONE, unary),
    LONG("Acos", 7, 1, 1, NONE, unary),
    LONG("Atan", 7, 1, 1, NONE, unary),
    LONG("Sinh", 9, 1, 1, NONE, unary),
    LONG("Cosh", 9, 1, 1, NONE, unary),
    LONG("Asinh", 9, 1, 1, NONE, unary),
    LONG("Acosh", 9, 1, 1, NONE, unary),
    LONG("Atanh", 9, 1, 1, NONE, unary),

    ONEDNN("Gemm", 7, 2, 3, ATTRIBUTES("alpha", "beta", "transA", "transB"), gemm, gemm_unload),
    ONEDNN("MatMul", 1, 2, 2, NONE, matmul, gemm_unload),
    ONEDNN("Conv", 1, 2, 3, ATTRIBUTES("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"), conv,
           conv_unload),
    ONEDNN("MaxPool", 1, 1, 1,
           ATTRIBUTES("auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"), pool,
           pool_unload),
    ONEDNN("AveragePool", 7, 1, 1,
           ATTRIBUTES("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"), pool,
           pool_unload),
    ONEDNN("GlobalMaxPool", 1, 1, 1, NONE, pool, pool_unload),
    ONEDNN("GlobalAveragePool", 1, 1, 1, NONE, pool, pool_unload),
    ONEDNN("Softmax", 1, 1, 1, ATTRIBUTES("axis"), softmax, softmax_unload),
    ONEDNN("LogSoftmax", 1, 1, 1, ATTRIBUTES("axis"), softmax, softmax_unload),

    LONG("Identity", 1, 1, 1, NONE, identity),
    LONG("Dropout", 7, 1, 2, ATTRIBUTES("ratio", "seed"), identity),
    LONG("Constant", 1, 0, 0,
         ATTRIBUTES("value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings"),
         constant),
    LONG("Cast", 6, 1, 1, ATTRIBUTES("to"), cast),
    LONG("Reshape", 5, 2, 2, ATTRIBUTES("allowzero"), reshape),
    LONG("Flatten", 1, 1, 1, ATTRIBUTES("axis"), flatten),
    LONG("Squeeze", 1, 1, 2, ATTRIBUTES("axes"), squeeze),
    LONG("Unsqueeze", 1, 1, 2, ATTRIBUTES("axes"), unsqueeze),
    LONG("Transpose", 1, 1, 1, ATTRIBUTES("perm"), transpose),

    SHORT("LeakyRelu", 6, 1, 1, 1, ATTRIBUTES("alpha"), curve),
    SHORT("Elu", 6, 1, 1, 1, ATTRIBUTES("alpha"), curve),
    SHORT("Celu", 12, 1, 1, 1, ATTRIBUTES("alpha"), curve),
    SHORT("Selu", 6, 1, 1, 1, ATTRIBUTES("alpha", "gamma"), curve),
    SHORT("HardSigmoid", 6, 1, 1, 1, ATTRIBUTES("alpha", "beta"), curve),
    SHORT("ThresholdedRelu", 10, 1, 1, 1, ATTRIBUTES("alpha"), curve),
    SHORT("Shrink", 9, 1, 1, 1, ATTRIBUTES("bias", "lambd"), curve),
    SHORT("Clip", 6, 1, 3, 1, ATTRIBUTES("min", "max"), clip),
    SHORT("IsNaN", 9, 1, 1, 1, NONE, is),
    SHORT("IsInf", 10, 1, 1, 1, ATTRIBUTES("detect_negative", "detect_positive"), is),

    SHORT("Concat", 4, 1, VARIADIC, 1, ATTRIBUTES("axis"), concat),
    SHORT("Split", 2, 1, 2, 16, ATTRIBUTES("axis", "split"), split),
    SHORT("Slice", 1, 1, 5, 1, ATTRIBUTES("axes", "ends", "starts"), slice),
    SHORT("Pad", 2, 1, 3, 1, ATTRIBUTES("mode", "pads", "value"), pad),
    SHORT("Tile", 6, 2, 2, 1, NONE, tile),
    SHORT("Expand", 8, 2, 2, 1, NONE, expand),
    SHORT("Where", 9, 3, 3, 1, NONE, where),
    SHORT("Gather", 1, 2, 2, 1, ATTRIBUTES("axis"), gather),
    SHORT("DepthToSpace", 1, 1, 1, 1, ATTRIBUTES("blocksize", "mode"), space),
    SHORT("SpaceToDepth", 1, 1, 1, 1, ATTRIBUTES("blocksize"), space),

    SHORT("Shape", 1, 1, 1, 1, ATTRIBUTES("start", "end"), shape),
    SHORT("Size", 1, 1, 1, 1, NONE, size),
    SHORT("ConstantOfShape", 9, 1, 1, 1, ATTRIBUTES("value"), constant_of_shape),
    SHORT("Range", 11, 3, 3, 1, NONE, range),

    SHORT("ReduceSum", 1, 1, 2, 1, REDUCTION, reduce),
    SHORT("ReduceMean", 1, 1, 1, 1, REDUCTION, reduce),
    SHORT("ReduceProd", 1, 1, 1, 1, REDUCTION, reduce),
    SHORT("ReduceMax", 1, 1, 1, 1, REDUCTION, reduce),
    SHORT("ReduceMin", 1, 1, 1, 1, REDUCTION, reduce),
    SHORT("ReduceL1", 1, 1, 1, 1, REDUCTION, reduce),
    SHORT("ReduceL2", 1, 1, 1, 1, REDUCTION, reduce),
    SHORT("ReduceSumSquare", 1, 1, 1, 1, REDUCTION, reduce),
    SHORT("ReduceLogSum", 1, 1, 1, 1, REDUCTION, reduce),
    SHORT("ReduceLogSumExp", 1, 1, 1, 1, REDUCTION, reduce),
    SHORT("ArgMax", 1, 1, 1, 1, ATTRIBUTES("axis", "keepdims", "select_last_index"), find),
    SHORT("ArgMin", 1, 1, 1, 1, ATTRIBUTES("axis", "keepdims", "select_last_index"), find),

    SHORT("BatchNormalization", 9, 5, 5, 1, ATTRIBUTES("epsilon", "momentum", "training_mode"), batch),
    SHORT("InstanceNormalization", 6, 3, 3, 1, ATTRIBUTES("epsilon"), instance),
    SHORT("LayerNormalization", 17, 2, 3, 3, ATTRIBUTES("axis", "epsilon", "stash_type"), layer),
    SHORT("LRN", 1, 1, 1, 1, ATTRIBUTES("alpha", "beta", "bias", "size"), lrn),

    RECURRENT("LSTM", 8, 3, "input_forget"),
    RECURRENT("GRU", 6, 2, "linear_before_reset"),
    RECURRENT("RNN", 6, 2, "hidden_size"),

    SHORT(ML "Scaler", 1, 1, 1, 1, ATTRIBUTES("offset", "scale"), scaler),
    SHORT(ML "Normalizer", 1, 1, 1, 1, ATTRIBUTES("norm"), normalizer),
    SHORT(ML "ArrayFeatureExtractor", 1, 2, 2, 1, NONE, extractor),
    SHORT(ML "LinearRegressor", 1, 1, 1, 1, ATTRIBUTES("coefficients", "intercepts", "post_transform", "targets"),
          linear_regressor),
    SHORT(ML "LinearClassifier", 1, 1, 1, 2,
          ATTRIBUTES("classlabels_ints", "classlabels_strings", "coefficients", "intercepts", "multi_class",
                     "post_transform"),
          linear_classifier),
    SHORT(ML "SVMRegressor", 1, 1, 1, 1,
          ATTRIBUTES("coefficients", "kernel_params", "kernel_type", "n_supports", "one_class", "post_transform", "rho",
                     "support_vectors"),
          svm_regressor),
    SHORT(ML "SVMClassifier", 1, 1, 1, 2,
          ATTRIBUTES("classlabels_ints", "classlabels_strings", "coefficients", "kernel_params", "kernel_type",
                     "post_transform", "prob_a", "prob_b", "rho", "support_vectors", "vectors_per_class"),
          svm_classifier),
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
