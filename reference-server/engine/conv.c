/* Conv: FP32 on oneDNN, with constant weights that are packed once for each input shape. */
#include "engine/families.h"
#include "engine/primitive.h"
#include "engine/window.h"

struct conv {
    struct primitives primitives;
    struct window window;
    const struct tensor *weights;
    int64_t groups;
};

struct status conv_load(struct network *network, struct node *node)
{
    struct arena *arena = &network->arena;
    const struct type *in = input_type(network, node, 0), *bias = input_type(network, node, 2);
    const struct tensor *weights = input_constant(network, node, 1);
    if (in->datatype != DATATYPE_FP32 || (weights && weights->datatype != DATATYPE_FP32) ||
        (bias && bias->datatype != DATATYPE_FP32))
        return node_error(node, arena, STATUS_UNIMPLEMENTED, "only FP32 is supported");
    if (!weights)
        return node_error(node, arena, STATUS_UNIMPLEMENTED, "weights that are no initializer are not supported");
    int64_t groups = node_int(node, "group", 1);
    if (weights->rank < 3 || weights->count == 0 || groups < 1 || weights->shape[0] % groups)
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "weights of shape %s in %lld groups",
                          shape_text(arena, weights->shape, weights->rank), (long long)groups);
    if (in->rank != RANK_UNKNOWN && in->rank != weights->rank)
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "an input of %zu dimensions, weights of %zu", in->rank,
                          weights->rank);
    if (bias && bias->rank != RANK_UNKNOWN &&
        (bias->rank != 1 || (bias->shape[0] >= 0 && bias->shape[0] != weights->shape[0])))
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "a bias of shape %s for %lld channels",
                          shape_text(arena, bias->shape, bias->rank), (long long)weights->shape[0]);
    struct conv *conv = arena_new_of(arena, struct conv);
    if (!conv)
        return status_no_memory();
    primitives_init(&conv->primitives);
    node->state = conv;
    conv->weights = weights;
    conv->groups = groups;
    struct status status = window_read(node, weights->shape + 2, weights->rank - 2, arena, &conv->window);
    if (!is_ok(status))
        return status;

    int64_t shape[2 + WINDOW_RANK_MAX] = {in->rank == RANK_UNKNOWN ? -1 : in->shape[0], weights->shape[0], -1, -1, -1};
    struct placement placement = {0};
    if (in->rank != RANK_UNKNOWN) {
        if (in->shape[1] >= 0 && in->shape[1] != weights->shape[1] * groups)
            return node_error(node, arena, STATUS_INVALID_ARGUMENT, "an input of %lld channels; the weights want %lld",
                              (long long)in->shape[1], (long long)(weights->shape[1] * groups));
        status = window_place(&conv->window, in->shape + 2, node, arena, &placement);
        if (!is_ok(status))
            return status;
        memcpy(shape + 2, placement.shape, conv->window.rank * sizeof(*shape));
    }
    return set_output_type(network, node, DATATYPE_FP32, shape, weights->rank);
}

/* The shapes that a primitive is for. */
struct conv_call {
    const struct conv *conv;
    const int64_t *in, *out;
    const struct placement *placement;
    bool has_bias;
};

static struct status make_conv(const struct node *node, const void *context, struct primitive *primitive,
                               struct arena *arena)
{
    const struct conv_call *call = context;
    const struct window *window = &call->conv->window;
    const struct tensor *weights = call->conv->weights;
    size_t rank = weights->rank, grouped = call->conv->groups > 1;
    dnnl_dims_t weights_shape = {call->conv->groups}, dilates = {0};
    memcpy(weights_shape + grouped, weights->shape, rank * sizeof(*weights_shape));
    if (grouped)
        weights_shape[1] /= call->conv->groups;
    for (size_t i = 0; i < window->rank; i++)
        dilates[i] = window->dilations[i] - 1;

    dnnl_memory_desc_t plain;
    dnnl_convolution_desc_t operation;
    dnnl_status_t fault = primitive_plain(&primitive->memories[MEMORY_SOURCE], call->in, rank);
    if (fault == dnnl_success)
        fault = primitive_plain(&primitive->memories[MEMORY_RESULT], call->out, rank);
    if (fault == dnnl_success)
        fault = primitive_plain(&plain, weights_shape, rank + grouped);
    if (fault == dnnl_success)
        fault = dnnl_memory_desc_init_by_tag(&primitive->memories[MEMORY_WEIGHTS], (int)(rank + grouped), weights_shape,
                                             dnnl_f32, dnnl_format_tag_any);
    if (fault == dnnl_success && call->has_bias)
        fault = primitive_plain(&primitive->memories[MEMORY_BIAS], weights->shape, 1);
    if (fault == dnnl_success)
        fault = dnnl_dilated_convolution_forward_desc_init(
            &operation, dnnl_forward_inference, dnnl_convolution_auto, &primitive->memories[MEMORY_SOURCE],
            &primitive->memories[MEMORY_WEIGHTS], call->has_bias ? &primitive->memories[MEMORY_BIAS] : NULL,
            &primitive->memories[MEMORY_RESULT], window->strides, dilates, call->placement->begin,
            call->placement->end);
    if (fault == dnnl_success)
        fault = primitive_create(primitive, &operation, NULL);
    if (fault == dnnl_success)
        fault = primitive_pack(primitive, &plain, weights->data);
    return fault == dnnl_success ? STATUS_IS_OK
                                 : primitive_error(node, arena, fault, "make a convolution of these shapes");
}

struct status conv_run(const struct node *node, const struct run *run)
{
    struct conv *conv = node->state;
    const struct tensor *in = input_tensor(node, run, 0), *bias = input_tensor(node, run, 2);
    struct tensor *out = output_tensor(node, run, 0);
    size_t rank = conv->weights->rank;
    if (in->rank != rank || in->shape[1] != conv->weights->shape[1] * conv->groups ||
        (bias && bias->count != (size_t)conv->weights->shape[0]))
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "an input of shape %s does not fit weights of %s",
                          shape_text(run->arena, in->shape, in->rank),
                          shape_text(run->arena, conv->weights->shape, rank));
    struct placement placement = {0};
    struct status status = window_place(&conv->window, in->shape + 2, node, run->arena, &placement);
    if (!is_ok(status))
        return status;
    int64_t shape[2 + WINDOW_RANK_MAX] = {in->shape[0], conv->weights->shape[0]};
    memcpy(shape + 2, placement.shape, conv->window.rank * sizeof(*shape));
    if (!tensor_make(out, DATATYPE_FP32, shape, rank, run->arena))
        return status_no_memory();
    if (out->count == 0)
        return STATUS_IS_OK;

    struct conv_call call = {conv, in->shape, shape, &placement, bias != NULL};
    struct primitive *primitive;
    status = primitives_take(&conv->primitives, in->shape, rank, make_conv, node, &call, run->arena, &primitive);
    if (!is_ok(status))
        return status;
    void *data[PRIMITIVE_MEMORIES] = {in->data, NULL, bias ? bias->data : NULL, out->data};
    status = primitive_run(primitive, data, node, run->arena);
    primitives_give_back(&conv->primitives, primitive);
    return status;
}

void conv_unload(struct node *node)
{
    struct conv *conv = node->state;
    if (conv)
        primitives_free(&conv->primitives);
}
