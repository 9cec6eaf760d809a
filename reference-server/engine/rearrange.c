/* Operators whose outputs are elements of their inputs in another arrangement: Concat, Split, Slice, Pad, Tile, Expand,
 * Where, DepthToSpace, SpaceToDepth. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/families.h"
#include "engine/move.h"

/* --- Concat --- */

INFER(concat)
{
    for (size_t i = 1; i < call->node->input_count; i++) {
        const struct type *type = &call->inputs[i].type;
        bool fits = type->rank == made->rank;
        for (size_t d = 0; fits && d < type->rank; d++) {
            int64_t *have = &made->shape[d], more = type->shape[d];
            if (d == call->axis)
                fits = *have < 0 || more < 0 ? (*have = -1, true) : !__builtin_add_overflow(*have, more, have);
            else
                fits = *have < 0 || more < 0 || *have == more;
            if (d != call->axis && *have < 0)
                *have = more;
        }
        if (!fits)
            return call_refuse(call, "%s does not fit %s at axis %zu", input_text(call, i),
                               shape_text(call->arena, made->shape, made->rank), call->axis);
    }
    return STATUS_IS_OK;
}

COMPUTE(concat)
{
    for (size_t i = 0, begin = 0; i < call->node->input_count; i++) {
        const struct tensor *part = call->inputs[i].tensor;
        struct move move = move_between(part, part, out);
        move_elements(&move, part->data, element_at(out, (int64_t)begin * move.to[call->axis]), size_of(part));
        begin += (size_t)part->shape[call->axis];
    }
    return STATUS_IS_OK;
}

/* --- Split --- */

INFER(split)
{
    const struct integers *sizes = &call->list;
    const size_t count = call->node->output_count;
    int64_t whole = in->shape[call->axis], sum = 0;
    if (sizes->known && sizes->list && sizes->count != count)
        return call_refuse(call, "%zu sizes for %zu outputs", sizes->count, count);
    if (!sizes->list && whole % (int64_t)count > 0)
        return call_refuse(call, "%lld elements do not split into %zu parts", (long long)whole, count);
    for (size_t i = 0; i < count; i++) {
        int64_t part = !sizes->known || (!sizes->list && whole < 0) ? -1
                       : sizes->list                                ? sizes->list[i]
                                                                    : whole / (int64_t)count;
        if (sizes->list && (part < 0 || __builtin_add_overflow(sum, part, &sum)))
            return call_refuse(call, "a part of %lld elements", (long long)part);
        made[i].shape[call->axis] = part;
    }
    return sizes->list && whole >= 0 && sum != whole
               ? call_refuse(call, "its parts have %lld elements, not %lld", (long long)sum, (long long)whole)
               : STATUS_IS_OK;
}

COMPUTE(split)
{
    for (size_t i = 0, begin = 0; i < call->node->output_count; i++) {
        const struct tensor *part = call->outputs[i];
        struct move move = move_between(part, in, part);
        move_elements(&move, element_at(in, (int64_t)begin * move.from[call->axis]), part->data, size_of(in));
        begin += (size_t)part->shape[call->axis];
    }
    return STATUS_IS_OK;
}

/* --- Slice: attributes until opset 9, then inputs --- */

struct slice {
    int64_t begin[TENSOR_RANK_MAX], step[TENSOR_RANK_MAX];
};

static int64_t clamp(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : x > most ? most : x;
}

