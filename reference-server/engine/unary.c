/* Operators of one tensor, element by element. A kernel gets the attributes of the operator as two numbers. FP16 and
 * BF16 are computed as float. Clip has its bounds in two attributes until opset 10, then in two inputs. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/curve.h"
#include "engine/families.h"
#include "engine/fast.h"
#include "engine/kernels.h"
#include "tensor/half.h"

#include <tgmath.h> /* the functions of a float are those of floats */

typedef void kernel(const struct call *call, const void *in, void *out, size_t count, const float *numbers);

#define KERNEL_AS(QUALIFIERS, NAME, IN, OUT, EXPRESSION)                                                               \
    QUALIFIERS static void NAME(UNUSED const struct call *call, const void *in, void *out, size_t count,               \
                                const float *numbers)                                                                  \
    {                                                                                                                  \
        const float alpha = numbers[0], beta = numbers[1];                                                             \
        (void)alpha, (void)beta;                                                                                       \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const IN x = ((const IN *)in)[i];                                                                          \
            ((OUT *)out)[i] = (OUT)(EXPRESSION);                                                                       \
        }                                                                                                              \
    }
#define KERNEL(NAME, TYPE, EXPRESSION) KERNEL_AS(, NAME, TYPE, TYPE, EXPRESSION)

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

/* --- Floats: what the list in families.h names --- */

#define AS(x, number) ((__typeof__((x) + 0))(number))
#define RELU(x)       ((x) < 0 ? 0 : (x)) /* NaN stays NaN */
#define NEG(x)        (-(x))
#define SIGN(x)       ((x) > 0 ? 1 : (x) < 0 ? -1 : (x))
#define RECIPROCAL(x) (1 / (x))
#define SIGMOID(x)    (1 / (1 + exp(-(x))))
#define SOFTPLUS(x)   (fmax((x), AS(x, 0)) + log1p(exp(-fabs(x))))
#define SOFTSIGN(x)   ((x) / (1 + fabs(x)))
#define HARDSWISH(x)  ((x)*fmax(AS(x, 0), fmin(AS(x, 1), (x) / 6 + AS(x, 0.5))))

