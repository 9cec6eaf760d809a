#include "engine/product.h"

/* What a primitive is made for. */
struct product_call {
    const struct factor *factor;
    const struct product *product;
};

static bool packs(const struct product_call *call)
{
    return call->factor->weights.data && call->product->stack.rank == 0;
}

static dnnl_status_t describe(layout **memory, const struct product *product, const int64_t *strides, int64_t rows,
                              int64_t columns, int64_t row, int64_t column)
{
    dnnl_dims_t dims, steps;
    size_t rank = product->stack.rank;
    for (size_t i = 0; i < rank; i++) {
        bool repeats = strides[i] == 0;
        dims[i] = repeats ? 1 : product->stack.shape[i];
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
    int64_t strides[TENSOR_RANK_MAX], row[TENSOR_RANK_MAX];
    size_t rank = product->stack.rank;
    row_major(product->stack.shape, rank, strides);
    for (size_t i = 0; i < rank; i++)
        strides[i] *= product->m * product->n;
    for (size_t i = 0; i < rank + 1; i++)
        row[i] = 1;
    row[rank + 1] = product->n;
    dnnl_status_t fault = describe(&memories[MEMORY_SOURCE], product, product->stack.from, product->m, product->k,
                                   product->a_row, product->a_column);
    if (fault == dnnl_success)
        fault = describe(packs ? plain : &memories[MEMORY_WEIGHTS], product, product->stack.to, product->k, product->n,
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
    dnnl_status_t fault = primitive_laid_out(&memories[MEMORY_SOURCE], in, 4, FORM_CHANNELS_LAST);
    if (fault == dnnl_success)
        fault = primitive_laid_out(&memories[MEMORY_RESULT], out, 4, FORM_CHANNELS_LAST);
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

static dnnl_status_t make_matmul(const struct node *node, const struct product_call *call, struct primitive *primitive,
                                 layout **plain)
{
    struct operation operation = {.kind = OPERATION_MATMUL, .scale = call->factor->alpha, .adds = call->product->adds};
    primitive_follow(node, &operation);
    dnnl_status_t fault = describe_all(call->product, packs(call), primitive->memories, plain);
    return fault == dnnl_success ? primitive_create(primitive, &operation) : fault;
}

/* Takes a convolution in the place of a matmul whose weights are not packed. */
static void prefer_convolution(const struct node *node, const struct product_call *call, struct primitive *primitive,
                               layout **plain)
{
    const struct product *product = call->product;
    struct primitive other = {0};
    layout *other_plain = NULL;
    if (call->factor->alpha == 1 && product->a_row == product->k && product->a_column == 1 &&
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

static dnnl_status_t make_product(const struct node *node, const void *context, struct primitive *primitive)
{
    const struct product_call *call = context;
    layout *plain = NULL;
    dnnl_status_t fault = make_matmul(node, call, primitive, &plain);
    if (fault == dnnl_success && packs(call)) {
        prefer_convolution(node, call, primitive, &plain);
        fault = pack_take(call->factor->packs, plain, call->factor->weights, primitive->memories[MEMORY_WEIGHTS],
                          &primitive->weights);
    }
    layout_free(plain);
    return fault;
}

void factor_init(struct factor *factor, struct node *node, struct packs *packs, struct weights weights)
{
    *factor = (struct factor){.packs = packs, .weights = weights, .alpha = 1};
    primitives_init(&factor->primitives, node);
}

struct status multiply(const struct node *node, const struct run *run, struct factor *factor,
                       const struct product *product, void *const data[PRIMITIVE_MEMORIES])
{
    if (product->stack.rank + 2 > DNNL_MAX_NDIMS)
        return node_error(node, run->arena, STATUS_UNIMPLEMENTED, "more than %d dimensions", DNNL_MAX_NDIMS);

    /* All values that the primitive depends on. The strides follow from the broadcast shapes. */
    int64_t key[PRIMITIVE_KEY_MAX + 4];
    size_t key_size = 0;
    int64_t count = product->m * product->n;
    for (size_t i = 0; i < product->stack.rank; i++) {
        count *= product->stack.shape[i];
        key[key_size++] =
            product->stack.shape[i] * 4 + (product->stack.from[i] ? 0 : 2) + (product->stack.to[i] ? 0 : 1);
    }
    key[key_size++] = product->m;
    key[key_size++] = product->n;
    key[key_size++] = product->k;
    key[key_size++] = 2 * product->adds + product->has_bias; /* C of Gemm may be of another shape at each run */
    if (product->k == 0 && !product->adds)
        memset(data[MEMORY_RESULT], 0, (size_t)count * sizeof(float));
    if (product->k == 0)
        return STATUS_IS_OK;
    const struct product_call call = {factor, product};
    const struct computation computation = {key, key_size, make_product, node, &call, count * product->k};
    return primitives_run(&factor->primitives, &computation, run, data);
}
