/* Gemm and MatMul: FP32 on oneDNN, the other datatypes in plain C, where integers wrap around. Both multiply stacks of
 * matrices, which `product` describes: Gemm has a stack of one matrix, MatMul broadcasts its stacks. */
#include "engine/call.h"
#include "engine/families.h"
#include "engine/product.h"
#include "tensor/cast.h"
#include "tensor/half.h"

struct gemm {
    struct primitives b;
    float alpha, beta;
    bool a_transposed, b_transposed;
};

/* --- In plain C --- */

typedef void kernel(const struct product *product, const void *a, const void *b, void *out);

#define MULTIPLY(NAME, TYPE, SUM, READ, WRITE)                                                                         \
    static void NAME(const struct product *product, const void *a, const void *b, void *out)                           \
    {                                                                                                                  \
        for (int64_t i = 0; i < product->m; i++)                                                                       \
            for (int64_t j = 0; j < product->n; j++) {                                                                 \
                SUM sum = 0;                                                                                           \
                const int64_t at = i * product->n + j;                                                                 \
                for (int64_t k = 0; k < product->k; k++)                                                               \
                    sum += (SUM)READ(((const TYPE *)a)[i * product->a_row + k * product->a_column]) *                  \
                           (SUM)READ(((const TYPE *)b)[k * product->b_row + j * product->b_column]);                   \
                if (product->alpha != 1) /* it is 1 for integers */                                                    \
                    sum = (SUM)(sum * (SUM)product->alpha);                                                            \
                if (product->adds)                                                                                     \
                    sum += (SUM)READ(((const TYPE *)out)[at]);                                                         \
                ((TYPE *)out)[at] = (TYPE)WRITE(sum);                                                                  \
            }                                                                                                          \
    }

#define AS_IT_IS(x) (x)
MULTIPLY(multiply_int32, uint32_t, uint32_t, AS_IT_IS, AS_IT_IS)
MULTIPLY(multiply_int64, uint64_t, uint64_t, AS_IT_IS, AS_IT_IS)
MULTIPLY(multiply_fp64, double, double, AS_IT_IS, AS_IT_IS)
MULTIPLY(multiply_fp16, uint16_t, float, half_to_float, half_from_double)
MULTIPLY(multiply_bf16, uint16_t, float, bfloat16_to_float, bfloat16_from_double)

static kernel *const kernels[DATATYPE_COUNT] = {
    [DATATYPE_INT32] = multiply_int32,  [DATATYPE_UINT32] = multiply_int32, [DATATYPE_INT64] = multiply_int64,
    [DATATYPE_UINT64] = multiply_int64, [DATATYPE_FP64] = multiply_fp64,    [DATATYPE_FP16] = multiply_fp16,
    [DATATYPE_BF16] = multiply_bf16,
};

static void multiply_stack(const struct product *product, const struct tensor *a, const struct tensor *b,
                           struct tensor *out)
{
    const int64_t matrix = product->m * product->n;
    struct walk walk = {.block = product->stack};
    int64_t done = 0;
    do {
        kernels[a->datatype](product, element_at(a, walk.from), element_at(b, walk.to), element_at(out, done));
        done += matrix;
    } while (walk_on(&walk));
}

/* --- Both --- */

LOAD(gemm)
{
    const enum datatype datatype = operand_type(network, node, 0)->datatype;
    primitives_init(&gemm->b, node, network->packs,
                    operand_type(network, node, 1)->rank == 2 ? input_weights(network, node, 1) : (struct weights){0});
    gemm->alpha = node_float(node, "alpha", 1);
    gemm->beta = node_float(node, "beta", 1);
    gemm->a_transposed = node_int(node, "transA", 0) != 0;
    gemm->b_transposed = node_int(node, "transB", 0) != 0;
    if (datatype != DATATYPE_FP32 && !kernels[datatype])
        return node_refuses_type(node, &network->arena, datatype);
    return !datatype_is_float(datatype) && (gemm->alpha != 1 || gemm->beta != 1)
               ? node_unsupported(node, &network->arena, "alpha and beta other than 1 with %s", datatype_name(datatype))
               : STATUS_IS_OK;
}

static struct status run_product(const struct call *call, const struct product *product, const struct tensor *bias)
{
    struct gemm *gemm = call->node->state;
    const struct tensor *a = call->inputs[0].tensor, *b = call->inputs[1].tensor;
    struct tensor *out = call->outputs[0];
    if (out->count == 0)
        return STATUS_IS_OK;
    if (a->datatype == DATATYPE_FP32)
        return multiply(call->node, call->run, &gemm->b, product,
                        (void *[PRIMITIVE_MEMORIES]){a->data, b->data, bias ? bias->data : NULL, out->data});
    multiply_stack(product, a, b, out);
    return STATUS_IS_OK;
}

/* --- Gemm --- */