INFER(slice)
{
    static const char *const attributes[] = {"starts", "ends", "axes", NULL};
    struct slice *slice = FOUND(call, struct slice);
    struct integers lists[4] = {{0}};
    bool marked[TENSOR_RANK_MAX];
    for (size_t i = 0; i < 4; i++)
        TRY(call_integers(call, attributes[i], i + 1, &lists[i]));
    const struct integers starts = lists[0], ends = lists[1], axes = lists[2], steps = lists[3];
    const bool is_known = ALL(i, 4, lists[i].known);
    int64_t order[TENSOR_RANK_MAX]; /* all axes from the first, if none are given */
    for (size_t i = 0; i < in->rank; i++) {
        slice->begin[i] = 0;
        slice->step[i] = 1;
        made->shape[i] = is_known ? in->shape[i] : -1;
    }
    if (!is_known)
        return STATUS_IS_OK;
    for (size_t i = 0; i < starts.count; i++)
        order[i] = axes.list && i < axes.count ? axes.list[i] : (int64_t)i;
    if (starts.count != ends.count || (axes.list && axes.count != starts.count) ||
        (steps.list && steps.count != starts.count) || !mark_axes(order, starts.count, in->rank, marked))
        return call_refuse(call, "its lists do not fit an input of %zu dimensions", in->rank);
    for (size_t i = 0; i < starts.count; i++) {
        int64_t axis = order[i], step = steps.list ? steps.list[i] : 1;
        normalize_axis(&axis, in->rank);
        int64_t size = in->shape[axis], start = starts.list[i], end = ends.list[i];
        if (step == 0 || step == INT64_MIN)
            return call_refuse(call, "a step of %lld", (long long)step);
        slice->step[axis] = step;
        if (size < 0)
            continue;
        start = clamp(start < 0 ? start + size : start, step < 0 ? -1 : 0, step < 0 ? size - 1 : size);
        end = clamp(end < 0 ? (end < -size ? -1 : end + size) : end, step < 0 ? -1 : 0, size);
        int64_t length = step > 0 ? end - start : start - end, stride = step > 0 ? step : -step;
        slice->begin[axis] = start;
        made->shape[axis] = length > 0 ? length / stride + (length % stride > 0) : 0;
    }
    return STATUS_IS_OK;
}

COMPUTE(slice)
{
    const struct slice *slice = call->found;
    struct move move = move_between(out, in, out);
    int64_t begin = 0;
    for (size_t i = 0; i < in->rank; i++) {
        begin += slice->begin[i] * move.from[i];
        move.from[i] *= out->shape[i] > 1 ? slice->step[i] : 1;
    }
    if (out->count)
        move_elements(&move, element_at(in, begin), out->data, size_of(in));
    return STATUS_IS_OK;
}

/* --- Pad --- */

enum { CONSTANT, REFLECT }; /* the mode; the third one repeats the edge */

/* What is added at both ends of each dimension as it lies in memory; negative: cut off. */
struct pads {
    int64_t begin[TENSOR_RANK_MAX], end[TENSOR_RANK_MAX];
};

/* Says whether what stays of a dimension suffices to fill its ends. */
static bool has_enough(size_t mode, int64_t made, int64_t begin, int64_t end)
{
    const int64_t stays = made - (begin > 0 ? begin : 0) - (end > 0 ? end : 0), most = begin > end ? begin : end;
    return mode == CONSTANT || most <= 0 || (mode == REFLECT ? most < stays : stays > 0);
}

INFER(pad)
{
    const struct operand *value = call_operand(call, 2);
    const struct integers *list = &call->list;
    const size_t mode = node_choice(call->node, "mode"), axes = node_rank(call->node, in->rank);
    struct pads *pads = FOUND(call, struct pads);
    if (value && value->tensor && value->tensor->count != 1)
        return call_refuse(call, "its value is not one %s", datatype_name(in->datatype));
    if (list->known && list->count != 2 * axes)
        return call_refuse(call, "%zu pads for %zu dimensions", list->count, axes);
    *pads = (struct pads){0};
    for (size_t i = 0; i < axes && list->known; i++) {
        pads->begin[node_axis(call->node, i, in->rank)] = list->list[i];
        pads->end[node_axis(call->node, i, in->rank)] = list->list[axes + i];
    }
    for (size_t i = 0; i < in->rank; i++) {
        int64_t *size = &made->shape[i], begin = pads->begin[i], end = pads->end[i];
        bool fits = *size < 0 || !list->known ||
                    (!__builtin_add_overflow(*size, begin, size) && !__builtin_add_overflow(*size, end, size) &&
                     *size >= 0 && has_enough(mode, *size, begin, end));
        if (!fits)
            return call_refuse(call, "pads of %lld and %lld at %s", (long long)begin, (long long)end,
                               input_text(call, 0));
        *size = list->known ? *size : -1;
    }
    return STATUS_IS_OK;
}

