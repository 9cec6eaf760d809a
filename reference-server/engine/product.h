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
    bool adds, has_bias;
};

/* What a node keeps for its products by one b. */
struct factor {
    struct primitives primitives;
    struct weights weights; /* b, if it is constant: then it is packed. Its data is NULL otherwise */
    struct packs *packs;
    float alpha;
};

/* Starts a factor of a node, which ends with the node. Alpha is 1 at first. */
void factor_init(struct factor *factor, struct node *node, struct packs *packs, struct weights weights);

/* Multiplies the source by the weights, of which only those are read that are not packed. No dimension is 0. The
 * activation of the node follows the product. If b has parts, the source and the result have as many, one behind the
 * other, and the product is that of a part. */
struct status multiply(const struct node *node, const struct run *run, struct factor *factor,
                       const struct product *product, void *const data[PRIMITIVE_MEMORIES]);
