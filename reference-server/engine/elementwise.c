/* Operators that combine two tensors element by element, with NumPy's broadcasting. Integers wrap around, as in every
 * ONNX runtime. They are computed here and not by oneDNN, which would convert them to float. FP16 and BF16 are computed
 * as float and rounded once.
 *
 * A kernel computes one row of `count` elements. Each operand moves on (step 1) or stays at one element (step 0).
 * Broadcasting is a walk over the rows; two equal shapes are one row. */
#include "base/count.h"
#include "engine/families.h"
#include "engine/fast.h"
#include "tensor/cast.h"
#include "tensor/half.h"

#include <math.h>

typedef void kernel(const void *a, size_t a_step, const void *b, size_t b_step, void *out, size_t count);

#define ROW_LOOP(IN, OUT, A_STEP, B_STEP, EXPRESSION)                                                                  \
    for (size_t i = 0; i < count; i++) {                                                                               \
        const IN x = ((const IN *)a)[i * (A_STEP)], y = ((const IN *)b)[i * (B_STEP)];                                 \
        ((OUT *)out)[i] = (OUT)(EXPRESSION);                                                                           \
    }

/* The steps are constants in the three important cases, so that the compiler can vectorise the loops. */
#define KERNEL(NAME, IN, OUT, EXPRESSION) KERNEL_AS(static, NAME, IN, OUT, EXPRESSION)
#define KERNEL_AS(QUALIFIERS, NAME, IN, OUT, EXPRESSION)                                                               \
    QUALIFIERS void NAME(const void *a, size_t a_step, const void *b, size_t b_step, void *out, size_t count)          \
    {                                                                                                                  \
        if (a_step && b_step)                                                                                          \
            ROW_LOOP(IN, OUT, 1, 1, EXPRESSION)                                                                        \
        else if (a_step)                                                                                               \
            ROW_LOOP(IN, OUT, 1, 0, EXPRESSION)                                                                        \
        else                                                                                                           \
            ROW_LOOP(IN, OUT, 0, b_step, EXPRESSION)                                                                   \
    }

/* --- Add, Sub, Mul, Div --- */

/* Unsigned 64-bit arithmetic wraps, and its low bits are right for every smaller integer, signed or not. */
#define ADD(x, y) ((uint64_t)(x) + (uint64_t)(y))
#define SUB(x, y) ((uint64_t)(x) - (uint64_t)(y))
#define MUL(x, y) ((uint64_t)(x) * (uint64_t)(y))

/* Division by -1 is negation, which wraps for the lowest number. A divisor of 0 was refused before. */
#define DIV_SIGNED(x, y)   ((y) == -1 ? SUB(0, (x)) : (uint64_t)((x) / ((y) ? (y) : 1)))
#define DIV_UNSIGNED(x, y) ((x) / ((y) ? (y) : 1))