/* Fills the border of one dimension from what is inside of it: each row of the border is a copy of another row. */
static void mirror(struct tensor *out, size_t axis, int64_t begin, int64_t size, bool reflects)
{
    struct move move = move_between(out, out, out);
    move.shape[axis] = 1;
    for (int64_t i = 0; i < out->shape[axis]; i++) {
        int64_t from = i - begin, step = move.to[axis];
        if (from >= 0 && from < size)
            continue;
        from = !reflects ? clamp(from, 0, size - 1) : from < 0 ? -from : 2 * (size - 1) - from;
        move_elements(&move, element_at(out, (begin + from) * step), element_at(out, i * step), size_of(out));
    }
}

COMPUTE(pad)
{
    const struct tensor *value = call_tensor(call, 2);
    const struct pads *pads = call->found;
    const size_t mode = node_choice(call->node, "mode");
    int64_t bits = 0, from = 0, to = 0;
    struct move move = move_between(in, in, out);
    if (out->count == 0)
        return STATUS_IS_OK;
    float number = node_float(call->node, "value", 0);
    if (value)
        memcpy(&bits, value->data, size_of(in));
    else if (in->datatype == DATATYPE_FP32)
        memcpy(&bits, &number, sizeof(number));
    if (mode == CONSTANT)
        fill(out, &bits);
    for (size_t i = 0; i < in->rank; i++) {
        int64_t begin = pads->begin[i], end = pads->end[i];
        move.shape[i] = in->shape[i] + (begin < 0 ? begin : 0) + (end < 0 ? end : 0);
        if (move.shape[i] <= 0)
            return STATUS_IS_OK;
        from += begin < 0 ? -begin * move.from[i] : 0;
        to += begin > 0 ? begin * move.to[i] : 0;
    }
    move_elements(&move, element_at(in, from), element_at(out, to), size_of(in));
    for (size_t i = 0; i < in->rank && mode != CONSTANT; i++)
        mirror(out, i, pads->begin[i] > 0 ? pads->begin[i] : 0, move.shape[i], mode == REFLECT);
    return STATUS_IS_OK;
}

/* --- Tile --- */

INFER(tile)
{
    const struct integers *repeats = &call->list;
    if (repeats->known && repeats->count != made->rank)
        return call_refuse(call, "%zu repeats for %zu dimensions", repeats->count, made->rank);
    for (size_t i = 0; i < made->rank; i++) {
        int64_t times = repeats->known ? repeats->list[i] : 0, *size = &made->shape[i];
        if (times < 0 || (*size >= 0 && __builtin_mul_overflow(*size, times, size)))
            return call_refuse(call, "%lld repeats", (long long)times);
        *size = repeats->known ? *size : -1;
    }
    return STATUS_IS_OK;
}

COMPUTE(tile)
{
    int64_t in_steps[TENSOR_RANK_MAX], out_steps[TENSOR_RANK_MAX];
    struct move move = {.rank = 2 * in->rank}; /* each dimension is one of repeats and one of elements */
    if (2 * in->rank > TENSOR_RANK_MAX)
        return call_unsupported(call, "more than %d dimensions", TENSOR_RANK_MAX / 2);
    row_major(in->shape, in->rank, in_steps);
    row_major(out->shape, in->rank, out_steps);
    for (size_t i = 0; i < in->rank && out->count; i++) {
        move.shape[2 * i] = out->shape[i] / in->shape[i];
        move.to[2 * i] = in->shape[i] * out_steps[i];
        move.shape[2 * i + 1] = in->shape[i];
        move.from[2 * i + 1] = in_steps[i];
        move.to[2 * i + 1] = out_steps[i];
    }
    if (out->count)
        move_elements(&move, in->data, out->data, size_of(in));
    return STATUS_IS_OK;
}