#define OTHER_KERNELS(NAME, SINCE, FUNCTION)                                                                           \
    KERNEL(NAME##_fp64, double, FUNCTION(x))                                                                           \
    KERNEL(NAME##_fp16, uint16_t, half_from_double((double)FUNCTION(half_to_float(x))))                                \
    KERNEL(NAME##_bf16, uint16_t, bfloat16_from_double((double)FUNCTION(bfloat16_to_float(x))))
#define FLOAT_KERNELS(NAME, SINCE, FUNCTION)                                                                           \
    KERNEL(NAME##_fp32, float, FUNCTION(x))                                                                            \
    OTHER_KERNELS(NAME, SINCE, FUNCTION)

EACH_UNARY(FLOAT_KERNELS)
EACH_FAST_UNARY(OTHER_KERNELS)
KERNEL_AS(FAST, Relu_fp32, float, float, RELU(x))
KERNEL_AS(FAST, Sigmoid_fp32, float, float, curve_sigmoid(x))
KERNEL_AS(FAST, Tanh_fp32, float, float, curve_tanh(x))

/* --- Floats with attributes, or with another result --- */

KERNEL(leaky_relu, float, x < 0 ? alpha * x : x)
KERNEL(elu, float, x < 0 ? alpha * expm1(x) : x)
KERNEL(celu, float, fmax(x, AS(x, 0)) + fmin(AS(x, 0), alpha *expm1(x / alpha)))
KERNEL(selu, float, beta *(x > 0 ? x : alpha * expm1(x)))
KERNEL(hard_sigmoid, float, fmax(AS(x, 0), fmin(AS(x, 1), alpha *x + beta)))
KERNEL(thresholded_relu, float, x > alpha ? x : 0)
KERNEL(shrink, float, x<-beta ? x + alpha : x> beta ? x - alpha : 0)

#define BOOL_KERNELS(SUFFIX, TYPE)                                                                                     \
    KERNEL_AS(, is_nan_##SUFFIX, TYPE, uint8_t, isnan(x) != 0)                                                         \
    KERNEL_AS(, is_inf_##SUFFIX, TYPE, uint8_t, isinf(x) && (x < 0 ? alpha : beta) != 0)
EACH_REAL(BOOL_KERNELS)

/* LEAST and MOST are the ends of an integer type, or the attributes. */
#define CLIP(SUFFIX, TYPE, LEAST, MOST)                                                                                \
    FAST static void clip_##SUFFIX(const struct call *call, const void *in, void *out, size_t count,                   \
                                   UNUSED const float *numbers)                                                        \
    {                                                                                                                  \
        const struct tensor *low = call_tensor(call, 1), *high = call_tensor(call, 2);                                 \
        const TYPE least = low ? *(const TYPE *)low->data : (TYPE)(LEAST),                                             \
                   most = high ? *(const TYPE *)high->data : (TYPE)(MOST);                                             \
        for (size_t i = 0; i < count; i++) {                                                                           \
            TYPE x = ((const TYPE *)in)[i];                                                                            \
            x = x < least ? least : x;                                                                                 \
            ((TYPE *)out)[i] = x > most ? most : x;                                                                    \
        }                                                                                                              \
    }
#define CLIP_REAL(SUFFIX, TYPE)     CLIP(SUFFIX, TYPE, numbers[0], numbers[1])
#define CLIP_UNSIGNED(SUFFIX, TYPE) CLIP(SUFFIX, TYPE, 0, UINT64_MAX)
#define CLIP_SIGNED(SUFFIX, TYPE)                                                                                      \
    CLIP(SUFFIX, TYPE, INT64_MIN >> (64 - 8 * sizeof(TYPE)), INT64_MAX >> (64 - 8 * sizeof(TYPE)))

EACH_REAL(CLIP_REAL)
EACH_UNSIGNED(CLIP_UNSIGNED)
EACH_SIGNED(CLIP_SIGNED)

/* --- The table: an operator may have several rows, for different datatypes --- */

#define FLOAT_ROW(NAME, SINCE, FUNCTION) {#NAME, {OF_FLOATS(NAME)}, {{0}}},

static const struct kernels {
    const char *op_type;
    kernel *by_datatype[DATATYPE_COUNT];
    struct {
        const char *attribute;
        float otherwise;
    } numbers[2];
} kernels[] = {
    EACH_UNARY(FLOAT_ROW) EACH_FAST_UNARY(FLOAT_ROW){"Relu", {OF_SIGNED(Relu)}, {{0}}},
    {"Neg", {OF_SIGNED(Neg)}, {{0}}},
    {"Sign", {OF_INTEGERS(Sign)}, {{0}}},
    {"Abs", {OF_INTEGERS(Abs)}, {{0}}},
    {"Not", {[DATATYPE_BOOL] = not_bool}, {{0}}},
    {"IsNaN", {OF_REALS(is_nan)}, {{0}}},
    {"IsInf", {OF_REALS(is_inf)}, {{"detect_negative", 1}, {"detect_positive", 1}}},
    {"LeakyRelu", {[DATATYPE_FP32] = leaky_relu}, {{"alpha", 0.01F}}},
    {"Elu", {[DATATYPE_FP32] = elu}, {{"alpha", 1}}},
    {"Celu", {[DATATYPE_FP32] = celu}, {{"alpha", 1}}},
    {"Selu", {[DATATYPE_FP32] = selu}, {{"alpha", 1.67326319217681884765625F}, {"gamma", 1.05070102214813232421875F}}},
    {"HardSigmoid", {[DATATYPE_FP32] = hard_sigmoid}, {{"alpha", 0.2F}, {"beta", 0.5F}}},
    {"ThresholdedRelu", {[DATATYPE_FP32] = thresholded_relu}, {{"alpha", 1}}},
    {"Shrink", {[DATATYPE_FP32] = shrink}, {{"bias", 0}, {"lambd", 0.5F}}},
    {"Clip", {OF_REALS(clip), OF_INTEGERS(clip)}, {{"min", -INFINITY}, {"max", INFINITY}}},
};

struct unary {
    kernel *run;
    float numbers[2];
};

LOAD(unary)
{
    const enum datatype datatype = operand_type(network, node, 0)->datatype;
    const struct kernels *row =
        FIND(kernels, i, COUNT_OF(kernels),
             strcmp(kernels[i].op_type, node->op->name) == 0 && kernels[i].by_datatype[datatype]);
    if (!row)
        return node_refuses_type(node, &network->arena, datatype);
    unary->run = row->by_datatype[datatype];
    for (size_t i = 0; i < 2 && row->numbers[i].attribute; i++) {
        const Onnx__AttributeProto *given = node_attribute(node, row->numbers[i].attribute);
        unary->numbers[i] = !given ? row->numbers[i].otherwise : given->has_i ? (float)given->i : given->f;
    }
    return STATUS_IS_OK;
}

INFER(unary)
{
    const bool fits =
        ALL(i, call->node->input_count, i == 0 || !call->inputs[i].tensor || call->inputs[i].tensor->count == 1);
    return fits ? STATUS_IS_OK : call_refuse(call, "a bound is not one number of %s", datatype_name(in->datatype));
}

COMPUTE(unary)
{
    const struct unary *unary = call->node->state;
    unary->run(call, in->data, out->data, in->count, unary->numbers);
    return STATUS_IS_OK;
}
