/* Gemm and MatMul: FP32 on oneDNN, the other datatypes in plain C, where integers wrap around. Both multiply stacks of
 * matrices, which `product` describes: Gemm has a stack of one matrix, MatMul broadcasts its stacks. */
#include "engine/families.h"
#include "engine/product.h"
#include "tensor/half.h"

struct gemm {
    struct factor b;
    float beta;
    bool a_transposed, b_transposed;
};

/* --- In plain C --- */

typedef void kernel(const struct product *product, const void *a, const void *b, void *out, float alpha);

#define MULTIPLY(NAME, TYPE, SUM, READ, WRITE)                                                                         \
    static void NAME(const struct product *product, const void *a, const void *b, void *out, float alpha)              \
    {                                                                                                                  \
        for (int64_t i = 0; i < product->m; i++)                                                                       \
            for (int64_t j = 0; j < product->n; j++) {                                                                 \
                SUM sum = 0;                                                                                           \
                const int64_t at = i * product->n + j;                                                                 \
                for (int64_t k = 0; k < product->k; k++)                                                               \
                    sum += (SUM)READ(((const TYPE *)a)[i * product->a_row + k * product->a_column]) *                  \
                           (SUM)READ(((const TYPE *)b)[k * product->b_row + j * product->b_column]);                   \
                if (alpha != 1) /* alpha is 1 for integers */                                                          \
                    sum = (SUM)(sum * (SUM)alpha);                                                                     \
                if (product->adds)                                                                                     \
                    sum += (SUM)READ(((const TYPE *)out)[at]);                                                         \
                ((TYPE *)out)[at] = (TYPE)WRITE(sum);                                                                  \
            }                                                                                                          \
    }

#define AS_IT_IS(x) (x)
MULTIPLY(multiply_int32, uint32_t, uint32_t, AS_IT_IS, AS_IT_IS)
MULTIPLY(multiply_int64, uint64_t, uint64_t, AS_IT_IS, AS_IT_IS)
MULTIPLY(multiply_fp64, double, double, AS_IT_IS, AS_IT_IS)
MULTIPLY(multiply_fp16, uint16_t, float, half_to_float, half_from_float)
MULTIPLY(multiply_bf16, uint16_t, float, bfloat16_to_float, bfloat16_from_float)

static kernel *const kernels[DATATYPE_COUNT] = {
    [DATATYPE_INT32] = multiply_int32,  [DATATYPE_UINT32] = multiply_int32, [DATATYPE_INT64] = multiply_int64,
    [DATATYPE_UINT64] = multiply_int64, [DATATYPE_FP64] = multiply_fp64,    [DATATYPE_FP16] = multiply_fp16,
    [DATATYPE_BF16] = multiply_bf16,
};

static void multiply_stack(const struct product *product, const struct tensor *a, const struct tensor *b,
                           struct tensor *out, float alpha)
{
    size_t size = datatype_size(a->datatype), matrix = (size_t)(product->m * product->n);
    int64_t position[TENSOR_RANK_MAX] = {0}, a_at = 0, b_at = 0;
    for (size_t done = 0; done < out->count; done += matrix) {
        kernels[a->datatype](product, (const char *)a->data + (size_t)a_at * size,
                             (const char *)b->data + (size_t)b_at * size, (char *)out->data + done * size, alpha);
        for (size_t i = product->stack_rank; i-- > 0;) {
            a_at += product->a_strides[i];
            b_at += product->b_strides[i];
            if (++position[i] < product->stack[i])
                break;
            a_at -= product->a_strides[i] * position[i];
            b_at -= product->b_strides[i] * position[i];
            position[i] = 0;
        }
    }
}

/* --- Both --- */

