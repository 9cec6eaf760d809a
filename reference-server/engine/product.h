/* Products of FP32 matrices on oneDNN. */
#pragma once

#include "engine/move.h"
#include "engine/primitive.h"

/* For every s of the stack's shape: out[s] = alpha x a[s] x b[s]. If `adds` is set, the result is added to out[s]. If
 * `has_bias` is set, a vector is added to each row (alpha is 1). */
struct product {
    struct move stack; /* from: between the matrices of a, to: between those of b; 0 where broadcast */
    int64_t m, n, k;
    int64_t a_row, a_column, b_row, b_column; /* strides inside the matrices */
    float alpha;
    bool adds, has_bias;
};

/* a[m,k] x b[n,k] transposed */
static inline struct product rows_by_transposed(int64_t m, int64_t n, int64_t k)
{
    return (struct product){.m = m, .n = n, .k = k, .a_row = k, .a_column = 1, .b_row = 1, .b_column = k, .alpha = 1};
}

/* Multiplies the source by the weights, of which only those are read that are not packed. No dimension but k is 0. The
 * activation of the node follows the product. If the weights have parts, the source and the result have as many, one
 * after the other, and the product is that of a part. */
struct status multiply(const struct node *node, const struct run *run, struct primitives *primitives,
                       const struct product *product, void *const data[PRIMITIVE_MEMORIES]);
