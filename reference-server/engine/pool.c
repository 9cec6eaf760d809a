/* MaxPool, AveragePool and their global forms, FP32. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/families.h"
#include "engine/lanes.h"
#include "engine/team.h"
#include "engine/window.h"
#include <math.h>

struct pool {
    struct window window;
    bool is_max, is_global; /* global: the window covers the whole input */
    bool counts_padding;    /* as zeros, in an average */
};

/* Checks that no window lies in the padding alone, because it would have no maximum and no average. */
static bool pads_are_small(const struct window *window)
{
    const size_t rank = window->rank;
    return ALL(i, 2 * rank, window->pads[i] <= (window->kernel[i % rank] - 1) * window->dilations[i % rank]);
}

LOAD(pool)
{
    struct arena *arena = &network->arena;
    const Onnx__AttributeProto *kernel = node_attribute(node, "kernel_shape");
    pool->is_max = strstr(node->op->name, "MaxPool") != NULL;
    pool->counts_padding = node_int(node, "count_include_pad", 0) != 0;
    pool->is_global = strncmp(node->op->name, "Global", strlen("Global")) == 0;
    if (pool->is_global)
        return STATUS_IS_OK;
    TRY(window_read(node, NULL, kernel ? kernel->n_ints : 1, arena, &pool->window));
    if (!pads_are_small(&pool->window))
        return node_refuse(node, arena, "its padding is as wide as its window");
    if (pool->window.round_up && pool->counts_padding)
        return node_unsupported(node, arena, "ceil_mode with count_include_pad is not supported");
    return STATUS_IS_OK;
}

/* Makes a window that covers the input. */
static struct status cover(const struct call *call, struct geometry *geometry)
{
    size_t rank = geometry->rank < 2 ? 0 : geometry->rank - 2;
    if (rank < 1 || rank > WINDOW_RANK_MAX)
        return call_unsupported(call, "%zu spatial dimensions; supported are 1 to %d", rank, WINDOW_RANK_MAX);
    geometry->window = (struct window){.rank = rank};
    geometry->placement = (struct placement){.shape = {1, 1, 1}};
    for (size_t i = 0; i < rank; i++) {
        geometry->window.kernel[i] = geometry->in[2 + i];
        geometry->window.strides[i] = geometry->window.dilations[i] = 1;
    }
    return STATUS_IS_OK;
}

INFER(pool)
{
    const struct pool *pool = call->node->state;
    struct geometry *geometry = FOUND(call, struct geometry);
    geometry->rank = form_logical(call->node->form, in->shape, in->rank, geometry->in);
    geometry->window = pool->window;
    geometry->placement = (struct placement){0};
    if (pool->is_global)
        TRY(cover(call, geometry));
    else if (geometry->rank != pool->window.rank + 2)
        return call_refuse(call, "a window of %zu dimensions over an input of %zu", pool->window.rank, geometry->rank);
    else
        TRY(window_place(&geometry->window, geometry->in + 2, call->node, call->arena, &geometry->placement));
    memcpy(geometry->out, geometry->in, 2 * sizeof(*geometry->out));
    memcpy(geometry->out + 2, geometry->placement.shape, sizeof(geometry->placement.shape));
    made->rank = form_physical(call->node->form, geometry->out, geometry->rank, made->shape);
    return STATUS_IS_OK;
}

/* The windows in one dimension. */
struct dimension {
    int64_t in, out, begin, kernel, stride, dilation;
};

/* A pool over `planes` blocks of three dimensions, of which the first ones may have a size of 1. Each position in a
 * block has `inner` numbers, which do not mix: the channels that the form puts last. */
struct pooling {
    const float *from;
    float *to;
    struct dimension dimensions[WINDOW_RANK_MAX];
    int64_t planes, inner;
    bool is_max, counts_padding;
};

/* The positions of the input that a window covers in one dimension; none if `count` is not above 0. */
struct span {
    int64_t first, count, step;
};

static struct span span_of(const struct dimension *dimension, int64_t window)
{
    const int64_t step = dimension->dilation, in = dimension->in;
    int64_t first = window * dimension->stride - dimension->begin, count = dimension->kernel;
    if (first < 0) {
        const int64_t before = (step - 1 - first) / step;
        first += before * step;
        count -= before;
    }
    if (first + (count - 1) * step >= in)
        count = first < in ? (in - 1 - first) / step + 1 : 0;
    return (struct span){first, count, step};
}

/* Takes more numbers into a maximum or a sum. */
ALWAYS_INLINE void take_in(float *restrict to, const float *restrict from, int64_t count, bool is_max)
{
    if (is_max)
        for (int64_t i = 0; i < count; i++)
            to[i] = from[i] > to[i] ? from[i] : to[i];
    else
        for (int64_t i = 0; i < count; i++)
            to[i] += from[i];
}

ALWAYS_INLINE void set_all(float *to, int64_t count, float value)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = value;
}

