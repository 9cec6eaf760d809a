/* Operators of one tensor, element by element. */
#include "base/count.h"
#include "engine/call.h"
#include "engine/curve.h"
#include "engine/families.h"
#include "engine/fast.h"
#include "tensor/half.h"

#include <math.h>

typedef void kernel(const void *in, void *out, size_t count);

#define KERNEL(NAME, TYPE, EXPRESSION) KERNEL_AS(static, NAME, TYPE, EXPRESSION)
#define KERNEL_AS(QUALIFIERS, NAME, TYPE, EXPRESSION)                                                                  \
    QUALIFIERS void NAME(const void *in, void *out, size_t count)                                                      \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const TYPE x = ((const TYPE *)in)[i];                                                                      \
            ((TYPE *)out)[i] = (TYPE)(EXPRESSION);                                                                     \
        }                                                                                                              \
    }

/* --- All signed types --- */

#define SIGNED_KERNELS(SUFFIX, TYPE)                                                                                   \
    KERNEL(relu_##SUFFIX, TYPE, x > 0 ? x : 0)                                                                         \
    KERNEL(neg_##SUFFIX, TYPE, 0 - (uint64_t)x)                                                                        \
    KERNEL(abs_##SUFFIX, TYPE, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)

SIGNED_KERNELS(int8, int8_t)
SIGNED_KERNELS(int16, int16_t)
SIGNED_KERNELS(int32, int32_t)
SIGNED_KERNELS(int64, int64_t)

#define UNSIGNED_KERNELS(SUFFIX, TYPE) KERNEL(abs_##SUFFIX, TYPE, x)
UNSIGNED_KERNELS(uint8, uint8_t)
UNSIGNED_KERNELS(uint16, uint16_t)
UNSIGNED_KERNELS(uint32, uint32_t)
UNSIGNED_KERNELS(uint64, uint64_t)

KERNEL(not_bool, uint8_t, !x)

/* --- Floats: FP16 and BF16 are computed as float --- */

#define RELU(x)      ((x) < 0 ? 0 : (x)) /* NaN stays NaN */
#define NEG(x)       (-(x))
#define SIGMOID_F(x) (1.0F / (1.0F + expf(-(x))))
#define SIGMOID_D(x) (1.0 / (1.0 + exp(-(x))))

#define FLOAT_KERNELS(NAME, SINGLE, DOUBLE)                                                                            \
    KERNEL(NAME##_fp32, float, SINGLE(x))                                                                              \
    OTHER_FLOAT_KERNELS(NAME, SINGLE, DOUBLE)
#define OTHER_FLOAT_KERNELS(NAME, SINGLE, DOUBLE)                                                                      \
    KERNEL(NAME##_fp64, double, DOUBLE(x))                                                                             \
    KERNEL(NAME##_fp16, uint16_t, half_from_float(SINGLE(half_to_float(x))))                                           \
    KERNEL(NAME##_bf16, uint16_t, bfloat16_from_float(SINGLE(bfloat16_to_float(x))))

KERNEL_AS(FAST static, relu_fp32, float, RELU(x))
OTHER_FLOAT_KERNELS(relu, RELU, RELU)
FLOAT_KERNELS(neg, NEG, NEG)
FLOAT_KERNELS(abs, fabsf, fabs)
FLOAT_KERNELS(sqrt, sqrtf, sqrt)
FLOAT_KERNELS(exp, expf, exp)
FLOAT_KERNELS(log, logf, log)
OTHER_FLOAT_KERNELS(sigmoid, SIGMOID_F, SIGMOID_D)
OTHER_FLOAT_KERNELS(tanh, tanhf, tanh)
KERNEL_AS(FAST static, sigmoid_fp32, float, curve_sigmoid(x))
KERNEL_AS(FAST static, tanh_fp32, float, curve_tanh(x))
FLOAT_KERNELS(floor, floorf, floor)
FLOAT_KERNELS(ceil, ceilf, ceil)

#define ERF_D(x)       erf(x)
#define SIGN(x)        ((x) > 0 ? 1 : (x) < 0 ? -1 : (x))
#define RECIPROCAL(x)  (1 / (x))
#define SOFTPLUS_F(x)  (fmaxf((x), 0) + log1pf(expf(-fabsf(x))))
#define SOFTPLUS_D(x)  (fmax((x), 0) + log1p(exp(-fabs(x))))
#define SOFTSIGN_F(x)  ((x) / (1 + fabsf(x)))
#define SOFTSIGN_D(x)  ((x) / (1 + fabs(x)))
#define HARDSWISH_F(x) ((x)*fmaxf(0, fminf(1, (x) / 6 + 0.5F)))
#define HARDSWISH_D(x) ((x)*fmax(0, fmin(1, (x) / 6 + 0.5)))
FLOAT_KERNELS(erf, erff, ERF_D)
FLOAT_KERNELS(sign, SIGN, SIGN)
FLOAT_KERNELS(reciprocal, RECIPROCAL, RECIPROCAL)
FLOAT_KERNELS(round, nearbyintf, nearbyint) /* to even */
FLOAT_KERNELS(softplus, SOFTPLUS_F, SOFTPLUS_D)
FLOAT_KERNELS(softsign, SOFTSIGN_F, SOFTSIGN_D)
FLOAT_KERNELS(hardswish, HARDSWISH_F, HARDSWISH_D)
FLOAT_KERNELS(sin, sinf, sin)
FLOAT_KERNELS(cos, cosf, cos)
FLOAT_KERNELS(tan, tanf, tan)
FLOAT_KERNELS(asin, asinf, asin)
FLOAT_KERNELS(acos, acosf, acos)
FLOAT_KERNELS(atan, atanf, atan)
FLOAT_KERNELS(sinh, sinhf, sinh)
FLOAT_KERNELS(cosh, coshf, cosh)
FLOAT_KERNELS(asinh, asinhf, asinh)
FLOAT_KERNELS(acosh, acoshf, acosh)
FLOAT_KERNELS(atanh, atanhf, atanh)
KERNEL(sign_int32, int32_t, (x > 0) - (x < 0))
KERNEL(sign_int64, int64_t, (x > 0) - (x < 0))

#define OF_FLOATS(PREFIX)                                                                                              \
    [DATATYPE_FP16] = PREFIX##_fp16, [DATATYPE_FP32] = PREFIX##_fp32, [DATATYPE_FP64] = PREFIX##_fp64,                 \
    [DATATYPE_BF16] = PREFIX##_bf16
#define OF_SIGNED(PREFIX)                                                                                              \
    [DATATYPE_INT8] = PREFIX##_int8, [DATATYPE_INT16] = PREFIX##_int16, [DATATYPE_INT32] = PREFIX##_int32,             \
    [DATATYPE_INT64] = PREFIX##_int64
#define OF_UNSIGNED(PREFIX)                                                                                            \
    [DATATYPE_UINT8] = PREFIX##_uint8, [DATATYPE_UINT16] = PREFIX##_uint16, [DATATYPE_UINT32] = PREFIX##_uint32,       \
    [DATATYPE_UINT64] = PREFIX##_uint64

static const struct {
    const char *op_type;
    kernel *by_datatype[DATATYPE_COUNT];
} kernels[] = {
    {"Relu", {OF_FLOATS(relu), OF_SIGNED(relu)}},
    {"Neg", {OF_FLOATS(neg), OF_SIGNED(neg)}},
    {"Abs", {OF_FLOATS(abs), OF_SIGNED(abs), OF_UNSIGNED(abs)}},
    {"Sqrt", {OF_FLOATS(sqrt)}},
    {"Exp", {OF_FLOATS(exp)}},
    {"Log", {OF_FLOATS(log)}},
    {"Sigmoid", {OF_FLOATS(sigmoid)}},
    {"Tanh", {OF_FLOATS(tanh)}},
    {"Floor", {OF_FLOATS(floor)}},
    {"Ceil", {OF_FLOATS(ceil)}},
    {"Not", {[DATATYPE_BOOL] = not_bool}},
    {"Erf", {OF_FLOATS(erf)}},
    {"Sign", {OF_FLOATS(sign), [DATATYPE_INT32] = sign_int32, [DATATYPE_INT64] = sign_int64}},
    {"Reciprocal", {OF_FLOATS(reciprocal)}},
    {"Round", {OF_FLOATS(round)}},
    {"Softplus", {OF_FLOATS(softplus)}},
    {"Softsign", {OF_FLOATS(softsign)}},
    {"HardSwish", {OF_FLOATS(hardswish)}},
    {"Sin", {OF_FLOATS(sin)}},
    {"Cos", {OF_FLOATS(cos)}},
    {"Tan", {OF_FLOATS(tan)}},
    {"Asin", {OF_FLOATS(asin)}},
    {"Acos", {OF_FLOATS(acos)}},
    {"Atan", {OF_FLOATS(atan)}},
    {"Sinh", {OF_FLOATS(sinh)}},
    {"Cosh", {OF_FLOATS(cosh)}},
    {"Asinh", {OF_FLOATS(asinh)}},
    {"Acosh", {OF_FLOATS(acosh)}},
    {"Atanh", {OF_FLOATS(atanh)}},
};

struct unary {
    kernel *run;
};

struct status unary_load(struct network *network, struct node *node)
{
    const struct type *type = input_type(network, node, 0);
    struct unary *unary = arena_new_of(&network->arena, struct unary);
    if (!unary)
        return status_no_memory();
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        if (strcmp(kernels[i].op_type, node->op->name) == 0)
            unary->run = kernels[i].by_datatype[type->datatype];
    if (!unary->run)
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "%s is not supported",
                          datatype_name(type->datatype));
    node->state = unary;
    return set_output_type(network, node, type->datatype, type->shape, type->rank);
}

struct status unary_run(const struct node *node, const struct run *run)
{
    const struct unary *unary = node->state;
    const struct tensor *in = input_tensor(node, run, 0);
    struct tensor *out = output_tensor(node, run, 0);
    if (!tensor_make(out, in->datatype, in->shape, in->rank, run->arena))
        return status_no_memory();
    unary->run(in->data, out->data, in->count);
    return STATUS_IS_OK;
}

/* --- FP32 with numbers beside it --- */

typedef void curve(const float *in, float *out, size_t count, float alpha, float beta);

#define CURVE(NAME, EXPRESSION)                                                                                        \
    static void NAME(const float *in, float *out, size_t count, float alpha, float beta)                               \
    {                                                                                                                  \
        (void)beta;                                                                                                    \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const float x = in[i];                                                                                     \
            out[i] = (EXPRESSION);                                                                                     \
        }                                                                                                              \
    }

CURVE(leaky_relu, x < 0 ? alpha * x : x)
CURVE(elu, x < 0 ? alpha * expm1f(x) : x)
CURVE(celu, fmaxf(x, 0) + fminf(0, alpha *expm1f(x / alpha)))
CURVE(selu, beta *(x > 0 ? x : alpha * expm1f(x)))
CURVE(hard_sigmoid, fmaxf(0, fminf(1, alpha *x + beta)))
CURVE(thresholded_relu, x > alpha ? x : 0)
CURVE(shrink, x<-beta ? x + alpha : x> beta ? x - alpha : 0)

static const struct {
    const char *op_type;
    curve *run;
    const char *alpha, *beta; /* the names of the attributes */
    float default_alpha, default_beta;
} curves[] = {
    {"LeakyRelu", leaky_relu, "alpha", "", 0.01F, 0},
    {"Elu", elu, "alpha", "", 1, 0},
    {"Celu", celu, "alpha", "", 1, 0},
    {"Selu", selu, "alpha", "gamma", 1.67326319217681884765625F, 1.05070102214813232421875F},
    {"HardSigmoid", hard_sigmoid, "alpha", "beta", 0.2F, 0.5F},
    {"ThresholdedRelu", thresholded_relu, "alpha", "", 1, 0},
    {"Shrink", shrink, "bias", "lambd", 0, 0.5F},
};

struct status curve_infer(const struct call *call, struct made *made)
{
    made_like(made, &call->inputs[0]);
    return made->datatype == DATATYPE_FP32
               ? STATUS_IS_OK
               : call_error(call, STATUS_UNIMPLEMENTED, "%s is not supported", datatype_name(made->datatype));
}

struct status curve_compute(const struct call *call)
{
    const struct tensor *in = call->inputs[0].tensor;
    size_t i = 0;
    while (strcmp(curves[i].op_type, call->node->op->name) != 0)
        i++;
    curves[i].run(in->data, call->outputs[0]->data, in->count,
                  node_float(call->node, curves[i].alpha, curves[i].default_alpha),
                  node_float(call->node, curves[i].beta, curves[i].default_beta));
    return STATUS_IS_OK;
}

/* --- Clip: the bounds are attributes until opset 10, then inputs --- */

#define CLIP(SUFFIX, TYPE)                                                                                             \
    FAST static void clip_##SUFFIX(const struct call *call, TYPE least, TYPE most)                                     \
    {                                                                                                                  \
        const struct tensor *in = call->inputs[0].tensor, *low = call_tensor(call, 1), *high = call_tensor(call, 2);   \
        least = low ? *(const TYPE *)low->data : least;                                                                \
        most = high ? *(const TYPE *)high->data : most;                                                                \
        for (size_t i = 0; i < in->count; i++) {                                                                       \
            TYPE x = ((const TYPE *)in->data)[i];                                                                      \
            x = x < least ? least : x;                                                                                 \
            ((TYPE *)call->outputs[0]->data)[i] = x > most ? most : x;                                                 \
        }                                                                                                              \
    }

CLIP(fp32, float)
CLIP(fp64, double)
CLIP(int8, int8_t)
CLIP(uint8, uint8_t)
CLIP(int32, int32_t)
CLIP(int64, int64_t)

struct status clip_infer(const struct call *call, struct made *made)
{
    made_like(made, &call->inputs[0]);
    enum datatype datatype = made->datatype;
    if (datatype != DATATYPE_FP32 && datatype != DATATYPE_FP64 && datatype != DATATYPE_INT8 &&
        datatype != DATATYPE_UINT8 && datatype != DATATYPE_INT32 && datatype != DATATYPE_INT64)
        return call_error(call, STATUS_UNIMPLEMENTED, "%s is not supported", datatype_name(datatype));
    for (size_t i = 1; i < 3; i++) {
        const struct operand *bound = call_operand(call, i);
        if (bound && (bound->type.datatype != datatype || (bound->tensor && bound->tensor->count != 1)))
            return call_refuse(call, "a bound is not one number of %s", datatype_name(datatype));
    }
    return STATUS_IS_OK;
}

struct status clip_compute(const struct call *call)
{
    switch (call->outputs[0]->datatype) {
    case DATATYPE_FP32:
        clip_fp32(call, node_float(call->node, "min", -INFINITY), node_float(call->node, "max", INFINITY));
        break;
    case DATATYPE_FP64:
        clip_fp64(call, -(double)INFINITY, (double)INFINITY);
        break;
    case DATATYPE_INT8:
        clip_int8(call, INT8_MIN, INT8_MAX);
        break;
    case DATATYPE_UINT8:
        clip_uint8(call, 0, UINT8_MAX);
        break;
    case DATATYPE_INT32:
        clip_int32(call, INT32_MIN, INT32_MAX);
        break;
    default:
        clip_int64(call, INT64_MIN, INT64_MAX);
    }
    return STATUS_IS_OK;
}

/* --- IsNaN, IsInf --- */

struct status is_infer(const struct call *call, struct made *made)
{
    made_like(made, &call->inputs[0]);
    if (made->datatype != DATATYPE_FP32 && made->datatype != DATATYPE_FP64)
        return call_error(call, STATUS_UNIMPLEMENTED, "%s is not supported", datatype_name(made->datatype));
    made->datatype = DATATYPE_BOOL;
    return STATUS_IS_OK;
}

struct status is_compute(const struct call *call)
{
    const struct tensor *in = call->inputs[0].tensor;
    bool nan = strcmp(call->node->op->name, "IsNaN") == 0, negative = node_int(call->node, "detect_negative", 1) != 0,
         positive = node_int(call->node, "detect_positive", 1) != 0;
    for (size_t i = 0; i < in->count; i++) {
        double x = in->datatype == DATATYPE_FP32 ? (double)((const float *)in->data)[i] : ((const double *)in->data)[i];
        ((uint8_t *)call->outputs[0]->data)[i] = nan ? isnan(x) != 0 : isinf(x) && (x < 0 ? negative : positive);
    }
    return STATUS_IS_OK;
}
