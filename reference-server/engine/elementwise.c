/* Operators that combine two tensors element by element, with NumPy's broadcasting. Integers wrap around, as in every
 * ONNX runtime. They are computed here and not by oneDNN, which would convert them to float. FP16 and BF16 are computed
 * as float and rounded once.
 *
 * A kernel computes one row of `count` elements. Each operand moves on (step 1) or stays at one element (step 0).
 * Broadcasting is a walk over the rows; two equal shapes are one row. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/families.h"
#include "engine/fast.h"
#include "engine/kernels.h"
#include "engine/move.h"
#include "tensor/cast.h"
#include "tensor/half.h"

#include <math.h>

/* READ makes an element the number x or y, of type TYPE. */
#define ROW_LOOP(IN, TYPE, READ, OUT, A_STEP, B_STEP, EXPRESSION)                                                      \
    for (size_t i = 0; i < count; i++) {                                                                               \
        const TYPE x = READ(((const IN *)a)[i * (A_STEP)]), y = READ(((const IN *)b)[i * (B_STEP)]);                   \
        ((OUT *)out)[i] = (OUT)(EXPRESSION);                                                                           \
    }

/* The steps are constants in the three important cases, so that the compiler can vectorise the loops. */
#define KERNEL_AS(QUALIFIERS, NAME, IN, TYPE, READ, OUT, EXPRESSION)                                                   \
    QUALIFIERS static void NAME(const void *a, size_t a_step, const void *b, size_t b_step, void *out, size_t count)   \
    {                                                                                                                  \
        if (a_step && b_step)                                                                                          \
            ROW_LOOP(IN, TYPE, READ, OUT, 1, 1, EXPRESSION)                                                            \
        else if (a_step)                                                                                               \
            ROW_LOOP(IN, TYPE, READ, OUT, 1, 0, EXPRESSION)                                                            \
        else                                                                                                           \
            ROW_LOOP(IN, TYPE, READ, OUT, 0, b_step, EXPRESSION)                                                       \
    }
#define KERNEL(NAME, TYPE, EXPRESSION) KERNEL_AS(, NAME, TYPE, TYPE, , TYPE, EXPRESSION)

/* --- For all numbers --- */

