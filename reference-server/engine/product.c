#include "engine/product.h"

/* Describes a stack of matrices; what is repeated in it has one element. */
static void describe(struct numbers *numbers, const struct product *product, const int64_t *strides, int64_t rows,
                     int64_t columns, int64_t row, int64_t column)
{
    const size_t rank = product->stack.rank;
    numbers->rank = rank + 2;
    for (size_t i = 0; i < rank; i++) {
        numbers->shape[i] = strides[i] ? product->stack.shape[i] : 1;
        numbers->strides[i] = strides[i] ? strides[i] : rows * columns;
    }
    numbers->shape[rank] = rows;
    numbers->shape[rank + 1] = columns;
    numbers->strides[rank] = row;
    numbers->strides[rank + 1] = column;
}

struct status multiply(const struct node *node, const struct run *run, struct primitives *primitives,
                       const struct product *product, void *const data[PRIMITIVE_MEMORIES])
{
    const int64_t m = product->m, n = product->n, k = product->k;
    const size_t rank = product->stack.rank;
    int64_t strides[TENSOR_RANK_MAX], count = m * n;
    if (rank + 2 > DNNL_MAX_NDIMS)
        return node_unsupported(node, run->arena, "more than %d dimensions", DNNL_MAX_NDIMS);
    for (size_t i = rank; i-- > 0; count *= product->stack.shape[i])
        strides[i] = count;
    if (k == 0 && !product->adds)
        memset(data[MEMORY_RESULT], 0, (size_t)count * sizeof(float));
    if (k == 0)
        return STATUS_IS_OK;
    struct operation operation = {.kind = OPERATION_MATMUL, .scale = product->alpha, .adds = product->adds};
    struct numbers *memories = operation.memories;
    describe(&memories[MEMORY_SOURCE], product, product->stack.from, m, k, product->a_row, product->a_column);
    describe(&memories[MEMORY_WEIGHTS], product, product->stack.to, k, n, product->b_row, product->b_column);
    describe(&memories[MEMORY_RESULT], product, strides, m, n, n, 1);
    if (product->has_bias)
        describe(&memories[MEMORY_BIAS], product, (const int64_t[DNNL_MAX_NDIMS]){0}, 1, n, n, 1);
    return primitives_run(primitives, node, run, &operation, count * k, data);
}