INFER(gemm)
{
    const struct gemm *gemm = call->node->state;
    const bool a_turned = gemm->a_transposed, b_turned = gemm->b_transposed;
    const struct type *a = in, *b = &call->inputs[1].type;
    struct product *product = FOUND(call, struct product);
    if (a->rank != 2 || b->rank != 2)
        return call_refuse(call, "inputs of %zu and %zu dimensions, not 2", a->rank, b->rank);
    const int64_t m = a->shape[a_turned], k = a->shape[!a_turned], n = b->shape[!b_turned];
    if (!dimensions_fit(&k, &b->shape[b_turned], 1))
        return call_refuse(call, "matrices %s%s and %s%s do not multiply", input_text(call, 0),
                           a_turned ? " (transposed)" : "", input_text(call, 1), b_turned ? " (transposed)" : "");
    made->shape[0] = m;
    made->shape[1] = n;
    *product = (struct product){.m = m,
                                .n = n,
                                .k = k,
                                .a_row = a_turned ? 1 : k,
                                .a_column = a_turned ? m : 1,
                                .b_row = b_turned ? 1 : n,
                                .b_column = b_turned ? k : 1,
                                .alpha = gemm->alpha};
    return STATUS_IS_OK;
}

/* Fills out with beta x c; c is broadcast to the shape of out. */
static struct status fill_with(const struct call *call, const struct tensor *c, float beta, struct tensor *out)
{
    int64_t shape[2];
    if (c->rank > 2 || !shape_broadcast(c->shape, c->rank, out->shape, 2, shape) ||
        memcmp(shape, out->shape, sizeof(shape)) != 0)
        return call_refuse(call, "C of shape %s cannot be added to %s", input_text(call, 2),
                           shape_text(call->arena, out->shape, 2));
    broadcast(c, out);
    if (beta == 1)
        return STATUS_IS_OK;
    struct tensor wide;
    NEED(tensor_cast(out, DATATYPE_FP64, call->arena, &wide));
    for (size_t i = 0; i < out->count; i++)
        ((double *)wide.data)[i] *= (double)beta;
    NEED(tensor_cast(&wide, out->datatype, call->arena, out));
    return STATUS_IS_OK;
}

/* Says whether c is a vector that is added to each row. */
static bool is_row(const struct tensor *c, int64_t n)
{
    return (c->rank == 1 || (c->rank == 2 && c->shape[0] == 1)) && c->shape[c->rank - 1] == n && n > 1;
}

COMPUTE(gemm)
{
    const struct gemm *gemm = call->node->state;
    const struct tensor *c = gemm->beta != 0 ? call_tensor(call, 2) : NULL;
    struct product *product = FOUND(call, struct product);
    product->has_bias = c && is_row(c, product->n) && in->datatype == DATATYPE_FP32 && gemm->alpha == 1 &&
                        gemm->beta == 1 && product->k;
    product->adds = c && !product->has_bias;
    if (product->adds)
        TRY(fill_with(call, c, gemm->beta, out));
    return run_product(call, product, product->has_bias ? c : NULL);
}

/* --- MatMul --- */

/* The shapes follow NumPy's rules: a vector is a row on the left and a column on the right, and its added dimension is
 * dropped from the result. */
INFER(matmul)
{
    const struct type *a = in, *b = &call->inputs[1].type;
    const size_t a_stack = a->rank > 2 ? a->rank - 2 : 0, b_stack = b->rank > 2 ? b->rank - 2 : 0;
    const size_t stack = a_stack > b_stack ? a_stack : b_stack;
    struct product *product = FOUND(call, struct product);
    *product = (struct product){.alpha = 1, .a_column = 1, .b_column = 1, .stack = {.rank = stack}};
    made->rank = stack;
    if (a->rank && b->rank) {
        product->m = a->rank > 1 ? a->shape[a->rank - 2] : 1;
        product->k = product->a_row = a->shape[a->rank - 1];
        product->n = product->b_row = b->rank > 1 ? b->shape[b->rank - 1] : 1;
    }
    if (!a->rank || !b->rank || !dimensions_fit(&product->k, &b->shape[b->rank > 1 ? b->rank - 2 : 0], 1) ||
        !shape_broadcast(a->shape, a_stack, b->shape, b_stack, product->stack.shape))
        return call_refuse(call, "%s and %s do not multiply", input_text(call, 0), input_text(call, 1));
    memcpy(made->shape, product->stack.shape, stack * sizeof(*made->shape));
    if (a->rank > 1)
        made->shape[made->rank++] = product->m;
    if (b->rank > 1)
        made->shape[made->rank++] = product->n;
    return STATUS_IS_OK;
}

/* Finds how far each dimension of the stack moves on in an operand. */
static void stack_steps(const struct tensor *tensor, size_t rank, int64_t *steps)
{
    const size_t own = tensor->rank > 2 ? tensor->rank - 2 : 0;
    broadcast_steps(&(struct tensor){.shape = tensor->shape, .rank = own}, rank, steps);
    for (size_t i = 0; i < rank && own; i++)
        steps[i] *= tensor->shape[own] * tensor->shape[own + 1];
}

COMPUTE(matmul)
{
    const struct tensor *b = call->inputs[1].tensor, *bias = call_tensor(call, 2); /* only a plan gives one */
    struct product *product = FOUND(call, struct product);
    product->has_bias = bias != NULL;
    if (b->rank == 2 && product->n > 0) { /* a stack over one matrix is one taller matrix */
        product->stack.rank = 0;
        product->m = (int64_t)out->count / product->n;
    }
    stack_steps(in, product->stack.rank, product->stack.from);
    stack_steps(b, product->stack.rank, product->stack.to);
    return run_product(call, product, bias);
}
