#include "engine/window.h"

#define SIZE_LIMIT ((int64_t)1 << 24) /* limits the numbers in attributes, so that calculations cannot overflow */

/* Reads a list attribute of exactly `count` numbers, none less than `least`. Without the attribute, the list is filled
 * with `otherwise`. */
static struct status read_list(const struct node *node, const char *name, size_t count, int64_t least,
                               int64_t otherwise, struct arena *arena, int64_t *list)
{
    const Onnx__AttributeProto *attribute = node_attribute(node, name);
    if (attribute && attribute->n_ints != count)
        return node_refuse(node, arena, "attribute '%s' has %zu numbers, not %zu", name, attribute->n_ints, count);
    for (size_t i = 0; i < count; i++) {
        list[i] = attribute ? attribute->ints[i] : otherwise;
        if (list[i] < least || list[i] > SIZE_LIMIT)
            return node_refuse(node, arena, "attribute '%s' holds %lld", name, (long long)list[i]);
    }
    return STATUS_IS_OK;
}

struct status window_read(const struct node *node, const int64_t *kernel, size_t rank, struct arena *arena,
                          struct window *window)
{
    *window = (struct window){.rank = rank,
                              .auto_pad = (enum auto_pad)node_choice(node, "auto_pad"),
                              .round_up = node_int(node, "ceil_mode", 0) != 0};
    if (rank < 1 || rank > WINDOW_RANK_MAX)
        return node_unsupported(node, arena, "%zu spatial dimensions; supported are 1 to %d", rank, WINDOW_RANK_MAX);
    if (!kernel && !node_attribute(node, "kernel_shape"))
        return node_refuse(node, arena, "attribute 'kernel_shape' is missing");
    TRY(read_list(node, "kernel_shape", rank, 1, 1, arena, window->kernel));
    for (size_t i = 0; kernel && i < rank; i++) {
        if (kernel[i] < 1 || kernel[i] > SIZE_LIMIT)
            return node_refuse(node, arena, "its kernel has a size of %lld", (long long)kernel[i]);
        if (node_attribute(node, "kernel_shape") && window->kernel[i] != kernel[i])
            return node_refuse(node, arena, "kernel_shape is %lld where the weights have %lld",
                               (long long)window->kernel[i], (long long)kernel[i]);
        window->kernel[i] = kernel[i];
    }
    TRY(read_list(node, "strides", rank, 1, 1, arena, window->strides));
    TRY(read_list(node, "dilations", rank, 1, 1, arena, window->dilations));
    for (size_t i = 0; i < rank; i++)
        window->dilates[i] = window->dilations[i] - 1;
    return read_list(node, "pads", 2 * rank, 0, 0, arena, window->pads);
}

static int64_t reach(const struct window *window, size_t i)
{
    return (window->kernel[i] - 1) * window->dilations[i] + 1;
}

/* Places the window in one dimension, with padding that is calculated: there is one window for each stride that starts
 * in the input. */
static void place_same(const struct window *window, size_t i, int64_t input, struct placement *placement)
{
    int64_t stride = window->strides[i], count = input / stride + (input % stride > 0);
    int64_t total = (count - 1) * stride + reach(window, i) - input;
    if (total < 0)
        total = 0;
    placement->shape[i] = count;
    placement->begin[i] = window->auto_pad == PAD_SAME_UPPER ? total / 2 : total - total / 2;
    placement->end[i] = total - placement->begin[i];
}

static bool place_given(const struct window *window, size_t i, int64_t input, struct placement *placement)
{
    int64_t stride = window->strides[i];
    int64_t begin = window->auto_pad == PAD_NONE ? 0 : window->pads[i];
    int64_t end = window->auto_pad == PAD_NONE ? 0 : window->pads[window->rank + i];
    int64_t room = input + begin + end - reach(window, i);
    if (room < 0)
        return false;
    int64_t count = room / stride + 1;
    if (window->round_up && room % stride && count * stride < input + begin) {
        count++; /* a window that starts inside the input and ends after it */
        end += stride - room % stride;
    }
    placement->shape[i] = count;
    placement->begin[i] = begin;
    placement->end[i] = end;
    return true;
}

struct status window_place(const struct window *window, const int64_t *input, const struct node *node,
                           struct arena *arena, struct placement *placement)
{
    for (size_t i = 0; i < window->rank; i++) {
        bool fits = input[i] <= INT64_MAX / 4;
        if (input[i] < 0)
            placement->shape[i] = -1;
        else if (window->auto_pad == PAD_SAME_UPPER || window->auto_pad == PAD_SAME_LOWER)
            place_same(window, i, input[i], placement);
        else
            fits = fits && place_given(window, i, input[i], placement);
        if (!fits)
            return node_refuse(node, arena, "its window of %lld does not fit into an input of %s",
                               (long long)reach(window, i), shape_text(arena, input, window->rank));
    }
    return STATUS_IS_OK;
}

size_t form_logical(enum form form, const int64_t *physical, size_t rank, int64_t *logical)
{
    if (rank > 0) /* a scalar may have no shape to copy */
        memcpy(logical, physical, rank * sizeof(*logical));
    if (form == FORM_ROW_MAJOR)
        return rank;
    logical[1] *= physical[rank - 1];
    return rank - 1;
}

size_t form_physical(enum form form, const int64_t *logical, size_t rank, int64_t *physical)
{
    memcpy(physical, logical, rank * sizeof(*physical));
    if (form == FORM_ROW_MAJOR)
        return rank;
    physical[rank] = form == FORM_BLOCKED ? BLOCK_CHANNELS : logical[1];
    physical[1] = physical[rank] ? logical[1] / physical[rank] : 1;
    return rank + 1;
}
