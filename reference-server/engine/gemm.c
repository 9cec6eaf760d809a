/* Gemm and MatMul: FP32 on oneDNN, the other datatypes in plain C, where integers wrap around. Both multiply stacks of
 * matrices, which `product` describes: Gemm has a stack of one matrix, MatMul broadcasts its stacks. */
#include "engine/families.h"
#include "engine/primitive.h"
#include "tensor/half.h"

struct gemm {
    struct primitives primitives;
    const struct tensor *weights; /* b, if it is one constant matrix: then it is packed; or NULL */
    bool owns_weights;            /* only this node reads them */
    struct packs *packs;
    float alpha, beta;
    bool a_transposed, b_transposed;
};

/* For every s of the stack's shape: out[s] = alpha x a[s] x b[s]. If `adds` is set, the result is added to out[s]. If
 * `has_bias` is set, a vector is added to each row (FP32 only; alpha is 1). */
struct product {
    size_t stack_rank;
    int64_t stack[TENSOR_RANK_MAX];
    int64_t a_strides[TENSOR_RANK_MAX], b_strides[TENSOR_RANK_MAX]; /* between matrices; 0 where broadcast */
    int64_t m, n, k;
    int64_t a_row, a_column, b_row, b_column; /* strides inside the matrices */
    bool adds, has_bias;
};

/* --- In plain C --- */

typedef void multiply(const struct product *product, const void *a, const void *b, void *out, float alpha);

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

