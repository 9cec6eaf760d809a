/* The functions of the operator families, for the table in operators.c. */
#pragma once

#include "engine/operator.h"

/* File by file: elementwise.c (binary), unary.c, gemm.c, conv.c, pool.c, softmax.c, shape.c (constant to transpose),
 * rearrange.c, index.c (elements are GatherElements and ScatterElements, nd GatherND and ScatterND), generate.c,
 * reduce.c, normalize.c, loss.c, recurrent.c, ml.c, svm.c, trees.c, layout.c. */
shape_function binary_infer, unary_infer, gemm_infer, matmul_infer, conv_infer, pool_infer, constant_infer, cast_infer,
    reshape_infer, flatten_infer, squeeze_infer, unsqueeze_infer, dropout_infer, transpose_infer, concat_infer,
    split_infer, slice_infer, pad_infer, tile_infer, expand_infer, where_infer, space_infer, gather_infer,
    elements_infer, nd_infer, one_hot_infer, shape_infer, size_infer, constant_of_shape_infer, range_infer, trilu_infer,
    reduce_infer, cumsum_infer, batch_infer, instance_infer, layer_infer, lrn_infer, loss_infer, recurrent_infer,
    scaler_infer, extractor_infer, linear_infer, svm_infer, trees_infer, into_form_infer, row_major_infer;
kernel_function binary_compute, unary_compute, gemm_compute, matmul_compute, conv_compute, pool_compute,
    softmax_compute, cast_compute, dropout_compute, transpose_compute, concat_compute, split_compute, slice_compute,
    pad_compute, tile_compute, expand_compute, where_compute, space_compute, gather_compute, elements_compute,
    nd_compute, one_hot_compute, shape_compute, size_compute, constant_of_shape_compute, range_compute, trilu_compute,
    reduce_compute, hardmax_compute, cumsum_compute, batch_compute, instance_compute, layer_compute, lrn_compute,
    loss_compute, recurrent_compute, scaler_compute, normalizer_compute, extractor_compute, linear_compute, svm_compute,
    trees_compute, form_compute;
load_function binary_load, unary_load, gemm_load, conv_load, pool_load, softmax_load, constant_load, recurrent_load,
    trees_load;

/* Finds what BatchNormalization does to each channel: x becomes scale x + shift. */
void batch_fold(const float *gain, const float *bias, const float *mean, const float *variance, float epsilon,
                size_t channels, float *scale, float *shift);

/* Computes out[i] = a[i * a_step] + b[i * b_step], or another operator of two tensors. A step is 0 or 1. */
typedef void binary_kernel(const void *a, size_t a_step, const void *b, size_t b_step, void *out, size_t count);

/* Returns the kernel of Add, Mul or another operator of the family, or NULL if it has none for the datatype. */
binary_kernel *binary_kernel_of(const char *op_type, enum datatype datatype);

/* Copies rows of a tensor that is split at an axis, those with these positions along it, to the first output (index.c).
 * Fails if one is out of range. */
struct split;
struct status gather_along(const struct call *call, const struct split *split, const int64_t *indices, size_t count);

/* The operators of two tensors: name, first opset, fewest and most inputs, attribute, the datatype that they give; then
 * their kernels, for elementwise.c. */
#define EACH_BINARY(MAKE)                                                                                              \
    MAKE(Add, 7, 2, 2, NULL, NONE, OF_NUMBERS(add))                                                                    \
    MAKE(Sub, 7, 2, 2, NULL, NONE, OF_NUMBERS(sub))                                                                    \
    MAKE(Mul, 7, 2, 2, NULL, NONE, OF_NUMBERS(mul))                                                                    \
    MAKE(Div, 7, 2, 2, NULL, NONE, OF_NUMBERS(div))                                                                    \
    MAKE(Sum, 8, 1, VARIADIC, NULL, NONE, OF_NUMBERS(add))                                                             \
    MAKE(Mean, 8, 1, VARIADIC, NULL, NONE, OF_FLOATS(add))                                                             \
    MAKE(Min, 8, 1, VARIADIC, NULL, NONE, OF_NUMBERS(min))                                                             \
    MAKE(Max, 8, 1, VARIADIC, NULL, NONE, OF_NUMBERS(max))                                                             \
    MAKE(Mod, 10, 2, 2, "fmod", NONE, OF_INTEGERS(mod))                                                                \
    MAKE(BitShift, 11, 2, 2, "direction", NONE, OF_UNSIGNED(right))                                                    \
    MAKE(PRelu, 7, 2, 2, NULL, NONE, OF_FLOATS(prelu))                                                                 \
    MAKE(Equal, 7, 2, 2, NULL, BOOL, OF_NUMBERS(equal), [DATATYPE_BOOL] = equal_uint8)                                 \
    MAKE(Less, 7, 2, 2, NULL, BOOL, OF_NUMBERS(less))                                                                  \
    MAKE(LessOrEqual, 12, 2, 2, NULL, BOOL, OF_NUMBERS(less_or_equal))                                                 \
    MAKE(Greater, 7, 2, 2, NULL, BOOL, OF_NUMBERS(greater))                                                            \
    MAKE(GreaterOrEqual, 12, 2, 2, NULL, BOOL, OF_NUMBERS(greater_or_equal))                                           \
    MAKE(And, 7, 2, 2, NULL, BOOL, [DATATYPE_BOOL] = and_bool)                                                         \
    MAKE(Or, 7, 2, 2, NULL, BOOL, [DATATYPE_BOOL] = or_bool)                                                           \
    MAKE(Xor, 7, 2, 2, NULL, BOOL, [DATATYPE_BOOL] = xor_bool)

/* The operators of one tensor of any floats: name, first opset, function of any float. Of the fast ones, FP32 has
 * kernels of its own. */
#define EACH_UNARY(MAKE)                                                                                               \
    MAKE(Neg, 6, NEG)                                                                                                  \
    MAKE(Abs, 6, fabs)                                                                                                 \
    MAKE(Sqrt, 6, sqrt)                                                                                                \
    MAKE(Exp, 6, exp)                                                                                                  \
    MAKE(Log, 6, log)                                                                                                  \
    MAKE(Floor, 6, floor)                                                                                              \
    MAKE(Ceil, 6, ceil)                                                                                                \
    MAKE(Round, 11, nearbyint) /* to even */                                                                           \
    MAKE(Erf, 9, erf)                                                                                                  \
    MAKE(Sign, 9, SIGN)                                                                                                \
    MAKE(Reciprocal, 6, RECIPROCAL)                                                                                    \
    MAKE(Softplus, 1, SOFTPLUS)                                                                                        \
    MAKE(Softsign, 1, SOFTSIGN)                                                                                        \
    MAKE(HardSwish, 14, HARDSWISH)                                                                                     \
    MAKE(Sin, 7, sin)                                                                                                  \
    MAKE(Cos, 7, cos)                                                                                                  \
    MAKE(Tan, 7, tan)                                                                                                  \
    MAKE(Asin, 7, asin)                                                                                                \
    MAKE(Acos, 7, acos)                                                                                                \
    MAKE(Atan, 7, atan)                                                                                                \
    MAKE(Sinh, 9, sinh)                                                                                                \
    MAKE(Cosh, 9, cosh)                                                                                                \
    MAKE(Asinh, 9, asinh)                                                                                              \
    MAKE(Acosh, 9, acosh)                                                                                              \
    MAKE(Atanh, 9, atanh)
#define EACH_FAST_UNARY(MAKE) MAKE(Relu, 6, RELU) MAKE(Sigmoid, 6, SIGMOID) MAKE(Tanh, 6, tanh)