#define COMPARISON_KERNELS(QUALIFIERS, SUFFIX, IN, TYPE, READ)                                                         \
    KERNEL_AS(QUALIFIERS, equal_##SUFFIX, IN, TYPE, READ, uint8_t, x == y)                                             \
    KERNEL_AS(QUALIFIERS, less_##SUFFIX, IN, TYPE, READ, uint8_t, x < y)                                               \
    KERNEL_AS(QUALIFIERS, less_or_equal_##SUFFIX, IN, TYPE, READ, uint8_t, x <= y)                                     \
    KERNEL_AS(QUALIFIERS, greater_##SUFFIX, IN, TYPE, READ, uint8_t, x > y)                                            \
    KERNEL_AS(QUALIFIERS, greater_or_equal_##SUFFIX, IN, TYPE, READ, uint8_t, x >= y)

#define MIN(x, y) ((x) < (y) || (x) != (x) ? (x) : (y)) /* NaN stays */
#define MAX(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))

/* --- Integers --- */

/* Unsigned 64-bit arithmetic wraps, and its low bits are right for every smaller integer, signed or not. */
#define ADD(x, y) ((uint64_t)(x) + (uint64_t)(y))
#define SUB(x, y) ((uint64_t)(x) - (uint64_t)(y))
#define MUL(x, y) ((uint64_t)(x) * (uint64_t)(y))

/* Division by -1 is negation, which wraps for the lowest number. A divisor of 0 was refused before. */
#define DIV_SIGNED(x, y)   ((y) == -1 ? SUB(0, (x)) : (uint64_t)((x) / ((y) ? (y) : 1)))
#define DIV_UNSIGNED(x, y) ((x) / ((y) ? (y) : 1))

/* The remainder has the sign of the divisor; that of the attribute fmod has the sign of the dividend, as in C. */
#define FMOD(x, y)         ((y) == -1 || (y) == 0 ? 0 : (x) % (y))
#define MOD_SIGNED(x, y)   (FMOD(x, y) && (FMOD(x, y) < 0) != ((y) < 0) ? FMOD(x, y) + (y) : FMOD(x, y))
#define MOD_UNSIGNED(x, y) ((x) % ((y) ? (y) : 1))

#define INTEGER_KERNELS(SUFFIX, TYPE)                                                                                  \
    COMPARISON_KERNELS(, SUFFIX, TYPE, TYPE, )                                                                         \
    KERNEL(add_##SUFFIX, TYPE, ADD(x, y))                                                                              \
    KERNEL(sub_##SUFFIX, TYPE, SUB(x, y))                                                                              \
    KERNEL(mul_##SUFFIX, TYPE, MUL(x, y))                                                                              \
    KERNEL(min_##SUFFIX, TYPE, MIN(x, y))                                                                              \
    KERNEL(max_##SUFFIX, TYPE, MAX(x, y))
#define UNSIGNED_KERNELS(SUFFIX, TYPE)                                                                                 \
    INTEGER_KERNELS(SUFFIX, TYPE)                                                                                      \
    KERNEL(div_##SUFFIX, TYPE, DIV_UNSIGNED(x, y))                                                                     \
    KERNEL(mod_##SUFFIX, TYPE, MOD_UNSIGNED(x, y))                                                                     \
    KERNEL(left_##SUFFIX, TYPE, (y) < 8 * sizeof(x) ? (uint64_t)(x) << (y) : 0)                                        \
    KERNEL(right_##SUFFIX, TYPE, (y) < 8 * sizeof(x) ? (uint64_t)(x) >> (y) : 0)
#define SIGNED_KERNELS(SUFFIX, TYPE)                                                                                   \
    INTEGER_KERNELS(SUFFIX, TYPE)                                                                                      \
    KERNEL(div_##SUFFIX, TYPE, DIV_SIGNED(x, y))                                                                       \
    KERNEL(mod_##SUFFIX, TYPE, MOD_SIGNED(x, y))                                                                       \
    KERNEL(fmod_##SUFFIX, TYPE, FMOD(x, y))

EACH_UNSIGNED(UNSIGNED_KERNELS)
EACH_SIGNED(SIGNED_KERNELS)

/* --- Floats --- */

#define FLOAT_KERNELS(QUALIFIERS, SUFFIX, IN, TYPE, READ, WRITE)                                                       \
    COMPARISON_KERNELS(QUALIFIERS, SUFFIX, IN, TYPE, READ)                                                             \
    KERNEL_AS(QUALIFIERS, add_##SUFFIX, IN, TYPE, READ, IN, WRITE(x + y))                                              \
    KERNEL_AS(QUALIFIERS, sub_##SUFFIX, IN, TYPE, READ, IN, WRITE(x - y))                                              \
    KERNEL_AS(QUALIFIERS, mul_##SUFFIX, IN, TYPE, READ, IN, WRITE(x *y))                                               \
    KERNEL_AS(QUALIFIERS, div_##SUFFIX, IN, TYPE, READ, IN, WRITE(x / y))                                              \
    KERNEL_AS(, min_##SUFFIX, IN, TYPE, READ, IN, WRITE(MIN(x, y)))                                                    \
    KERNEL_AS(, max_##SUFFIX, IN, TYPE, READ, IN, WRITE(MAX(x, y)))                                                    \
    KERNEL_AS(, prelu_##SUFFIX, IN, TYPE, READ, IN, WRITE(x < 0 ? x * y : x))                                          \
    KERNEL_AS(, fmod_##SUFFIX, IN, TYPE, READ, IN, WRITE((TYPE)fmod((double)x, (double)y)))

FLOAT_KERNELS(FAST, fp32, float, float, , )
FLOAT_KERNELS(, fp64, double, double, , )
FLOAT_KERNELS(, fp16, uint16_t, float, half_to_float, half_from_double)
FLOAT_KERNELS(, bf16, uint16_t, float, bfloat16_to_float, bfloat16_from_double)
KERNEL(pow_fp32, float, y == 2 ? x * x : powf(x, y))
KERNEL(pow_fp64, double, pow(x, y))

/* --- The table --- */

KERNEL(and_bool, uint8_t, x &y)
KERNEL(or_bool, uint8_t, x | y)
KERNEL(xor_bool, uint8_t, x ^ y)

#define OF_NUMBERS(NAME) OF_INTEGERS(NAME), OF_FLOATS(NAME)

#define ROW(NAME, SINCE, LEAST, MOST, ATTRIBUTES, GIVES, ...) {#NAME, {__VA_ARGS__}},

static const struct kernels {
    const char *op_type;
    binary_kernel *by_datatype[DATATYPE_COUNT];
} kernels[] = {
    EACH_BINARY(ROW){"Mod (fmod)", {OF_UNSIGNED(mod), OF_SIGNED(fmod), OF_FLOATS(fmod)}},
    {"BitShift (LEFT)", {OF_UNSIGNED(left)}},
    {"Pow", {[DATATYPE_FP32] = pow_fp32}},
};

/* Returns the row of an operator; one with an attribute that chooses between two has a row for each. */
static const struct kernels *row_of(const char *op_type)
{
    size_t i = 0;
    while (strcmp(kernels[i].op_type, op_type) != 0)
        i++;
    return &kernels[i];
}

binary_kernel *binary_kernel_of(const char *op_type, enum datatype datatype)
{
    return row_of(op_type)->by_datatype[datatype];
}

/* --- Loading --- */

struct binary {
    binary_kernel *run;
    bool is_integer_division, is_mean;
    bool is_wide; /* the inputs are cast to FP64 before, and the result to the datatype of the first one */
};

/* The exponent of Pow may be of another type than the base; only FP32 is raised as it is. */
LOAD(binary)
{
    const enum datatype datatype = operand_type(network, node, 0)->datatype;
    const struct kernels *row = row_of(node_int(node, "fmod", 0)                                 ? "Mod (fmod)"
                                       : str_is(node_string(node, "direction", STR("")), "LEFT") ? "BitShift (LEFT)"
                                                                                                 : node->op->name);
    const bool divides = strcmp(row->op_type, "Div") == 0 || strncmp(row->op_type, "Mod", 3) == 0;
    *binary = (struct binary){.run = row->by_datatype[datatype],
                              .is_integer_division = divides && !datatype_is_float(datatype),
                              .is_mean = strcmp(row->op_type, "Mean") == 0};
    if (strcmp(row->op_type, "Pow") == 0 && !(binary->run && operand_type(network, node, 1)->datatype == datatype))
        *binary = (struct binary){.run = pow_fp64, .is_wide = true};
    return binary->run ? STATUS_IS_OK : node_refuses_type(node, &network->arena, datatype);
}

/* The shapes of all inputs are broadcast. */
INFER(binary)
{
    for (size_t i = 1; i < call->node->input_count; i++) {
        const struct type *type = &call->inputs[i].type;
        const struct made before = *made;
        if (!made_broadcast(made, type->shape, type->rank))
            return call_refuse(call, "shapes %s and %s do not broadcast",
                               shape_text(call->arena, before.shape, before.rank), input_text(call, i));
    }
    return STATUS_IS_OK;
}

/* --- Running --- */

/* Runs the kernel for each row of the last dimension. */
static void run_rows(const struct binary *binary, const struct tensor *a, const struct tensor *b, struct tensor *out)
{
    struct walk walk = {.block = move_between(out, out, out)};
    broadcast_steps(a, out->rank, walk.block.from);
    broadcast_steps(b, out->rank, walk.block.to);
    const size_t last = --walk.block.rank, row = (size_t)out->shape[last];
    const size_t a_step = (size_t)walk.block.from[last], b_step = (size_t)walk.block.to[last];
    char *to = out->data;
    do {
        binary->run(element_at(a, walk.from), a_step, element_at(b, walk.to), b_step, to, row);
        to += row * size_of(out);
    } while (walk_on(&walk));
}

static bool has_zero(const struct tensor *tensor)
{
    static const char zero[8];
    return ANY(i, tensor->count, memcmp(element_at(tensor, (int64_t)i), zero, size_of(tensor)) == 0);
}

/* Combines two tensors. The result has room, and its shape is theirs, broadcast. */
static struct status combine(const struct call *call, const struct tensor *a, const struct tensor *b,
                             struct tensor *out)
{
    const struct binary *binary = call->node->state;
    if (binary->is_integer_division && has_zero(b))
        return call_refuse(call, "division by zero");
    if (a->count == out->count && b->count == out->count)
        binary->run(a->data, 1, b->data, 1, out->data, out->count);
    else if (out->count)
        run_rows(binary, a, b, out);
    return STATUS_IS_OK;
}

static struct status compute_wide(const struct call *call)
{
    struct tensor a = *call->inputs[0].tensor, b = *call->inputs[1].tensor, *out = call->outputs[0], wide = {0};
    NEED(tensor_cast(&a, DATATYPE_FP64, call->arena, &a) && tensor_cast(&b, DATATYPE_FP64, call->arena, &b) &&
         tensor_make(&wide, DATATYPE_FP64, out->shape, out->rank, call->arena));
    TRY(combine(call, &a, &b, &wide));
    NEED(tensor_cast(&wide, out->datatype, call->arena, out));
    return STATUS_IS_OK;
}

static bool make_broadcast(const struct tensor *a, const struct tensor *b, struct arena *arena, struct tensor *made)
{
    int64_t shape[TENSOR_RANK_MAX];
    shape_broadcast(a->shape, a->rank, b->shape, b->rank, shape);
    return tensor_make(made, a->datatype, shape, a->rank > b->rank ? a->rank : b->rank, arena);
}

/* Sum, Mean, Min and Max have any number of inputs: the first two are combined, then the result and the third... */
COMPUTE(binary)
{
    const struct binary *binary = call->node->state;
    const size_t count = call->node->input_count;
    struct tensor sum = *in, number = {.datatype = DATATYPE_FP32, .count = 1, .data = &(float){(float)count}};
    if (binary->is_wide)
        return compute_wide(call);
    for (size_t i = 1; i < count; i++) {
        const struct tensor *other = call->inputs[i].tensor;
        struct tensor next = i + 1 == count ? *out : (struct tensor){0};
        NEED(i + 1 == count || make_broadcast(&sum, other, call->arena, &next));
        TRY(combine(call, &sum, other, &next));
        sum = next;
    }
    if (count == 1 && out->size)
        memcpy(out->data, sum.data, out->size);
    if (!binary->is_mean)
        return STATUS_IS_OK;
    const void *divisor = tensor_as(&number, out->datatype, call->arena);
    NEED(divisor);
    binary_kernel_of("Div", out->datatype)(out->data, 1, divisor, 0, out->data, out->count);
    return STATUS_IS_OK;
}
