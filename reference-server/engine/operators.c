/* The table of the operators that this server runs. An operator whose meaning changed between opsets has a row for each
 * meaning. */
#include "base/count.h"
#include "engine/call.h"
#include "engine/families.h"

/* --- Datatypes of inputs in the short form: `takes` has a letter for each, and the last one is for all others --- */

/* The letters: `*` all but BYTES, `f` FP32, `n` INT32, INT64, FP32 or FP64, `i` INT32 or INT64, `l` INT64, `b` BOOL,
 * `.` all; a digit: that of the input with this number. */
static bool takes(char letter, enum datatype datatype)
{
    bool is_integer = datatype == DATATYPE_INT32 || datatype == DATATYPE_INT64,
         is_real = datatype == DATATYPE_FP32 || datatype == DATATYPE_FP64;
    return letter == '.' || (letter == '*' && datatype != DATATYPE_BYTES) ||
           (letter == 'f' && datatype == DATATYPE_FP32) || (letter == 'b' && datatype == DATATYPE_BOOL) ||
           (letter == 'i' && is_integer) || (letter == 'l' && datatype == DATATYPE_INT64) ||
           (letter == 'n' && (is_integer || is_real));
}

static struct status short_load(struct network *network, struct node *node)
{
    const char *letter = node->op->takes;
    for (size_t i = 0; i < node->input_count; i++, letter += letter[1] != '\0') {
        const struct type *type = input_type(network, node, i);
        bool is_digit = *letter >= '0' && *letter <= '9';
        const struct type *same = is_digit ? operand_type(network, node, (size_t)(*letter - '0')) : type;
        if (type && type->datatype != same->datatype)
            return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "its inputs are %s and %s",
                              datatype_name(same->datatype), datatype_name(type->datatype));
        if (type && !is_digit && !takes(*letter, type->datatype))
            return node_error(node, &network->arena,
                              strchr("ilb", *letter) ? STATUS_INVALID_ARGUMENT : STATUS_UNIMPLEMENTED,
                              "%s as its input %zu is not supported", datatype_name(type->datatype), i);
    }
    return call_load(network, node);
}

/* --- The table --- */

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

/* In the short form: the most outputs, the datatypes of the inputs (short_load), attributes, the family, with a shape
 * function and a kernel; and the same. */
#define SHORT(NAME, SINCE, LEAST, MOST, OUTPUTS, TAKES, NAMES, FAMILY, ...)                                            \
    {                                                                                                                  \
        ROW(NAME, SINCE, LEAST, MOST, OUTPUTS, NAMES), .takes = (TAKES), .load = short_load, .infer = FAMILY##_infer,  \
                                                       .compute = FAMILY##_compute, __VA_ARGS__                        \
    }
#define VIEW(NAME, SINCE, LEAST, MOST, NAMES, FAMILY, ...)                                                             \
    {                                                                                                                  \
        ROW(NAME, SINCE, LEAST, MOST, 1, NAMES), .infer = FAMILY##_infer, .compute = view_compute, .load = view_load,  \
                                                 .run = view_run, .is_view = true, __VA_ARGS__                         \
    }
#define RECURRENT(NAME, SINCE, OUTPUTS, ATTRIBUTE)                                                                     \
    {                                                                                                                  \
        ROW(NAME, SINCE, 3, 8, OUTPUTS, ATTRIBUTES("activations", "direction", "hidden_size", "layout", ATTRIBUTE)),   \
            .load = recurrent_load, .infer = recurrent_infer, .compute = recurrent_compute,                            \
            .unload = recurrent_unload, .uses_onednn = true                                                            \
    }
#define TREES(NAME, FAMILY, OUTPUTS, ...)                                                                              \
    {                                                                                                                  \
        ROW(ML NAME, 1, 1, 1, OUTPUTS,                                                                                 \
            ATTRIBUTES("nodes_falsenodeids", "nodes_featureids", "nodes_hitrates", "nodes_missing_value_tracks_true",  \
                       "nodes_modes", "nodes_nodeids", "nodes_treeids", "nodes_truenodeids", "nodes_values",           \
                       "post_transform", __VA_ARGS__)),                                                                \
            .load = FAMILY##_load, .infer = FAMILY##_infer, .compute = FAMILY##_compute                                \
    }

