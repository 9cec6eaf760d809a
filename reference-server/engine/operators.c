/* The table of the operators that this server runs. An operator whose meaning changed between opsets has a row for each
 * meaning. */
#include "base/count.h"
#include "engine/families.h"

#define ATTRIBUTES(...)                                                                                                \
    (const char *const[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }

static const struct onnx_operator operators[] = {
    /* name, first opset, last opset, fewest inputs, most inputs, most outputs, uses_onednn, attributes, load, run,
     * unload */
    {"Add", 7, 0, 2, 2, 1, false, NULL, arithmetic_load, arithmetic_run, NULL},
    {"Sub", 7, 0, 2, 2, 1, false, NULL, arithmetic_load, arithmetic_run, NULL},
    {"Mul", 7, 0, 2, 2, 1, false, NULL, arithmetic_load, arithmetic_run, NULL},
    {"Div", 7, 0, 2, 2, 1, false, NULL, arithmetic_load, arithmetic_run, NULL},
    {"Equal", 7, 0, 2, 2, 1, false, NULL, comparison_load, comparison_run, NULL},
    {"Less", 7, 0, 2, 2, 1, false, NULL, comparison_load, comparison_run, NULL},
    {"LessOrEqual", 12, 0, 2, 2, 1, false, NULL, comparison_load, comparison_run, NULL},
    {"Greater", 7, 0, 2, 2, 1, false, NULL, comparison_load, comparison_run, NULL},
    {"GreaterOrEqual", 12, 0, 2, 2, 1, false, NULL, comparison_load, comparison_run, NULL},
    {"And", 7, 0, 2, 2, 1, false, NULL, logic_load, logic_run, NULL},
    {"Or", 7, 0, 2, 2, 1, false, NULL, logic_load, logic_run, NULL},
    {"Xor", 7, 0, 2, 2, 1, false, NULL, logic_load, logic_run, NULL},

    {"Relu", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Neg", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Abs", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Sqrt", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Exp", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Log", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Sigmoid", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Tanh", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Floor", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Ceil", 6, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},
    {"Not", 1, 0, 1, 1, 1, false, NULL, unary_load, unary_run, NULL},

    {"Gemm", 7, 0, 2, 3, 1, true, ATTRIBUTES("alpha", "beta", "transA", "transB"), gemm_load, gemm_run, gemm_unload},
    {"MatMul", 1, 0, 2, 2, 1, true, NULL, matmul_load, matmul_run, gemm_unload},
    {"Conv", 1, 0, 2, 3, 1, true, ATTRIBUTES("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"),
     conv_load, conv_run, conv_unload},
    {"MaxPool", 1, 0, 1, 1, 1, true,
     ATTRIBUTES("auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"), pool_load,
     pool_run, pool_unload},
    {"AveragePool", 7, 0, 1, 1, 1, true,
     ATTRIBUTES("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"), pool_load, pool_run,
     pool_unload},
    {"GlobalMaxPool", 1, 0, 1, 1, 1, true, NULL, pool_load, pool_run, pool_unload},
    {"GlobalAveragePool", 1, 0, 1, 1, 1, true, NULL, pool_load, pool_run, pool_unload},
    {"Softmax", 1, 0, 1, 1, 1, true, ATTRIBUTES("axis"), softmax_load, softmax_run, softmax_unload},
    {"LogSoftmax", 1, 0, 1, 1, 1, true, ATTRIBUTES("axis"), softmax_load, softmax_run, softmax_unload},

    {"Identity", 1, 0, 1, 1, 1, false, NULL, identity_load, identity_run, NULL},
    {"Constant", 1, 0, 0, 0, 1, false,
     ATTRIBUTES("value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings"),
     constant_load, constant_run, NULL},
    {"Cast", 6, 0, 1, 1, 1, false, ATTRIBUTES("to"), cast_load, cast_run, NULL},
    {"Reshape", 5, 0, 2, 2, 1, false, ATTRIBUTES("allowzero"), reshape_load, reshape_run, NULL},
    {"Flatten", 1, 0, 1, 1, 1, false, ATTRIBUTES("axis"), flatten_load, flatten_run, NULL},
    {"Squeeze", 1, 0, 1, 2, 1, false, ATTRIBUTES("axes"), squeeze_load, squeeze_run, NULL},
    {"Unsqueeze", 1, 0, 1, 2, 1, false, ATTRIBUTES("axes"), unsqueeze_load, unsqueeze_run, NULL},
    {"Transpose", 1, 0, 1, 1, 1, false, ATTRIBUTES("perm"), transpose_load, transpose_run, NULL},
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