static multiply *const multiplies[DATATYPE_COUNT] = {
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
        multiplies[a->datatype](product, (const char *)a->data + (size_t)a_at * size,
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

/* --- On oneDNN --- */

static dnnl_status_t describe(layout **memory, const struct product *product, const int64_t *strides, int64_t rows,
                              int64_t columns, int64_t row, int64_t column)
{
    dnnl_dims_t dims, steps;
    size_t rank = product->stack_rank;
    for (size_t i = 0; i < rank; i++) {
        bool repeats = strides[i] == 0;
        dims[i] = repeats ? 1 : product->stack[i];
        steps[i] = repeats ? rows * columns : strides[i];
    }
    dims[rank] = rows;
    dims[rank + 1] = columns;
    steps[rank] = row;
    steps[rank + 1] = column;
    return layout_make(memory, rank + 2, dims, steps);
}

/* Makes the layouts of the memories, and that of b as it lies, which a constant need not keep. */
static dnnl_status_t describe_all(const struct product *product, bool packs, layout **memories, layout **plain)
{
    int64_t strides[TENSOR_RANK_MAX], stride = product->m * product->n, row[TENSOR_RANK_MAX];
    size_t rank = product->stack_rank;
    for (size_t i = rank; i-- > 0;) {
        strides[i] = stride;
        stride *= product->stack[i];
    }
    for (size_t i = 0; i < rank + 1; i++)
        row[i] = 1;
    row[rank + 1] = product->n;
    dnnl_status_t fault = describe(&memories[MEMORY_SOURCE], product, product->a_strides, product->m, product->k,
                                   product->a_row, product->a_column);
    if (fault == dnnl_success)
        fault = describe(packs ? plain : &memories[MEMORY_WEIGHTS], product, product->b_strides, product->k, product->n,
                         product->b_row, product->b_column);
    if (fault == dnnl_success && packs) /* such a product has no stack */
        fault = layout_make(&memories[MEMORY_WEIGHTS], 2, (const int64_t[]){product->k, product->n}, NULL);
    if (fault == dnnl_success && product->has_bias)
        fault = primitive_plain(&memories[MEMORY_BIAS], row, rank + 2);
    if (fault == dnnl_success)
        fault = describe(&memories[MEMORY_RESULT], product, strides, product->m, product->n, product->n, 1);
    return fault;
}

/* Makes rows times a constant matrix as a convolution of pixels by a kernel of 1 x 1, if oneDNN packs its weights.
 * oneDNN 2 packs those of a convolution on every processor, those of a product only with AVX-512. */
static dnnl_status_t make_convolution(const struct node *node, const struct product *product,
                                      struct primitive *primitive, layout **plain)
{
    static const int64_t none[2], one[] = {1, 1};
    const int64_t in[] = {1, product->k, product->m, 1}, out[] = {1, product->n, product->m, 1},
                  matrix[] = {product->n, product->k, 1, 1}, strides[] = {product->b_column, product->b_row, 1, 1};
    struct operation operation = {.kind = OPERATION_CONVOLUTION,
                                  .strides = one,
                                  .dilates = none,
                                  .begin = none,
                                  .end = none,
                                  .adds = product->adds};
    layout **memories = primitive->memories;
    primitive_follow(node, &operation);
    dnnl_status_t fault = primitive_laid_out(&memories[MEMORY_SOURCE], in, 4, true);
    if (fault == dnnl_success)
        fault = primitive_laid_out(&memories[MEMORY_RESULT], out, 4, true);
    if (fault == dnnl_success && product->has_bias)
        fault = primitive_plain(&memories[MEMORY_BIAS], &product->n, 1);
    if (fault == dnnl_success)
        fault = layout_make(&memories[MEMORY_WEIGHTS], 4, matrix, NULL);
    if (fault == dnnl_success)
        fault = layout_make(plain, 4, matrix, strides);
    if (fault == dnnl_success)
        fault = primitive_create(primitive, &operation);
    return fault == dnnl_success && !layout_is_blocked(memories[MEMORY_WEIGHTS]) ? dnnl_unimplemented : fault;
}

static dnnl_status_t make_matmul(const struct node *node, const struct product *product, bool packs,
                                 struct primitive *primitive, layout **plain)
{
    struct operation operation = {
        .kind = OPERATION_MATMUL, .scale = ((const struct gemm *)node->state)->alpha, .adds = product->adds};
    primitive_follow(node, &operation);
    dnnl_status_t fault = describe_all(product, packs, primitive->memories, plain);
    return fault == dnnl_success ? primitive_create(primitive, &operation) : fault;
}

/* Takes a convolution in the place of a matmul whose weights are not packed. */
static void prefer_convolution(const struct node *node, const struct product *product, struct primitive *primitive,
                               layout **plain)
{
    struct primitive other = {0};
    layout *other_plain = NULL;
    if (((const struct gemm *)node->state)->alpha == 1 && product->a_row == product->k && product->a_column == 1 &&
        !layout_is_blocked(primitive->memories[MEMORY_WEIGHTS]) &&
        make_convolution(node, product, &other, &other_plain) == dnnl_success) {
        const struct primitive matmul = *primitive;
        layout *matmul_plain = *plain;
        *primitive = other;
        *plain = other_plain;
        other = matmul;
        other_plain = matmul_plain;
    }
    primitive_clear(&other);
    layout_free(other_plain);
}

static struct status make_product(const struct node *node, const void *context, struct primitive *primitive,
                                  struct arena *arena)
{
    const struct product *product = context;
    const struct gemm *gemm = node->state;
    bool packs = gemm->weights && product->stack_rank == 0;
    layout *plain = NULL;
    dnnl_status_t fault = make_matmul(node, product, packs, primitive, &plain);
    if (fault == dnnl_success && packs)
        prefer_convolution(node, product, primitive, &plain);
    if (fault == dnnl_success && packs)
        fault =
            primitive_pack(primitive, plain, (struct weights){gemm->weights->data, gemm->owns_weights}, gemm->packs);
    layout_free(plain);
    return fault == dnnl_success ? STATUS_IS_OK : primitive_error(node, arena, fault, "multiply these shapes");
}

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
    if (a->datatype != DATATYPE_FP32) {
        multiply_stack(product, a, b, out, gemm->alpha);
        return STATUS_IS_OK;
    }
    if (product->stack_rank + 2 > DNNL_MAX_NDIMS)
        return node_error(node, run->arena, STATUS_UNIMPLEMENTED, "more than %d dimensions", DNNL_MAX_NDIMS);

    /* All values that the primitive depends on. The strides follow from the broadcast shapes. */
    int64_t key[PRIMITIVE_KEY_MAX + 4];
    size_t key_size = 0;
    for (size_t i = 0; i < product->stack_rank; i++)
        key[key_size++] = product->stack[i] * 4 + (product->a_strides[i] ? 0 : 2) + (product->b_strides[i] ? 0 : 1);
    key[key_size++] = product->m;
    key[key_size++] = product->n;
    key[key_size++] = product->k;
    struct primitive *primitive;
    struct status status =
        primitives_take(&gemm->primitives, key, key_size, make_product, node, product, run->arena, &primitive);
    if (!is_ok(status))
        return status;
    void *data[PRIMITIVE_MEMORIES] = {a->data, b->data, bias ? bias->data : NULL, out->data};
    status = primitive_run(primitive, data, node, run);
    primitives_give_back(&gemm->primitives, primitive);
    return status;
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
    if (a->datatype != DATATYPE_FP32 && !multiplies[a->datatype])
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "%s is not supported",
                          datatype_name(a->datatype));
    *gemm = arena_new_of(&network->arena, struct gemm);
    if (!*gemm)
        return status_no_memory();
    primitives_init(&(*gemm)->primitives);
    node->state = *gemm;
    (*gemm)->alpha = (*gemm)->beta = 1;
    (*gemm)->packs = network->packs;
    if (operand_type(network, node, 1)->rank == 2)
        (*gemm)->weights = input_constant(network, node, 1);
    (*gemm)->owns_weights = network->values[node->inputs[1]].has_one_reader;
    return STATUS_IS_OK;
}

void gemm_unload(struct node *node)
{
    struct gemm *gemm = node->state;
    if (gemm)
        primitives_free(&gemm->primitives);
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
    gemm->alpha = node_float(node, "alpha", 1);
    gemm->beta = node_float(node, "beta", 1);
    gemm->a_transposed = node_int(node, "transA", 0) != 0;
    gemm->b_transposed = node_int(node, "transB", 0) != 0;
    const struct type *a = operand_type(network, node, 0), *b = operand_type(network, node, 1);
    bool is_float = a->datatype == DATATYPE_FP32 || a->datatype == DATATYPE_FP64 || a->datatype == DATATYPE_FP16 ||
                    a->datatype == DATATYPE_BF16;
    if (!is_float && (gemm->alpha != 1 || gemm->beta != 1))
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
    if (c && is_row(c, product.n) && a->datatype == DATATYPE_FP32 && gemm->alpha == 1 && gemm->beta == 1 && product.k) {
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
