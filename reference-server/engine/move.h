/* Copies elements from one arrangement to another. All operators that only move elements are such a copy; none of them
 * takes BYTES, whose elements have no size. */
#pragma once

#include "tensor/tensor.h"

/* A block of elements, and how far each of its dimensions moves on in the source and in the target, in elements. A
 * step in the source may be 0, which repeats an element, or negative. */
struct move {
    size_t rank;
    int64_t shape[TENSOR_RANK_MAX], from[TENSOR_RANK_MAX], to[TENSOR_RANK_MAX];
};

/* A walk over a block in row-major order. */
struct walk {
    struct move block;
    int64_t position[TENSOR_RANK_MAX];
    int64_t from, to; /* where it is in the source and in the target */
};

/* Goes to the next element. Returns false after the last one. */
static inline bool walk_on(struct walk *walk)
{
    const struct move *block = &walk->block;
    for (size_t i = block->rank; i-- > 0;) {
        walk->from += block->from[i];
        walk->to += block->to[i];
        if (++walk->position[i] < block->shape[i])
            return true;
        walk->from -= block->from[i] * block->shape[i];
        walk->to -= block->to[i] * block->shape[i];
        walk->position[i] = 0;
    }
    return false;
}

/* Copies the block, if it is not empty. Both pointers lead to its first element; an element has `size` bytes. */
void move_elements(const struct move *move, const void *from, void *to, size_t size);

static inline size_t size_of(const struct tensor *tensor)
{
    return datatype_size(tensor->datatype);
}

static inline char *element_at(const struct tensor *tensor, int64_t element)
{
    return (char *)tensor->data + element * (int64_t)size_of(tensor);
}

/* Makes the move of a block with the shape of one tensor, out of a second one and into a third of the same rank. */
struct move move_between(const struct tensor *block, const struct tensor *from, const struct tensor *to);

/* The elements before an axis, along it, and after each of its positions. */
struct split {
    size_t before, length, behind;
};
struct split split_at(const struct tensor *tensor, size_t axis);

/* Makes all elements the same. */
void fill(struct tensor *tensor, const void *element);

/* Finds the steps of a tensor in row-major order. */
void row_major(const int64_t *shape, size_t rank, int64_t *steps);

/* Finds the steps of a tensor that is broadcast to `rank` dimensions: 0 where an element is repeated. */
void broadcast_steps(const struct tensor *tensor, size_t rank, int64_t *steps);

/* Fills a tensor with one that broadcasts to its shape. */
void broadcast(const struct tensor *in, const struct tensor *out);
