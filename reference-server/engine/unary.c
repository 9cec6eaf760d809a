/* Operators of one tensor, element by element. */
#include "base/count.h"
#include "engine/families.h"
#include "tensor/half.h"

#include <math.h>

typedef void kernel(const void *in, void *out, size_t count);

#define KERNEL(NAME, TYPE, EXPRESSION)                                                                                 \
    static void NAME(const void *in, void *out, size_t count)                                                          \
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
    KERNEL(NAME##_fp64, double, DOUBLE(x))                                                                             \
    KERNEL(NAME##_fp16, uint16_t, half_from_float(SINGLE(half_to_float(x))))                                           \
    KERNEL(NAME##_bf16, uint16_t, bfloat16_from_float(SINGLE(bfloat16_to_float(x))))

FLOAT_KERNELS(relu, RELU, RELU)
FLOAT_KERNELS(neg, NEG, NEG)
FLOAT_KERNELS(abs, fabsf, fabs)
FLOAT_KERNELS(sqrt, sqrtf, sqrt)
FLOAT_KERNELS(exp, expf, exp)
FLOAT_KERNELS(log, logf, log)
FLOAT_KERNELS(sigmoid, SIGMOID_F, SIGMOID_D)
FLOAT_KERNELS(tanh, tanhf, tanh)
FLOAT_KERNELS(floor, floorf, floor)
FLOAT_KERNELS(ceil, ceilf, ceil)

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
