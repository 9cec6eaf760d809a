/* Operators of one tensor, element by element. */
#include "base/count.h"
#include "engine/call.h"
#include "engine/curve.h"
#include "engine/families.h"
#include "engine/fast.h"
#include "engine/kernels.h"
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

/* --- Integers --- */

#define SIGNED_KERNELS(SUFFIX, TYPE)                                                                                   \
    KERNEL(Relu_##SUFFIX, TYPE, x > 0 ? x : 0)                                                                         \
    KERNEL(Neg_##SUFFIX, TYPE, 0 - (uint64_t)x)                                                                        \
    KERNEL(Sign_##SUFFIX, TYPE, (x > 0) - (x < 0))                                                                     \
    KERNEL(Abs_##SUFFIX, TYPE, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
#define UNSIGNED_KERNELS(SUFFIX, TYPE)                                                                                 \
    KERNEL(Sign_##SUFFIX, TYPE, x > 0)                                                                                 \
    KERNEL(Abs_##SUFFIX, TYPE, x)

EACH_SIGNED(SIGNED_KERNELS)
EACH_UNSIGNED(UNSIGNED_KERNELS)
KERNEL(not_bool, uint8_t, !x)

/* --- Floats: FP16 and BF16 are computed as float --- */

#define RELU(x)        ((x) < 0 ? 0 : (x)) /* NaN stays NaN */
#define NEG(x)         (-(x))
#define SIGN(x)        ((x) > 0 ? 1 : (x) < 0 ? -1 : (x))
#define RECIPROCAL(x)  (1 / (x))
#define SIGMOID_F(x)   (1.0F / (1.0F + expf(-(x))))
#define SIGMOID_D(x)   (1.0 / (1.0 + exp(-(x))))
#define SOFTPLUS_F(x)  (fmaxf((x), 0) + log1pf(expf(-fabsf(x))))
#define SOFTPLUS_D(x)  (fmax((x), 0) + log1p(exp(-fabs(x))))
#define SOFTSIGN_F(x)  ((x) / (1 + fabsf(x)))
#define SOFTSIGN_D(x)  ((x) / (1 + fabs(x)))
#define HARDSWISH_F(x) ((x)*fmaxf(0, fminf(1, (x) / 6 + 0.5F)))
#define HARDSWISH_D(x) ((x)*fmax(0, fmin(1, (x) / 6 + 0.5)))

/* Those whose kernel of FP32 is of the usual kind, and those that are made to be fast. */
#define EACH_OPERATOR(MAKE)                                                                                            \
    MAKE(Neg, NEG, NEG)                                                                                                \
    MAKE(Abs, fabsf, fabs)                                                                                             \
    MAKE(Sqrt, sqrtf, sqrt)                                                                                            \
    MAKE(Exp, expf, exp)                                                                                               \
    MAKE(Log, logf, log)                                                                                               \
    MAKE(Floor, floorf, floor)                                                                                         \
    MAKE(Ceil, ceilf, ceil)                                                                                            \
    MAKE(Round, nearbyintf, nearbyint) /* to even */                                                                   \
    MAKE(Erf, erff, erf)                                                                                               \
    MAKE(Sign, SIGN, SIGN)                                                                                             \
    MAKE(Reciprocal, RECIPROCAL, RECIPROCAL)                                                                           \
    MAKE(Softplus, SOFTPLUS_F, SOFTPLUS_D)                                                                             \
    MAKE(Softsign, SOFTSIGN_F, SOFTSIGN_D)                                                                             \
    MAKE(HardSwish, HARDSWISH_F, HARDSWISH_D)                                                                          \
    MAKE(Sin, sinf, sin)                                                                                               \
    MAKE(Cos, cosf, cos)                                                                                               \
    MAKE(Tan, tanf, tan)                                                                                               \
    MAKE(Asin, asinf, asin)                                                                                            \
    MAKE(Acos, acosf, acos)                                                                                            \
    MAKE(Atan, atanf, atan)                                                                                            \
    MAKE(Sinh, sinhf, sinh)                                                                                            \
    MAKE(Cosh, coshf, cosh)                                                                                            \
    MAKE(Asinh, asinhf, asinh)                                                                                         \
    MAKE(Acosh, acoshf, acosh)                                                                                         \
    MAKE(Atanh, atanhf, atanh)
#define EACH_FAST_OPERATOR(MAKE)                                                                                       \
    MAKE(Relu, RELU, RELU)                                                                                             \
    MAKE(Sigmoid, SIGMOID_F, SIGMOID_D)                                                                                \
    MAKE(Tanh, tanhf, tanh)

#define OTHER_KERNELS(NAME, SINGLE, DOUBLE)                                                                            \
    KERNEL(NAME##_fp64, double, DOUBLE(x))                                                                             \
    KERNEL(NAME##_fp16, uint16_t, half_from_float(SINGLE(half_to_float(x))))                                           \
    KERNEL(NAME##_bf16, uint16_t, bfloat16_from_float(SINGLE(bfloat16_to_float(x))))
#define FLOAT_KERNELS(NAME, SINGLE, DOUBLE) KERNEL(NAME##_fp32, float, SINGLE(x)) OTHER_KERNELS(NAME, SINGLE, DOUBLE)

EACH_OPERATOR(FLOAT_KERNELS)
EACH_FAST_OPERATOR(OTHER_KERNELS)
KERNEL_AS(FAST static, Relu_fp32, float, RELU(x))
KERNEL_AS(FAST static, Sigmoid_fp32, float, curve_sigmoid(x))
KERNEL_AS(FAST static, Tanh_fp32, float, curve_tanh(x))

#define FLOAT_ROW(NAME, SINGLE, DOUBLE) {#NAME, {OF_FLOATS(NAME)}},

static const struct {
    const char *op_type;
    kernel *by_datatype[DATATYPE_COUNT];
} kernels[] = {
    EACH_OPERATOR(FLOAT_ROW) EACH_FAST_OPERATOR(FLOAT_ROW)
    /* of other datatypes */
    {"Relu", {OF_SIGNED(Relu)}},
    {"Neg", {OF_SIGNED(Neg)}},
    {"Sign", {OF_INTEGERS(Sign)}},
    {"Abs", {OF_INTEGERS(Abs)}},
    {"Not", {[DATATYPE_BOOL] = not_bool}},
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
        if (!unary->run && strcmp(kernels[i].op_type, node->op->name) == 0)
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

typedef void clip(const struct call *call);

/* LEAST and MOST are the ends of an integer type, or the attributes. */
#define CLIP(SUFFIX, TYPE, LEAST, MOST)                                                                                \
    FAST static void clip_##SUFFIX(const struct call *call)                                                            \
    {                                                                                                                  \
        const struct tensor *in = call->inputs[0].tensor, *low = call_tensor(call, 1), *high = call_tensor(call, 2);   \
        const TYPE least = low ? *(const TYPE *)low->data : (TYPE)(LEAST),                                             \
                   most = high ? *(const TYPE *)high->data : (TYPE)(MOST);                                             \
        for (size_t i = 0; i < in->count; i++) {                                                                       \
            TYPE x = ((const TYPE *)in->data)[i];                                                                      \
            x = x < least ? least : x;                                                                                 \
            ((TYPE *)call->outputs[0]->data)[i] = x > most ? most : x;                                                 \
        }                                                                                                              \
    }
#define CLIP_REAL(SUFFIX, TYPE)                                                                                        \
    CLIP(SUFFIX, TYPE, node_float(call->node, "min", -INFINITY), node_float(call->node, "max", INFINITY))
#define CLIP_UNSIGNED(SUFFIX, TYPE) CLIP(SUFFIX, TYPE, 0, UINT64_MAX)
#define CLIP_SIGNED(SUFFIX, TYPE)                                                                                      \
    CLIP(SUFFIX, TYPE, INT64_MIN >> (64 - 8 * sizeof(TYPE)), INT64_MAX >> (64 - 8 * sizeof(TYPE)))

EACH_REAL(CLIP_REAL)
EACH_UNSIGNED(CLIP_UNSIGNED)
EACH_SIGNED(CLIP_SIGNED)
static clip *const clips[DATATYPE_COUNT] = {OF_REALS(clip), OF_INTEGERS(clip)};

struct status clip_infer(const struct call *call, struct made *made)
{
    made_like(made, &call->inputs[0]);
    if (!clips[made->datatype])
        return call_error(call, STATUS_UNIMPLEMENTED, "%s is not supported", datatype_name(made->datatype));
    for (size_t i = 1; i < 3; i++) {
        const struct operand *bound = call_operand(call, i);
        if (bound && (bound->type.datatype != made->datatype || (bound->tensor && bound->tensor->count != 1)))
            return call_refuse(call, "a bound is not one number of %s", datatype_name(made->datatype));
    }
    return STATUS_IS_OK;
}

struct status clip_compute(const struct call *call)
{
    clips[call->outputs[0]->datatype](call);
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
