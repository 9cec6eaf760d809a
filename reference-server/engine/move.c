/* A move is first made as simple as it can be: dimensions of one element are dropped, and two that are contiguous in
 * source and target become one. What is left is a walk over rows of the last dimension, or over tiles of the last two
 * if the elements of a row lie apart in the source. */
#include "engine/move.h"

#include "base/search.h"
#include <string.h>

#define TILE ((int64_t)16)

void row_major(const int64_t *shape, size_t rank, int64_t *steps)
{
    int64_t step = 1;
    for (size_t i = rank; i-- > 0;) {
        steps[i] = step;
        step *= shape[i];
    }
}

void broadcast_steps(const struct tensor *tensor, size_t rank, int64_t *steps)
{
    int64_t step = 1;
    for (size_t i = rank; i-- > 0;) {
        int64_t size = i + tensor->rank < rank ? 1 : tensor->shape[i + tensor->rank - rank];
        steps[i] = size == 1 ? 0 : step;
        step *= size;
    }
}

static struct move simplify(const struct move *move)
{
    struct move simple = {0};
    for (size_t i = 0; i < move->rank; i++) {
        size_t last = simple.rank - 1; /* of what is there so far */
        if (move->shape[i] == 1)
            continue;
        if (simple.rank && simple.from[last] == move->from[i] * move->shape[i] &&
            simple.to[last] == move->to[i] * move->shape[i]) {
            simple.shape[last] *= move->shape[i];
        } else {
            simple.shape[++last] = move->shape[i];
            simple.rank++;
        }
        simple.from[last] = move->from[i];
        simple.to[last] = move->to[i];
    }
    return simple;
}

/* Copies `rows` x `columns` elements. */
typedef void copy(const char *from, int64_t from_row, int64_t from_column, char *to, int64_t to_row, int64_t to_column,
                  int64_t rows, int64_t columns);

#define COPY(TYPE)                                                                                                     \
    static void copy_##TYPE(const char *from, int64_t from_row, int64_t from_column, char *to, int64_t to_row,         \
                            int64_t to_column, int64_t rows, int64_t columns)                                          \
    {                                                                                                                  \
        for (int64_t tile = 0; tile < rows; tile += TILE)                                                              \
            for (int64_t j = 0; j < columns; j++)                                                                      \
                for (int64_t i = tile; i < rows && i < tile + TILE; i++)                                               \
                    ((TYPE *)(void *)to)[i * to_row + j * to_column] =                                                 \
                        ((const TYPE *)(const void *)from)[i * from_row + j * from_column];                            \
    }

COPY(uint8_t)
COPY(uint16_t)
COPY(uint32_t)
COPY(uint64_t)

void move_elements(const struct move *move, const void *from, void *to, size_t size)
{
    copy *copies[] = {[1] = copy_uint8_t, [2] = copy_uint16_t, [4] = copy_uint32_t, [8] = copy_uint64_t};
    struct walk walk = {.block = simplify(move)};
    struct move *simple = &walk.block;
    int64_t columns = 1, column_from = 1, column_to = 1, rows = 1, row_from = 0, row_to = 0;
    if (ANY(i, simple->rank, simple->shape[i] <= 0))
        return;
    if (simple->rank) {
        size_t last = --simple->rank;
        columns = simple->shape[last];
        column_from = simple->from[last];
        column_to = simple->to[last];
    }
    bool is_packed = column_from == 1 && column_to == 1;
    if (simple->rank && !is_packed) {
        size_t last = --simple->rank;
        rows = simple->shape[last];
        row_from = simple->from[last];
        row_to = simple->to[last];
    }
    do {
        const char *source = (const char *)from + walk.from * (int64_t)size;
        char *target = (char *)to + walk.to * (int64_t)size;
        if (is_packed)
            memcpy(target, source, (size_t)columns * size);
        else
            copies[size](source, row_from, column_from, target, row_to, column_to, rows, columns);
    } while (walk_on(&walk));
}

struct move move_between(const struct tensor *block, const struct tensor *from, const struct tensor *to)
{
    struct move move = {.rank = block->rank};
    if (block->rank)
        memcpy(move.shape, block->shape, block->rank * sizeof(*block->shape));
    row_major(from->shape, from->rank, move.from);
    row_major(to->shape, to->rank, move.to);
    return move;
}

void fill(struct tensor *tensor, const void *element)
{
    char *data = tensor->data;
    for (size_t done = 0, size = size_of(tensor); done < tensor->size; done += size) {
        if (done)
            size = done < tensor->size - done ? done : tensor->size - done;
        memcpy(data + done, done ? data : element, size);
    }
}

struct split split_at(const struct tensor *tensor, size_t axis)
{
    struct split split = {1, 1, 1};
    for (size_t i = 0; i < tensor->rank; i++)
        *(i < axis ? &split.before : i == axis ? &split.length : &split.behind) *= (size_t)tensor->shape[i];
    return split;
}

void broadcast(const struct tensor *in, const struct tensor *out)
{
    struct move move = move_between(out, out, out);
    broadcast_steps(in, out->rank, move.from);
    move_elements(&move, in->data, out->data, size_of(in));
}