/* --- Expand, Where --- */

INFER(expand)
{
    const struct integers *wanted = &call->list;
    return made_broadcast(made, wanted->list, wanted->count) && ALL(i, wanted->count, wanted->list[i] >= 0)
               ? STATUS_IS_OK
               : call_refuse(call, "%s does not expand to %s", input_text(call, 0),
                             shape_text(call->arena, wanted->list, wanted->count));
}

COMPUTE(expand)
{
    broadcast(in, out);
    return STATUS_IS_OK;
}

INFER(where)
{
    const struct type *no = &call->inputs[2].type; /* what is made is like the other one */
    return made_broadcast(made, in->shape, in->rank) && made_broadcast(made, no->shape, no->rank)
               ? STATUS_IS_OK
               : call_refuse(call, "its shapes do not broadcast");
}

COMPUTE(where)
{
    struct tensor condition = {0}, otherwise = {0};
    NEED(tensor_make(&condition, DATATYPE_BOOL, out->shape, out->rank, call->arena) &&
         tensor_make(&otherwise, out->datatype, out->shape, out->rank, call->arena));
    size_t size = size_of(out);
    broadcast(in, &condition);
    broadcast(call->inputs[1].tensor, out);
    broadcast(call->inputs[2].tensor, &otherwise);
    for (size_t i = 0; i < out->count; i++)
        if (!((const char *)condition.data)[i])
            memcpy((char *)out->data + i * size, (const char *)otherwise.data + i * size, size);
    return STATUS_IS_OK;
}

/* --- DepthToSpace, SpaceToDepth: [N, C, H, W] seen as six dimensions --- */

static bool is_to_space(const struct call *call)
{
    return strcmp(call->node->op->name, "DepthToSpace") == 0;
}

INFER(space)
{
    int64_t block = node_int(call->node, "blocksize", 0);
    if (block < 1 || block > 4096)
        return call_refuse(call, "a block of %lld", (long long)block);
    for (size_t i = 1; i < 4; i++) {
        int64_t *size = &made->shape[i], factor = i == 1 ? block * block : block;
        if (*size < 0)
            continue;
        if (is_to_space(call) == (i == 1)) {
            if (*size % factor)
                return call_refuse(call, "blocks of %lld do not fit into %s", (long long)block, input_text(call, 0));
            *size /= factor;
        } else if (__builtin_mul_overflow(*size, factor, size)) {
            return call_refuse(call, "it is too large");
        }
    }
    return STATUS_IS_OK;
}

COMPUTE(space)
{
    int64_t b = node_int(call->node, "blocksize", 1);
    bool to_space = is_to_space(call);
    const struct tensor *wide = to_space ? out : in; /* with the larger H and W */
    int64_t channels = wide->shape[1], h = wide->shape[2] / b, w = wide->shape[3] / b;
    bool depth_first = !to_space || node_choice(call->node, "mode") == 0;
    int64_t block_step = channels * h * w, own = depth_first ? 1 : b * b; /* how channels lie in the deep tensor */
    if (!depth_first)
        block_step = h * w;
    int64_t deep[] = {channels * b * b * h * w, own * h * w, w, block_step * b, 1, block_step};
    int64_t flat[] = {channels * h * b * w * b, h * b * w * b, b * w * b, w * b, b, 1};
    struct move move = {.rank = 6, .shape = {in->shape[0], channels, h, b, w, b}};
    memcpy(move.from, to_space ? deep : flat, sizeof(deep));
    memcpy(move.to, to_space ? flat : deep, sizeof(deep));
    if (out->count)
        move_elements(&move, in->data, out->data, size_of(in));
    return STATUS_IS_OK;
}
