#include "tensor/tensor.h"

#include <inttypes.h>
#include <stdio.h>

bool shape_count(const int64_t *shape, size_t rank, size_t *count)
{
    bool empty = false;
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] < 0)
            return false;
        empty = empty || shape[i] == 0;
    }
    size_t product = 1, most = SIZE_MAX / 8;
    for (size_t i = 0; i < rank && !empty; i++)
        if (__builtin_mul_overflow(product, (size_t)shape[i], &product) || product > most)
            return false;
    *count = empty ? 0 : product;
    return true;
}

const char *shape_text(struct arena *arena, const int64_t *shape, size_t rank)
{
    char text[TENSOR_RANK_MAX * 21 + 8] = "[";
    size_t length = 1, shown = rank < TENSOR_RANK_MAX ? rank : TENSOR_RANK_MAX;
    for (size_t i = 0; i < shown; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, i ? ",%" PRId64 : "%" PRId64, shape[i]);
    snprintf(text + length, sizeof text - length, shown < rank ? ",...]" : "]");
    struct str copy = arena_copy(arena, str_of(text));
    return copy.data ? copy.data : "[...]";
}