static struct status run_product(const struct node *node, const struct run *run, const struct product *product,
                                 const struct tensor *a, const struct tensor *b, const struct tensor *bias,
                                 struct tensor *out)
{
    struct gemm *gemm = node->state;
    if (out->count == 0)
        return STATUS_IS_OK;
    if (product->k == 0) {
        if (!product->adds)
            memset(out->data, 0, out->size);
        return STATUS_IS_OK;
    }
    if (a->datatype == DATATYPE_FP32)
        return multiply(node, run, &gemm->b, product,
                        (void *[PRIMITIVE_MEMORIES]){a->data, b->data, bias ? bias->data : NULL, out->data});
    multiply_stack(product, a, b, out, gemm->b.alpha);
    return STATUS_IS_OK;
}

static struct status make_gemm(struct network *network, struct node *node, struct gemm **gemm)
{
    const struct type *a = operand_type(network, node, 0);
    for (size_t i = 1; i < node->input_count; i++) {
        enum datatype other = node->inputs[i] == NO_VALUE ? a->datatype : operand_type(network, node, i)->datatype;
        if (other != a->datatype)
            return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "its inputs are %s and %s",
                              datatype_name(a->datatype), datatype_name(other));
    }
    if (a->datatype != DATATYPE_FP32 && !kernels[a->datatype])
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "%s is not supported",
                          datatype_name(a->datatype));
    *gemm = arena_new_of(&network->arena, struct gemm);
    if (!*gemm)
        return status_no_memory();
    factor_init(&(*gemm)->b, network->packs,
                operand_type(network, node, 1)->rank == 2 ? input_weights(network, node, 1) : (struct weights){0});
    node->state = *gemm;
    (*gemm)->beta = 1;
    return STATUS_IS_OK;
}

void gemm_unload(struct node *node)
{
    struct gemm *gemm = node->state;
    if (gemm)
        factor_free(&gemm->b);
}

/* --- Gemm --- */

static struct status gemm_shape(const struct node *node, struct arena *arena, const int64_t *a, const int64_t *b,
                                int64_t *m, int64_t *n, int64_t *k)
{
    const struct gemm *gemm = node->state;
    *m = a[gemm->a_transposed];
    *k = a[!gemm->a_transposed];
    *n = b[!gemm->b_transposed];
    int64_t k_of_b = b[gemm->b_transposed];
    if (*k >= 0 && k_of_b >= 0 && *k != k_of_b)
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "matrices %s%s and %s%s do not multiply",
                          shape_text(arena, a, 2), gemm->a_transposed ? " (transposed)" : "", shape_text(arena, b, 2),
                          gemm->b_transposed ? " (transposed)" : "");
    return STATUS_IS_OK;
}

struct status gemm_load(struct network *network, struct node *node)
{
    struct gemm *gemm;
    struct status status = make_gemm(network, node, &gemm);
    if (!is_ok(status))
        return status;
    gemm->b.alpha = node_float(node, "alpha", 1);
    gemm->beta = node_float(node, "beta", 1);
    gemm->a_transposed = node_int(node, "transA", 0) != 0;
    gemm->b_transposed = node_int(node, "transB", 0) != 0;
    const struct type *a = operand_type(network, node, 0), *b = operand_type(network, node, 1);
    bool is_float = a->datatype == DATATYPE_FP32 || a->datatype == DATATYPE_FP64 || a->datatype == DATATYPE_FP16 ||
                    a->datatype == DATATYPE_BF16;
    if (!is_float && (gemm->b.alpha != 1 || gemm->beta != 1))
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "alpha and beta other than 1 with %s",
                          datatype_name(a->datatype));
    int64_t shape[2] = {-1, -1}, k;
    if (a->rank == RANK_UNKNOWN || b->rank == RANK_UNKNOWN)
        return set_output_type(network, node, a->datatype, shape, 2);
    if (a->rank != 2 || b->rank != 2)
        return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "inputs of %zu and %zu dimensions, not 2",
                          a->rank, b->rank);
    status = gemm_shape(node, &network->arena, a->shape, b->shape, &shape[0], &shape[1], &k);
    return is_ok(status) ? set_output_type(network, node, a->datatype, shape, 2) : status;
}