#define BINARY(NAME, SINCE, LEAST, MOST, ATTRIBUTE, ...)                                                               \
    LONG(#NAME, SINCE, LEAST, MOST, ATTRIBUTES(ATTRIBUTE), binary, ANY),
#define UNARY(NAME, SINCE, SINGLE, DOUBLE) LONG(#NAME, SINCE, 1, 1, NONE, unary, ANY),

#define NONE      NULL
#define ML        "ai.onnx.ml."
#define REDUCTION ATTRIBUTES("axes", "keepdims", "noop_with_empty_axes")

#define PLAIN      .layout = LAYOUT_ROW_MAJOR
#define ANY        .layout = LAYOUT_ANY
#define FOLLOW     .layout = LAYOUT_FOLLOW
#define PREFER     .layout = LAYOUT_PREFER
#define ONLY_SHAPE .only_shape = true

static const struct onnx_operator operators[] = {
    EACH_BINARY(BINARY) EACH_UNARY(UNARY) EACH_FAST_UNARY(UNARY) LONG("Not", 1, 1, 1, NONE, unary, ANY),
    LONG("LeakyRelu", 6, 1, 1, ATTRIBUTES("alpha"), unary, ANY),
    LONG("Elu", 6, 1, 1, ATTRIBUTES("alpha"), unary, ANY),
    LONG("Celu", 12, 1, 1, ATTRIBUTES("alpha"), unary, ANY),
    LONG("Selu", 6, 1, 1, ATTRIBUTES("alpha", "gamma"), unary, ANY),
    LONG("HardSigmoid", 6, 1, 1, ATTRIBUTES("alpha", "beta"), unary, ANY),
    LONG("ThresholdedRelu", 10, 1, 1, ATTRIBUTES("alpha"), unary, ANY),
    LONG("Shrink", 9, 1, 1, ATTRIBUTES("bias", "lambd"), unary, ANY),
    LONG("IsNaN", 9, 1, 1, NONE, unary, ANY),
    LONG("IsInf", 10, 1, 1, ATTRIBUTES("detect_negative", "detect_positive"), unary, ANY),
    SHORT("Clip", 6, 1, 3, 1, "*0", ATTRIBUTES("min", "max"), clip, ANY),

    ONEDNN("Gemm", 7, 2, 3, ATTRIBUTES("alpha", "beta", "transA", "transB"), gemm, gemm_unload, PLAIN),
    ONEDNN("MatMul", 1, 2, 2, NONE, matmul, gemm_unload, PLAIN),
    ONEDNN("Conv", 1, 2, 3, ATTRIBUTES("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"), conv,
           conv_unload, PREFER),
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

    LONG("Identity", 1, 1, 1, NONE, cast, ANY, .is_view = true),
    LONG("Constant", 1, 0, 0,
         ATTRIBUTES("value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings"),
         constant, PLAIN),
    LONG("Cast", 6, 1, 1, ATTRIBUTES("to"), cast, ANY, .is_view = true),
    LONG("CastLike", 15, 2, 2, NONE, cast, PLAIN, .is_view = true),
    VIEW("Reshape", 5, 2, 2, ATTRIBUTES("allowzero"), reshape, PLAIN),
    VIEW("Flatten", 1, 1, 1, ATTRIBUTES("axis"), flatten, PLAIN),
    VIEW("Squeeze", 1, 1, 1, ATTRIBUTES("axes"), squeeze, PLAIN, .until = 12),
    VIEW("Squeeze", 13, 1, 2, NONE, squeeze, PLAIN),
    VIEW("Unsqueeze", 1, 1, 1, ATTRIBUTES("axes"), unsqueeze, PLAIN, .until = 12),
    VIEW("Unsqueeze", 13, 2, 2, NONE, unsqueeze, PLAIN),
    {ROW("Dropout", 7, 1, 3, 2, ATTRIBUTES("ratio", "seed")), .load = view_load, .run = view_run,
     .infer = dropout_infer, .compute = dropout_compute, .is_view = true, ANY},
    SHORT("Transpose", 1, 1, 1, 1, "*", ATTRIBUTES("perm"), transpose, PLAIN),

    SHORT("Concat", 4, 1, VARIADIC, 1, "*0", ATTRIBUTES("axis"), concat, FOLLOW),
    SHORT("Split", 2, 1, 2, 16, "*i", ATTRIBUTES("axis", "split"), split, PLAIN),
    SHORT("Slice", 1, 1, 5, 1, "*i", ATTRIBUTES("axes", "ends", "starts"), slice, PLAIN),
    SHORT("Pad", 2, 1, 3, 1, "*i0", ATTRIBUTES("mode", "pads", "value"), pad, FOLLOW),
    SHORT("Tile", 6, 2, 2, 1, "*i", NONE, tile, PLAIN),
    SHORT("Expand", 8, 2, 2, 1, "*i", NONE, expand, PLAIN),
    SHORT("Where", 9, 3, 3, 1, "b*1", NONE, where, PLAIN),
    SHORT("Gather", 1, 2, 2, 1, "*i", ATTRIBUTES("axis"), gather, PLAIN),
    SHORT("GatherElements", 11, 2, 2, 1, "*i", ATTRIBUTES("axis"), elements, PLAIN),
    SHORT("Scatter", 9, 3, 3, 1, "*i0", ATTRIBUTES("axis"), elements, PLAIN, .until = 10),
    SHORT("ScatterElements", 11, 3, 3, 1, "*i0", ATTRIBUTES("axis", "reduction"), elements, PLAIN),
    SHORT("GatherND", 11, 2, 2, 1, "*i", ATTRIBUTES("batch_dims"), nd, PLAIN),
    SHORT("ScatterND", 11, 3, 3, 1, "*i0", ATTRIBUTES("reduction"), nd, PLAIN),
    SHORT("OneHot", 9, 3, 3, 1, "*", ATTRIBUTES("axis"), one_hot, PLAIN),
    SHORT("DepthToSpace", 1, 1, 1, 1, "*", ATTRIBUTES("blocksize", "mode"), space, PLAIN),
    SHORT("SpaceToDepth", 1, 1, 1, 1, "*", ATTRIBUTES("blocksize"), space, PLAIN),

    SHORT("Shape", 1, 1, 1, 1, ".", ATTRIBUTES("start", "end"), shape, ONLY_SHAPE),
    SHORT("Size", 1, 1, 1, 1, ".", NONE, size, ONLY_SHAPE),
    SHORT("ConstantOfShape", 9, 1, 1, 1, "i", ATTRIBUTES("value"), constant_of_shape, PLAIN),
    SHORT("Range", 11, 3, 3, 1, "n0", NONE, range, PLAIN),

    SHORT("Trilu", 14, 1, 2, 1, "*i", ATTRIBUTES("upper"), trilu, PLAIN),

    SHORT("ReduceSum", 1, 1, 2, 1, "*i", REDUCTION, reduce, PLAIN),
    SHORT("ReduceMean", 1, 1, 1, 1, "*", REDUCTION, reduce, PLAIN),
    SHORT("ReduceProd", 1, 1, 1, 1, "*", REDUCTION, reduce, PLAIN),
    SHORT("ReduceMax", 1, 1, 1, 1, "*", REDUCTION, reduce, PLAIN),
    SHORT("ReduceMin", 1, 1, 1, 1, "*", REDUCTION, reduce, PLAIN),
    SHORT("ReduceL1", 1, 1, 1, 1, "*", REDUCTION, reduce, PLAIN),
    SHORT("ReduceL2", 1, 1, 1, 1, "*", REDUCTION, reduce, PLAIN),
    SHORT("ReduceSumSquare", 1, 1, 1, 1, "*", REDUCTION, reduce, PLAIN),
    SHORT("ReduceLogSum", 1, 1, 1, 1, "*", REDUCTION, reduce, PLAIN),
    SHORT("ReduceLogSumExp", 1, 1, 1, 1, "*", REDUCTION, reduce, PLAIN),
    SHORT("ArgMax", 1, 1, 1, 1, "*", ATTRIBUTES("axis", "keepdims", "select_last_index"), reduce, PLAIN),
    SHORT("ArgMin", 1, 1, 1, 1, "*", ATTRIBUTES("axis", "keepdims", "select_last_index"), reduce, PLAIN),

    SHORT("Hardmax", 13, 1, 1, 1, "f", ATTRIBUTES("axis"), hardmax, PLAIN),
    SHORT("CumSum", 11, 2, 2, 1, "*i", ATTRIBUTES("exclusive", "reverse"), cumsum, PLAIN),
    SHORT("NegativeLogLikelihoodLoss", 12, 2, 3, 1, "fif", ATTRIBUTES("ignore_index", "reduction"), loss, PLAIN),
    SHORT("SoftmaxCrossEntropyLoss", 12, 2, 3, 2, "fif", ATTRIBUTES("ignore_index", "reduction"), loss, PLAIN),

    SHORT("BatchNormalization", 9, 5, 5, 1, "f", ATTRIBUTES("epsilon", "momentum", "training_mode"), batch, FOLLOW),
    SHORT("InstanceNormalization", 6, 3, 3, 1, "f", ATTRIBUTES("epsilon"), instance, PLAIN),
    SHORT("LayerNormalization", 17, 2, 3, 3, "f", ATTRIBUTES("axis", "epsilon", "stash_type"), layer, PLAIN),
    SHORT("LRN", 1, 1, 1, 1, "f", ATTRIBUTES("alpha", "beta", "bias", "size"), lrn, PLAIN),

    RECURRENT("LSTM", 8, 3, "input_forget"),
    RECURRENT("GRU", 6, 2, "linear_before_reset"),
    RECURRENT("RNN", 6, 2, "hidden_size"),

    SHORT(ML "Scaler", 1, 1, 1, 1, ".", ATTRIBUTES("offset", "scale"), scaler, PLAIN),
    SHORT(ML "Normalizer", 1, 1, 1, 1, ".", ATTRIBUTES("norm"), normalizer, PLAIN),
    SHORT(ML "ArrayFeatureExtractor", 1, 2, 2, 1, "*l", NONE, extractor, PLAIN),
    SHORT(ML "LinearRegressor", 1, 1, 1, 1, ".", ATTRIBUTES("coefficients", "intercepts", "post_transform", "targets"),
          linear_regressor, PLAIN),
    SHORT(ML "LinearClassifier", 1, 1, 1, 2, ".",
          ATTRIBUTES("classlabels_ints", "classlabels_strings", "coefficients", "intercepts", "multi_class",
                     "post_transform"),
          linear_classifier, PLAIN),
    SHORT(ML "SVMRegressor", 1, 1, 1, 1, ".",
          ATTRIBUTES("coefficients", "kernel_params", "kernel_type", "n_supports", "one_class", "post_transform", "rho",
                     "support_vectors"),
          svm_regressor, PLAIN),
    SHORT(ML "SVMClassifier", 1, 1, 1, 2, ".",
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