/* Pools one row along the last dimension. Each number in the row stands for `rows` numbers of the input. */
ALWAYS_INLINE void pool_along(const struct pooling *pooling, const float *row, int64_t rows, float *to)
{
    const struct dimension *across = &pooling->dimensions[2];
    const int64_t inner = pooling->inner;
    const bool is_max = pooling->is_max;
    for (int64_t i = 0; i < across->out; i++, to += inner) {
        const struct span span = span_of(across, i);
        const float count = (float)(rows * (pooling->counts_padding ? across->kernel : span.count));
        const float *from = row + span.first * inner;
        int64_t c = 0;
        for (; c + LANES <= inner; c += LANES) {
            lanes taken = (lanes){0} + (is_max ? -INFINITY : 0);
            for (int64_t k = 0; k < span.count; k++) {
                const lanes *more = lanes_of(from + k * span.step * inner + c);
                if (is_max)
                    lanes_raise(&taken, more);
                else
                    taken += *more;
            }
            if (!is_max)
                taken /= count;
            *lanes_at(to + c) = taken;
        }
        for (; c < inner; c++) {
            float taken = is_max ? -INFINITY : 0;
            for (int64_t k = 0; k < span.count; k++)
                take_in(&taken, from + k * span.step * inner + c, 1, is_max);
            to[c] = is_max ? taken : taken / count;
        }
    }
}

/* Computes one row of the output: joins all rows that its windows cover into one, and pools along that. */
FAST static void pool_row(const struct pooling *pooling, int64_t plane, int64_t z, int64_t y, float *row)
{
    const struct dimension *deep = &pooling->dimensions[0], *down = deep + 1, *across = down + 1;
    const struct span planes = span_of(deep, z), rows = span_of(down, y);
    const int64_t length = across->in * pooling->inner;
    float *to = pooling->to + ((plane * deep->out + z) * down->out + y) * across->out * pooling->inner;
    set_all(row, length, pooling->is_max ? -INFINITY : 0);
    for (int64_t i = 0; i < planes.count; i++)
        for (int64_t j = 0; j < rows.count; j++) {
            const int64_t at =
                (plane * deep->in + planes.first + i * planes.step) * down->in + rows.first + j * rows.step;
            take_in(row, pooling->from + at * length, length, pooling->is_max);
        }
    const int64_t count = pooling->counts_padding ? deep->kernel * down->kernel : planes.count * rows.count;
    pool_along(pooling, row, count, to);
}

static struct status pool_rows(void *context, const struct run *run, int, int64_t first, int64_t end)
{
    const struct pooling *pooling = context;
    const struct dimension *deep = &pooling->dimensions[0], *down = deep + 1, *across = down + 1;
    float *row = run_scratch(run, SCRATCH_NODE, (size_t)(across->in * pooling->inner) * sizeof(*row));
    NEED(row);
    for (int64_t i = first; i < end; i++)
        pool_row(pooling, i / down->out / deep->out, i / down->out % deep->out, i % down->out, row);
    return STATUS_IS_OK;
}

static struct pooling pooling_of(const struct node *node, const struct geometry *geometry)
{
    const struct pool *pool = node->state;
    const struct window *window = &geometry->window;
    const int64_t channels = geometry->in[1];
    struct pooling pooling = {.is_max = pool->is_max, .counts_padding = pool->counts_padding};
    for (size_t i = 0; i < WINDOW_RANK_MAX; i++)
        pooling.dimensions[i] = (struct dimension){.in = 1, .out = 1, .kernel = 1, .stride = 1, .dilation = 1};
    for (size_t i = 0; i < window->rank; i++)
        pooling.dimensions[WINDOW_RANK_MAX - window->rank + i] = (struct dimension){
            .in = geometry->in[2 + i],
            .out = geometry->out[2 + i],
            .begin = geometry->placement.begin[i],
            .kernel = window->kernel[i],
            .stride = window->strides[i],
            .dilation = window->dilations[i],
        };
    pooling.inner = node->form == FORM_BLOCKED ? BLOCK_CHANNELS : node->form == FORM_ROW_MAJOR ? 1 : channels;
    pooling.planes = geometry->in[0] * channels / pooling.inner;
    return pooling;
}

COMPUTE(pool)
{
    const struct geometry *geometry = call->found;
    if (out->count == 0)
        return STATUS_IS_OK;
    if (in->count == 0)
        return call_refuse(call, "nothing to pool in an input of shape %s",
                           shape_text(call->arena, geometry->in, geometry->rank));
    struct pooling pooling = pooling_of(call->node, geometry);
    pooling.from = in->data;
    pooling.to = out->data;
    const int64_t rows = pooling.planes * pooling.dimensions[0].out * pooling.dimensions[1].out;
    return team_share(call->run, team_size(call->run, 4 * (int64_t)in->count, rows), rows, pool_rows, &pooling);
}