/* Fills out with beta x c; c is broadcast to the shape of out. */
static bool fill_with(const struct tensor *c, float beta, struct tensor *out)
{
    int64_t shape[2];
    if (c->rank > 2 || !shape_broadcast(c->shape, c->rank, out->shape, 2, shape) || shape[0] != out->shape[0] ||
        shape[1] != out->shape[1])
        return false;
    size_t size = datatype_size(c->datatype);
    size_t column = c->rank >= 1 && c->shape[c->rank - 1] != 1, row = c->rank == 2 && c->shape[0] != 1;
    for (size_t i = 0; i < (size_t)shape[0]; i++)
        for (size_t j = 0; j < (size_t)shape[1]; j++) {
            size_t from = i * row * (column ? (size_t)shape[1] : 1) + j * column, to = i * (size_t)shape[1] + j;
            memcpy((char *)out->data + to * size, (const char *)c->data + from * size, size);
        }
    if (beta == 1)
        return true;
    for (size_t i = 0; i < out->count; i++)
        switch (out->datatype) {
        case DATATYPE_FP32:
            ((float *)out->data)[i] *= beta;
            break;
        case DATATYPE_FP64:
            ((double *)out->data)[i] *= (double)beta;
            break;
        case DATATYPE_FP16:
            ((uint16_t *)out->data)[i] = half_from_float(half_to_float(((uint16_t *)out->data)[i]) * beta);
            break;
        case DATATYPE_BF16:
            ((uint16_t *)out->data)[i] = bfloat16_from_float(bfloat16_to_float(((uint16_t *)out->data)[i]) * beta);
            break;
        default:
            break; /* integers have a beta of 1 */
        }
    return true;
}

/* Says whether c is a vector that is added to each row. */
static bool is_row(const struct tensor *c, int64_t n)
{
    return (c->rank == 1 || (c->rank == 2 && c->shape[0] == 1)) && c->shape[c->rank - 1] == n && n > 1;
}

struct status gemm_run(const struct node *node, const struct run *run)
{
    struct gemm *gemm = node->state;
    const struct tensor *a = operand_tensor(node, run, 0), *b = operand_tensor(node, run, 1);
    struct tensor *out = output_tensor(node, run, 0);
    struct product product = {.adds = node->input_count > 2 && node->inputs[2] != NO_VALUE && gemm->beta != 0};
    const struct tensor *c = product.adds ? operand_tensor(node, run, 2) : NULL, *bias = NULL;
    if (a->rank != 2 || b->rank != 2)
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "inputs of %zu and %zu dimensions, not 2", a->rank,
                          b->rank);
    struct status status = gemm_shape(node, run->arena, a->shape, b->shape, &product.m, &product.n, &product.k);
    if (!is_ok(status))
        return status;
    product.a_row = gemm->a_transposed ? 1 : product.k;
    product.a_column = gemm->a_transposed ? product.m : 1;
    product.b_row = gemm->b_transposed ? 1 : product.n;
    product.b_column = gemm->b_transposed ? product.k : 1;
    if (!tensor_make(out, a->datatype, (int64_t[]){product.m, product.n}, 2, run->arena))
        return status_no_memory();
    if (c && is_row(c, product.n) && a->datatype == DATATYPE_FP32 && gemm->b.alpha == 1 && gemm->beta == 1 &&
        product.k) {
        bias = c;
        product.adds = false;
        product.has_bias = true;
    }
    if (c && !bias && !fill_with(c, gemm->beta, out))
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "C of shape %s cannot be added to %s",
                          shape_text(run->arena, c->shape, c->rank), shape_text(run->arena, out->shape, 2));
    return run_product(node, run, &product, a, b, bias, out);
}

/* --- MatMul --- */

/* Finds the shape by NumPy's rules: a vector is a row on the left and a column on the right, and its added dimension is
 * dropped from the result. */
