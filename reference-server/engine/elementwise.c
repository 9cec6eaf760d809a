/* Operators that combine two tensors element by element, with NumPy's broadcasting. Integers wrap around, as in every
 * ONNX runtime. They are computed here and not by oneDNN, which would convert them to float. FP16 and BF16 are computed
 * as float and rounded once.
 *
 * A kernel computes one row of `count` elements. Each operand moves on (step 1) or stays at one element (step 0).
 * Broadcasting is a walk over the rows; two equal shapes are one row. */
#include "base/count.h"
#include "engine/families.h"
#include "tensor/half.h"

typedef void kernel(const void *a, size_t a_step, const void *b, size_t b_step, void *out, size_t count);

#define ROW_LOOP(IN, OUT, A_STEP, B_STEP, EXPRESSION)                                                                  \
    for (size_t i = 0; i < count; i++) {                                                                               \
        const IN x = ((const IN *)a)[i * (A_STEP)], y = ((const IN *)b)[i * (B_STEP)];                                 \
        ((OUT *)out)[i] = (OUT)(EXPRESSION);                                                                           \
    }

/* The steps are constants in the three important cases, so that the compiler can vectorise the loops. */
#define KERNEL(NAME, IN, OUT, EXPRESSION)                                                                              \
    static void NAME(const void *a, size_t a_step, const void *b, size_t b_step, void *out, size_t count)              \
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

#define FLOAT_KERNELS(SUFFIX, TYPE)                                                                                    \
    KERNEL(add_##SUFFIX, TYPE, TYPE, x + y)                                                                            \
    KERNEL(sub_##SUFFIX, TYPE, TYPE, x - y)                                                                            \
    KERNEL(mul_##SUFFIX, TYPE, TYPE, x *y)                                                                             \
    KERNEL(div_##SUFFIX, TYPE, TYPE, x / y)

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
FLOAT_KERNELS(fp32, float)
FLOAT_KERNELS(fp64, double)
HALF_KERNELS(fp16, half_to_float, half_from_float)
HALF_KERNELS(bf16, bfloat16_to_float, bfloat16_from_float)

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

static const struct kernels arithmetic_kernels[] = {
    {"Add", NUMERIC(add)}, {"Sub", NUMERIC(sub)}, {"Mul", NUMERIC(mul)}, {"Div", NUMERIC(div)}};

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
    bool is_integer_division;
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

/* `datatype` is that of the output; DATATYPE_NONE means that of the inputs. */
static struct status binary_load(struct network *network, struct node *node, const struct kernels *rows, size_t count,
                                 enum datatype datatype)
{
    const struct type *a = input_type(network, node, 0), *b = input_type(network, node, 1);
    const char *op_type = node->op->name;
    if (a->datatype != b->datatype)
        return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "its inputs are %s and %s",
                          datatype_name(a->datatype), datatype_name(b->datatype));
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
    binary->is_integer_division = strcmp(op_type, "Div") == 0 && !is_float(a->datatype);
    node->state = binary;

    int64_t shape[TENSOR_RANK_MAX];
    if (a->rank == RANK_UNKNOWN || b->rank == RANK_UNKNOWN)
        return set_output_type(network, node, binary->datatype, NULL, RANK_UNKNOWN);
    if (!shape_broadcast(a->shape, a->rank, b->shape, b->rank, shape))
        return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "shapes %s and %s do not broadcast",
                          shape_text(&network->arena, a->shape, a->rank),
                          shape_text(&network->arena, b->shape, b->rank));
    return set_output_type(network, node, binary->datatype, shape, a->rank > b->rank ? a->rank : b->rank);
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

static struct status binary_run(const struct node *node, const struct run *run)
{
    const struct binary *binary = node->state;
    const struct tensor *a = input_tensor(node, run, 0), *b = input_tensor(node, run, 1);
    struct tensor *out = output_tensor(node, run, 0);
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
