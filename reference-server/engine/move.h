/* Copies elements from one arrangement to another. All operators that only move elements are such a copy. */
#ifndef ENGINE_MOVE_H
#define ENGINE_MOVE_H

#include "tensor/tensor.h"

/* A block of elements, and how far each of its dimensions moves on in the source and in the target, in elements. A
 * step in the source may be 0, which repeats an element, or negative. */
struct move {
    size_t rank;
    int64_t shape[TENSOR_RANK_MAX], from[TENSOR_RANK_MAX], to[TENSOR_RANK_MAX];
};

/* Copies the block. Both pointers lead to its first element; an element has `size` bytes. */
void move_elements(const struct move *move, const void *from, void *to, size_t size);

/* Finds the steps of a tensor in row-major order. */
void row_major(const int64_t *shape, size_t rank, int64_t *steps);

#endif