static bool matmul_shape(const int64_t *a, size_t a_rank, const int64_t *b, size_t b_rank, int64_t *shape, size_t *rank,
                         struct product *product)
{
    if (a_rank == 0 || b_rank == 0)
        return false;
    size_t a_stack = a_rank > 2 ? a_rank - 2 : 0, b_stack = b_rank > 2 ? b_rank - 2 : 0;
    *rank = product->stack_rank = a_stack > b_stack ? a_stack : b_stack;
    product->m = a_rank > 1 ? a[a_rank - 2] : 1;
    product->k = a[a_rank - 1];
    product->n = b_rank > 1 ? b[b_rank - 1] : 1;
    int64_t k_of_b = b[b_rank > 1 ? b_rank - 2 : 0];
    if ((product->k >= 0 && k_of_b >= 0 && product->k != k_of_b) ||
        !shape_broadcast(a, a_stack, b, b_stack, product->stack))
        return false;
    memcpy(shape, product->stack, *rank * sizeof(*shape));
    if (a_rank > 1)
        shape[(*rank)++] = product->m;
    if (b_rank > 1)
        shape[(*rank)++] = product->n;
    return true;
}

struct status matmul_load(struct network *network, struct node *node)
{
    struct gemm *gemm;
    struct status status = make_gemm(network, node, &gemm);
    if (!is_ok(status))
        return status;
    const struct type *a = operand_type(network, node, 0), *b = operand_type(network, node, 1);
    if (a->rank == RANK_UNKNOWN || b->rank == RANK_UNKNOWN)
        return set_output_type(network, node, a->datatype, NULL, RANK_UNKNOWN);
    struct product product = {0};
    int64_t shape[TENSOR_RANK_MAX];
    size_t rank;
    if (!matmul_shape(a->shape, a->rank, b->shape, b->rank, shape, &rank, &product))
        return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "%s and %s do not multiply",
                          shape_text(&network->arena, a->shape, a->rank),
                          shape_text(&network->arena, b->shape, b->rank));
    return set_output_type(network, node, a->datatype, shape, rank);
}

static void stack_strides(const struct tensor *tensor, const struct product *product, int64_t *strides)
{
    size_t own = tensor->rank > 2 ? tensor->rank - 2 : 0;
    int64_t stride = own ? tensor->shape[own] * tensor->shape[own + 1] : 0;
    for (size_t i = product->stack_rank; i-- > 0;) {
        bool has = i + own >= product->stack_rank;
        int64_t size = has ? tensor->shape[i + own - product->stack_rank] : 1;
        strides[i] = size == 1 ? 0 : stride;
        stride *= size;
    }
}

struct status matmul_run(const struct node *node, const struct run *run)
{
    const struct tensor *a = operand_tensor(node, run, 0), *b = operand_tensor(node, run, 1),
                        *bias = input_tensor(node, run, 2); /* only a plan gives one */
    struct tensor *out = output_tensor(node, run, 0);
    struct product product = {0};
    int64_t shape[TENSOR_RANK_MAX];
    size_t rank;
    if (!matmul_shape(a->shape, a->rank, b->shape, b->rank, shape, &rank, &product))
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "%s and %s do not multiply",
                          shape_text(run->arena, a->shape, a->rank), shape_text(run->arena, b->shape, b->rank));
    if (!tensor_make(out, a->datatype, shape, rank, run->arena))
        return status_no_memory();
    if (b->rank == 2 && out->count) { /* a stack over one matrix is one taller matrix */
        product.stack_rank = 0;
        product.m = (int64_t)out->count / product.n;
    }
    product.a_row = product.k;
    product.b_row = product.n;
    product.a_column = product.b_column = 1;
    product.has_bias = bias != NULL;
    stack_strides(a, &product, product.a_strides);
    stack_strides(b, &product, product.b_strides);
    return run_product(node, run, &product, a, b, bias, out);
}