#define INTEGER_KERNELS(SUFFIX, TYPE, DIV)                                                                             \
    KERNEL(add_##SUFFIX, TYPE, TYPE, ADD(x, y))                                                                        \
    KERNEL(sub_##SUFFIX, TYPE, TYPE, SUB(x, y))                                                                        \
    KERNEL(mul_##SUFFIX, TYPE, TYPE, MUL(x, y))                                                                        \
    KERNEL(div_##SUFFIX, TYPE, TYPE, DIV(x, y))

#define FLOAT_KERNELS(QUALIFIERS, SUFFIX, TYPE)                                                                        \
    KERNEL_AS(QUALIFIERS, add_##SUFFIX, TYPE, TYPE, x + y)                                                             \
    KERNEL_AS(QUALIFIERS, sub_##SUFFIX, TYPE, TYPE, x - y)                                                             \
    KERNEL_AS(QUALIFIERS, mul_##SUFFIX, TYPE, TYPE, x *y)                                                              \
    KERNEL_AS(QUALIFIERS, div_##SUFFIX, TYPE, TYPE, x / y)

#define HALF_KERNELS(SUFFIX, TO, FROM)                                                                                 \
    KERNEL(add_##SUFFIX, uint16_t, uint16_t, FROM(TO(x) + TO(y)))                                                      \
    KERNEL(sub_##SUFFIX, uint16_t, uint16_t, FROM(TO(x) - TO(y)))                                                      \
    KERNEL(mul_##SUFFIX, uint16_t, uint16_t, FROM(TO(x) * TO(y)))                                                      \
    KERNEL(div_##SUFFIX, uint16_t, uint16_t, FROM(TO(x) / TO(y)))

INTEGER_KERNELS(uint8, uint8_t, DIV_UNSIGNED)
INTEGER_KERNELS(uint16, uint16_t, DIV_UNSIGNED)
INTEGER_KERNELS(uint32, uint32_t, DIV_UNSIGNED)
INTEGER_KERNELS(uint64, uint64_t, DIV_UNSIGNED)
INTEGER_KERNELS(int8, int8_t, DIV_SIGNED)
INTEGER_KERNELS(int16, int16_t, DIV_SIGNED)
INTEGER_KERNELS(int32, int32_t, DIV_SIGNED)
INTEGER_KERNELS(int64, int64_t, DIV_SIGNED)
FLOAT_KERNELS(FAST static, fp32, float)
FLOAT_KERNELS(static, fp64, double)
HALF_KERNELS(fp16, half_to_float, half_from_float)
HALF_KERNELS(bf16, bfloat16_to_float, bfloat16_from_float)

/* --- Min, Max, Mod, Pow, PRelu, BitShift --- */

#define MIN(x, y) ((x) < (y) || (x) != (x) ? (x) : (y)) /* NaN stays */
#define MAX(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))

/* The remainder has the sign of the divisor; that of the attribute fmod has the sign of the dividend, as in C. */
#define FMOD(x, y)         ((y) == -1 || (y) == 0 ? 0 : (x) % (y))
#define MOD_SIGNED(x, y)   (FMOD(x, y) && (FMOD(x, y) < 0) != ((y) < 0) ? FMOD(x, y) + (y) : FMOD(x, y))
#define MOD_UNSIGNED(x, y) ((x) % ((y) ? (y) : 1))

#define EXTREME_KERNELS(SUFFIX, TYPE)                                                                                  \
    KERNEL(min_##SUFFIX, TYPE, TYPE, MIN(x, y))                                                                        \
    KERNEL(max_##SUFFIX, TYPE, TYPE, MAX(x, y))
#define SIGNED_KERNELS(SUFFIX, TYPE)                                                                                   \
    EXTREME_KERNELS(SUFFIX, TYPE)                                                                                      \
    KERNEL(mod_##SUFFIX, TYPE, TYPE, MOD_SIGNED(x, y))                                                                 \
    KERNEL(fmod_##SUFFIX, TYPE, TYPE, FMOD(x, y))
#define UNSIGNED_KERNELS(SUFFIX, TYPE)                                                                                 \
    EXTREME_KERNELS(SUFFIX, TYPE)                                                                                      \
    KERNEL(mod_##SUFFIX, TYPE, TYPE, MOD_UNSIGNED(x, y))                                                               \
    KERNEL(left_##SUFFIX, TYPE, TYPE, (y) < 8 * sizeof(x) ? (uint64_t)(x) << (y) : 0)                                  \
    KERNEL(right_##SUFFIX, TYPE, TYPE, (y) < 8 * sizeof(x) ? (uint64_t)(x) >> (y) : 0)

UNSIGNED_KERNELS(uint8, uint8_t)
UNSIGNED_KERNELS(uint16, uint16_t)
UNSIGNED_KERNELS(uint32, uint32_t)
UNSIGNED_KERNELS(uint64, uint64_t)
SIGNED_KERNELS(int8, int8_t)
SIGNED_KERNELS(int16, int16_t)
SIGNED_KERNELS(int32, int32_t)
SIGNED_KERNELS(int64, int64_t)
EXTREME_KERNELS(fp32, float)
EXTREME_KERNELS(fp64, double)
KERNEL(fmod_fp32, float, float, fmodf(x, y))
KERNEL(fmod_fp64, double, double, fmod(x, y))
KERNEL(pow_fp32, float, float, y == 2 ? x * x : powf(x, y))
KERNEL(pow_fp64, double, double, pow(x, y))
KERNEL(prelu_fp32, float, float, x < 0 ? x * y : x)
KERNEL(prelu_fp64, double, double, x < 0 ? x * y : x)

struct kernels {
    const char *op_type;
    kernel *by_datatype[DATATYPE_COUNT];
};

#define NUMERIC(PREFIX)                                                                                                \
    {                                                                                                                  \
        [DATATYPE_UINT8] = PREFIX##_uint8, [DATATYPE_UINT16] = PREFIX##_uint16, [DATATYPE_UINT32] = PREFIX##_uint32,   \
        [DATATYPE_UINT64] = PREFIX##_uint64, [DATATYPE_INT8] = PREFIX##_int8, [DATATYPE_INT16] = PREFIX##_int16,       \
        [DATATYPE_INT32] = PREFIX##_int32, [DATATYPE_INT64] = PREFIX##_int64, [DATATYPE_FP16] = PREFIX##_fp16,         \
        [DATATYPE_FP32] = PREFIX##_fp32, [DATATYPE_FP64] = PREFIX##_fp64, [DATATYPE_BF16] = PREFIX##_bf16              \
    }

#define OF_UNSIGNED(PREFIX)                                                                                            \
    [DATATYPE_UINT8] = PREFIX##_uint8, [DATATYPE_UINT16] = PREFIX##_uint16, [DATATYPE_UINT32] = PREFIX##_uint32,       \
    [DATATYPE_UINT64] = PREFIX##_uint64
#define OF_SIGNED(PREFIX)                                                                                              \
    [DATATYPE_INT8] = PREFIX##_int8, [DATATYPE_INT16] = PREFIX##_int16, [DATATYPE_INT32] = PREFIX##_int32,             \
    [DATATYPE_INT64] = PREFIX##_int64
#define OF_FLOATS(PREFIX) [DATATYPE_FP32] = PREFIX##_fp32, [DATATYPE_FP64] = PREFIX##_fp64

static const struct kernels arithmetic_kernels[] = {
    {"Add", NUMERIC(add)},
    {"Sub", NUMERIC(sub)},
    {"Mul", NUMERIC(mul)},
    {"Div", NUMERIC(div)},
    {"Sum", NUMERIC(add)},
    {"Mean", {OF_FLOATS(add)}},
    {"Min", {OF_UNSIGNED(min), OF_SIGNED(min), OF_FLOATS(min)}},
    {"Max", {OF_UNSIGNED(max), OF_SIGNED(max), OF_FLOATS(max)}},
    {"Mod", {OF_UNSIGNED(mod), OF_SIGNED(mod)}},
    {"Mod (fmod)", {OF_UNSIGNED(mod), OF_SIGNED(fmod), OF_FLOATS(fmod)}},
    {"BitShift", {OF_UNSIGNED(right)}},
    {"BitShift (LEFT)", {OF_UNSIGNED(left)}},
    {"Pow", {OF_FLOATS(pow)}},
    {"PRelu", {OF_FLOATS(prelu)}},
};

/* --- Equal, Less, Greater and so on --- */

#define COMPARISON_KERNELS(SUFFIX, TYPE, VALUE)                                                                        \
    KERNEL(equal_##SUFFIX, TYPE, uint8_t, VALUE(x) == VALUE(y))                                                        \
    KERNEL(less_##SUFFIX, TYPE, uint8_t, VALUE(x) < VALUE(y))                                                          \
    KERNEL(less_or_equal_##SUFFIX, TYPE, uint8_t, VALUE(x) <= VALUE(y))                                                \
    KERNEL(greater_##SUFFIX, TYPE, uint8_t, VALUE(x) > VALUE(y))                                                       \
    KERNEL(greater_or_equal_##SUFFIX, TYPE, uint8_t, VALUE(x) >= VALUE(y))

#define AS_IT_IS(x) (x)
COMPARISON_KERNELS(uint8, uint8_t, AS_IT_IS)
COMPARISON_KERNELS(uint16, uint16_t, AS_IT_IS)
COMPARISON_KERNELS(uint32, uint32_t, AS_IT_IS)
COMPARISON_KERNELS(uint64, uint64_t, AS_IT_IS)
COMPARISON_KERNELS(int8, int8_t, AS_IT_IS)
COMPARISON_KERNELS(int16, int16_t, AS_IT_IS)
COMPARISON_KERNELS(int32, int32_t, AS_IT_IS)
COMPARISON_KERNELS(int64, int64_t, AS_IT_IS)
COMPARISON_KERNELS(fp32, float, AS_IT_IS)
COMPARISON_KERNELS(fp64, double, AS_IT_IS)
COMPARISON_KERNELS(fp16, uint16_t, half_to_float)
COMPARISON_KERNELS(bf16, uint16_t, bfloat16_to_float)

static const struct kernels comparison_kernels[] = {{"Equal", NUMERIC(equal)},
                                                    {"Less", NUMERIC(less)},
                                                    {"LessOrEqual", NUMERIC(less_or_equal)},
                                                    {"Greater", NUMERIC(greater)},
                                                    {"GreaterOrEqual", NUMERIC(greater_or_equal)}};

/* --- And, Or, Xor --- */

KERNEL(and_bool, uint8_t, uint8_t, x &y)
KERNEL(or_bool, uint8_t, uint8_t, x | y)
KERNEL(xor_bool, uint8_t, uint8_t, x ^ y)

static const struct kernels logic_kernels[] = {
    {"And", {[DATATYPE_BOOL] = and_bool}}, {"Or", {[DATATYPE_BOOL] = or_bool}}, {"Xor", {[DATATYPE_BOOL] = xor_bool}}};

/* --- Loading --- */

struct binary {
    kernel *run;
    enum datatype datatype; /* the datatype of the output */
    bool is_integer_division, is_mean;
};

static kernel *kernel_for(const struct kernels *rows, size_t count, const char *op_type, enum datatype datatype)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].op_type, op_type) == 0)
            return rows[i].by_datatype[datatype];
    return NULL;
}

static bool is_float(enum datatype datatype)
{
    return datatype == DATATYPE_FP16 || datatype == DATATYPE_FP32 || datatype == DATATYPE_FP64 ||
           datatype == DATATYPE_BF16;
}

/* The name of a row: the operator's, with the attribute that chooses between two. */
static const char *row_name(const struct node *node)
{
    if (node_int(node, "fmod", 0))
        return "Mod (fmod)";
    if (str_is(node_string(node, "direction", STR("")), "LEFT"))
        return "BitShift (LEFT)";
    return node->op->name;
}

/* Broadcasts the shapes of all inputs. */
static struct status broadcast_all(const struct network *network, const struct node *node, struct arena *arena,
                                   int64_t *shape, size_t *rank)
{
    *rank = 0;
    for (size_t i = 0; i < node->input_count; i++) {
        const struct type *type = operand_type(network, node, i);
        if (type->rank == RANK_UNKNOWN) {
            *rank = RANK_UNKNOWN;
            return STATUS_IS_OK;
        }
        if (!shape_broadcast(shape, *rank, type->shape, type->rank, shape))
            return node_error(node, arena, STATUS_INVALID_ARGUMENT, "shapes %s and %s do not broadcast",
                              shape_text(arena, shape, *rank), shape_text(arena, type->shape, type->rank));
        *rank = type->rank > *rank ? type->rank : *rank;
    }
    return STATUS_IS_OK;
}

/* `datatype` is that of the output; DATATYPE_NONE means that of the inputs. */
static struct status binary_load(struct network *network, struct node *node, const struct kernels *rows, size_t count,
                                 enum datatype datatype)
{
    const struct type *a = operand_type(network, node, 0);
    const char *op_type = row_name(node);
    for (size_t i = 1; i < node->input_count; i++)
        if (operand_type(network, node, i)->datatype != a->datatype)
            return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "its inputs are %s and %s",
                              datatype_name(a->datatype), datatype_name(operand_type(network, node, i)->datatype));
    struct binary *binary = arena_new_of(&network->arena, struct binary);
    if (!binary)
        return status_no_memory();
    binary->run = kernel_for(rows, count, op_type, a->datatype);
    if (!binary->run && a->datatype == DATATYPE_BOOL && strcmp(op_type, "Equal") == 0)
        binary->run = equal_uint8;
    if (!binary->run)
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "%s is not supported",
                          datatype_name(a->datatype));
    binary->datatype = datatype == DATATYPE_NONE ? a->datatype : datatype;
    binary->is_integer_division =
        (strcmp(op_type, "Div") == 0 || strncmp(op_type, "Mod", 3) == 0) && !is_float(a->datatype);
    binary->is_mean = strcmp(op_type, "Mean") == 0;
    node->state = binary;
    int64_t shape[TENSOR_RANK_MAX];
    size_t rank;
    struct status status = broadcast_all(network, node, &network->arena, shape, &rank);
    return is_ok(status) ? set_output_type(network, node, binary->datatype, shape, rank) : status;
}

#define ROWS(table) table, COUNT_OF(table)

struct status arithmetic_load(struct network *network, struct node *node)
{
    return binary_load(network, node, ROWS(arithmetic_kernels), DATATYPE_NONE);
}

struct status comparison_load(struct network *network, struct node *node)
{
    return binary_load(network, node, ROWS(comparison_kernels), DATATYPE_BOOL);
}

struct status logic_load(struct network *network, struct node *node)
{
    return binary_load(network, node, ROWS(logic_kernels), DATATYPE_BOOL);
}

/* --- Running --- */

/* Finds how far an operand moves along each dimension of the output, in elements; 0 where it is repeated. */
static void find_strides(const struct tensor *tensor, size_t rank, size_t strides[TENSOR_RANK_MAX])
{
    size_t stride = 1;
    for (size_t i = rank; i-- > 0;) {
        int64_t size = i + tensor->rank < rank ? 1 : tensor->shape[i + tensor->rank - rank];
        strides[i] = size == 1 ? 0 : stride;
        stride *= (size_t)size;
    }
}

/* Runs the kernel for each row of the last dimension. */
static void run_rows(const struct binary *binary, const struct tensor *a, const struct tensor *b, struct tensor *out)
{
    size_t a_strides[TENSOR_RANK_MAX] = {0}, b_strides[TENSOR_RANK_MAX] = {0}, position[TENSOR_RANK_MAX] = {0};
    size_t last = out->rank - 1, row = (size_t)out->shape[last], a_at = 0, b_at = 0;
    size_t in = datatype_size(a->datatype), step = datatype_size(out->datatype) * row;
    find_strides(a, out->rank, a_strides);
    find_strides(b, out->rank, b_strides);
    char *to = out->data;
    for (size_t done = 0; done < out->count; done += row, to += step) {
        binary->run((const char *)a->data + a_at * in, a_strides[last], (const char *)b->data + b_at * in,
                    b_strides[last], to, row);
        for (size_t i = last; i-- > 0;) {
            a_at += a_strides[i];
            b_at += b_strides[i];
            if (++position[i] < (size_t)out->shape[i])
                break;
            a_at -= a_strides[i] * position[i];
            b_at -= b_strides[i] * position[i];
            position[i] = 0;
        }
    }
}

static bool has_zero(const struct tensor *tensor)
{
    size_t size = datatype_size(tensor->datatype);
    static const char zero[8];
    for (size_t i = 0; i < tensor->count; i++)
        if (memcmp((const char *)tensor->data + i * size, zero, size) == 0)
            return true;
    return false;
}

static bool same_shape(const struct tensor *a, const struct tensor *b)
{
    return a->rank == b->rank && (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof(*a->shape)) == 0);
}

static struct status apply(const struct node *node, const struct run *run, const struct tensor *a,
                           const struct tensor *b, struct tensor *out)
{
    const struct binary *binary = node->state;
    if (binary->is_integer_division && has_zero(b))
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "division by zero");
    if (same_shape(a, b)) {
        if (!tensor_make(out, binary->datatype, a->shape, a->rank, run->arena))
            return status_no_memory();
        binary->run(a->data, 1, b->data, 1, out->data, out->count);
        return STATUS_IS_OK;
    }
    int64_t shape[TENSOR_RANK_MAX];
    if (!shape_broadcast(a->shape, a->rank, b->shape, b->rank, shape))
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "shapes %s and %s do not broadcast",
                          shape_text(run->arena, a->shape, a->rank), shape_text(run->arena, b->shape, b->rank));
    if (!tensor_make(out, binary->datatype, shape, a->rank > b->rank ? a->rank : b->rank, run->arena))
        return status_no_memory();
    if (out->count)
        run_rows(binary, a, b, out);
    return STATUS_IS_OK;
}

/* Makes each output element the mean of the sum of `count`. */
static void divide(struct tensor *sum, size_t count)
{
    for (size_t i = 0; i < sum->count; i++)
        if (sum->datatype == DATATYPE_FP32)
            ((float *)sum->data)[i] /= (float)count;
        else
            ((double *)sum->data)[i] /= (double)count;
}

/* Sum, Mean, Min and Max have any number of inputs: the first two are combined, then the result and the third... */
static struct status binary_run(const struct node *node, const struct run *run)
{
    const struct binary *binary = node->state;
    const struct tensor *first = operand_tensor(node, run, 0);
    struct tensor *out = output_tensor(node, run, 0), sum = *first;
    struct status status = STATUS_IS_OK;
    for (size_t i = 1; i < node->input_count && is_ok(status); i++) {
        struct tensor next = i + 1 == node->input_count ? *out : (struct tensor){0};
        status = apply(node, run, &sum, operand_tensor(node, run, i), &next);
        sum = next;
    }
    if (node->input_count == 1) {
        if (!tensor_make(out, first->datatype, first->shape, first->rank, run->arena))
            return status_no_memory();
        memcpy(out->data, first->data, first->size);
        sum = *out;
    }
    if (is_ok(status) && binary->is_mean)
        divide(&sum, node->input_count);
    *out = sum;
    return status;
}

struct status arithmetic_run(const struct node *node, const struct run *run)
{
    return binary_run(node, run);
}

struct status comparison_run(const struct node *node, const struct run *run)
{
    return binary_run(node, run);
}

struct status logic_run(const struct node *node, const struct run *run)
{
    return binary_run(node, run);
}

/* --- Pow: the exponent may be of another type, and integers are raised as FP64 --- */

struct status pow_load(struct network *network, struct node *node)
{
    const struct type *a = operand_type(network, node, 0), *b = operand_type(network, node, 1);
    if (a->datatype == DATATYPE_BYTES || b->datatype == DATATYPE_BYTES)
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "BYTES is not supported");
    struct binary *binary = arena_new_of(&network->arena, struct binary);
    if (!binary)
        return status_no_memory();
    binary->run = a->datatype == DATATYPE_FP32 && b->datatype == DATATYPE_FP32 ? pow_fp32 : pow_fp64;
    binary->datatype = binary->run == pow_fp32 ? DATATYPE_FP32 : DATATYPE_FP64;
    node->state = binary;
    int64_t shape[TENSOR_RANK_MAX];
    size_t rank;
    struct status status = broadcast_all(network, node, &network->arena, shape, &rank);
    return is_ok(status) ? set_output_type(network, node, a->datatype, shape, rank) : status;
}

struct status pow_run(const struct node *node, const struct run *run)
{
    const struct binary *binary = node->state;
    struct tensor a = *operand_tensor(node, run, 0), b = *operand_tensor(node, run, 1), wide = {0};
    struct tensor *out = output_tensor(node, run, 0);
    enum datatype datatype = a.datatype;
    if (binary->run == pow_fp32)
        return apply(node, run, &a, &b, out);
    if (!tensor_cast(&a, DATATYPE_FP64, run->arena, &a) || !tensor_cast(&b, DATATYPE_FP64, run->arena, &b))
        return status_no_memory();
    struct status status = apply(node, run, &a, &b, &wide);
    if (!is_ok(status))
        return status;
    *out = wide;
    return datatype == DATATYPE_FP64 || tensor_cast(&wide, datatype, run->arena, out) ? status : status_no_memory();
}
