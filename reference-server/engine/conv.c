/* Conv: FP32 on oneDNN. Weights are mostly an initializer; then they are packed once for each input shape. */
#include "engine/families.h"
#include "engine/primitive.h"
#include "engine/window.h"

struct conv {
    struct primitives primitives;
    struct window window;   /* set if the weights are constant */
    struct weights weights; /* none if they are given at each run */
    struct packs *packs;
    int64_t groups;
};

/* Checks that these shapes can be convolved. A dimension of -1 is not known yet and fits everything. */
static struct status check_shapes(const struct node *node, struct arena *arena, const int64_t *in, size_t in_rank,
                                  const int64_t *weights, size_t rank)
{
    int64_t groups = ((const struct conv *)node->state)->groups, channels;
    if (rank < 3 || weights[0] % groups > 0 || weights[0] == 0 || weights[1] == 0)
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "weights of shape %s in %lld groups",
                          shape_text(arena, weights, rank), (long long)groups);
    if (__builtin_mul_overflow(weights[1], groups, &channels) || in_rank != rank ||
        (in[1] >= 0 && weights[1] >= 0 && in[1] != channels))
        return node_error(node, arena, STATUS_INVALID_ARGUMENT,
                          "an input of shape %s does not fit weights of %s in %lld groups",
                          shape_text(arena, in, in_rank), shape_text(arena, weights, rank), (long long)groups);
    return STATUS_IS_OK;
}

static struct status check_bias(const struct node *node, struct arena *arena, const int64_t *bias, size_t rank,
                                int64_t channels)
{
    if (rank == 1 && (bias[0] == channels || bias[0] < 0 || channels < 0))
        return STATUS_IS_OK;
    return node_error(node, arena, STATUS_INVALID_ARGUMENT, "a bias of shape %s for %lld channels",
                      shape_text(arena, bias, rank), (long long)channels);
}

struct status conv_load(struct network *network, struct node *node)
{
    struct arena *arena = &network->arena;
    const struct type *in = input_type(network, node, 0), *weights = input_type(network, node, 1),
                      *bias = input_type(network, node, 2);
    if (in->datatype != DATATYPE_FP32 || weights->datatype != DATATYPE_FP32 ||
        (bias && bias->datatype != DATATYPE_FP32))
        return node_error(node, arena, STATUS_UNIMPLEMENTED, "only FP32 is supported");
    struct conv *conv = arena_new_of(arena, struct conv);
    if (!conv)
        return status_no_memory();
    primitives_init(&conv->primitives);
    node->state = conv;
    conv->weights = input_weights(network, node, 1);
    conv->packs = network->packs;
    conv->groups = node_int(node, "group", 1);
    if (conv->groups < 1)
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "%lld groups", (long long)conv->groups);
    if (in->rank == RANK_UNKNOWN || weights->rank == RANK_UNKNOWN)
        return set_output_type(network, node, DATATYPE_FP32, NULL, RANK_UNKNOWN);

    struct status status = check_shapes(node, arena, in->shape, in->rank, weights->shape, weights->rank);
    if (is_ok(status) && bias && bias->rank != RANK_UNKNOWN)
        status = check_bias(node, arena, bias->shape, bias->rank, weights->shape[0]);
    if (!is_ok(status))
        return status;
    int64_t shape[2 + WINDOW_RANK_MAX] = {in->shape[0], weights->shape[0], -1, -1, -1};
    if (conv->weights.data) {
        struct placement placement = {0};
        status = window_read(node, weights->shape + 2, weights->rank - 2, arena, &conv->window);
        if (is_ok(status))
            status = window_place(&conv->window, in->shape + 2, node, arena, &placement);
        if (!is_ok(status))
            return status;
        memcpy(shape + 2, placement.shape, conv->window.rank * sizeof(*shape));
    }
    return set_output_type(network, node, DATATYPE_FP32, weights->rank > 2 + WINDOW_RANK_MAX ? NULL : shape,
                           weights->rank > 2 + WINDOW_RANK_MAX ? RANK_UNKNOWN : weights->rank);
}

/* The shapes for which a primitive is made. */
struct conv_call {
    const struct conv *conv;
    const struct window *window;
    const struct placement *placement;
    const struct tensor *weights;
    const int64_t *in, *out;
    enum form in_form;
    bool has_bias;
};

static dnnl_status_t describe(const struct conv_call *call, enum form form, layout **memories, layout **plain)
{
    const struct tensor *weights = call->weights;
    size_t rank = weights->rank, grouped = call->conv->groups > 1;
    dnnl_dims_t shape = {call->conv->groups};
    memcpy(shape + grouped, weights->shape, rank * sizeof(*shape));
    if (grouped)
        shape[1] /= call->conv->groups;
    dnnl_status_t fault = primitive_laid_out(&memories[MEMORY_SOURCE], call->in, rank, call->in_form);
    if (fault == dnnl_success)
        fault = primitive_laid_out(&memories[MEMORY_RESULT], call->out, rank, form);
    if (fault == dnnl_success && call->has_bias)
        fault = primitive_plain(&memories[MEMORY_BIAS], weights->shape, 1);
    if (fault == dnnl_success)
        fault = primitive_plain(plain, shape, rank + grouped);
    if (fault == dnnl_success)
        fault = call->conv->weights.data ? layout_make(&memories[MEMORY_WEIGHTS], rank + grouped, shape, NULL)
                                         : primitive_plain(&memories[MEMORY_WEIGHTS], shape, rank + grouped);
    return fault;
}

static struct status make_conv(const struct node *node, const void *context, struct primitive *primitive,
                               struct arena *arena)
{
    const struct conv_call *call = context;
    dnnl_dims_t dilates = {0};
    layout *plain = NULL;
    struct operation operation = {
        .kind = OPERATION_CONVOLUTION,
        .strides = call->window->strides,
        .dilates = dilates,
        .begin = call->placement->begin,
        .end = call->placement->end,
        .adds = node->addend != NO_VALUE,
    };
    for (size_t i = 0; i < call->window->rank; i++)
        dilates[i] = call->window->dilations[i] - 1;
    primitive_follow(node, &operation);
    dnnl_status_t fault = describe(call, node->form, primitive->memories, &plain);
    if (fault == dnnl_success)
        fault = primitive_create(primitive, &operation);
    if (fault == dnnl_success && call->conv->weights.data)
        fault = pack_take(call->conv->packs, plain, call->conv->weights, primitive->memories[MEMORY_WEIGHTS],
                          &primitive->weights);
    layout_free(plain);
    return fault == dnnl_success ? STATUS_IS_OK
                                 : primitive_error(node, arena, fault, "make a convolution of these shapes");
}

struct status conv_run(const struct node *node, const struct run *run)
{
    struct conv *conv = node->state;
    const struct tensor *in = input_tensor(node, run, 0), *weights = input_tensor(node, run, 1),
                        *bias = input_tensor(node, run, 2);
    struct tensor *out = output_tensor(node, run, 0);
    struct window window = conv->window;
    struct placement placement = {0};
    const enum form in_form = in->rank > weights->rank ? node->form : FORM_ROW_MAJOR;
    int64_t in_shape[TENSOR_RANK_MAX], shape[2 + WINDOW_RANK_MAX], made[3 + WINDOW_RANK_MAX];
    const size_t rank = form_logical(in_form, in->shape, in->rank, in_shape);
    struct status status = check_shapes(node, run->arena, in_shape, rank, weights->shape, weights->rank);
    if (is_ok(status) && bias)
        status = check_bias(node, run->arena, bias->shape, bias->rank, weights->shape[0]);
    if (is_ok(status) && !window.rank)
        status = window_read(node, weights->shape + 2, weights->rank - 2, run->arena, &window);
    if (is_ok(status))
        status = window_place(&window, in_shape + 2, node, run->arena, &placement);
    if (!is_ok(status))
        return status;
    shape[0] = in_shape[0];
    shape[1] = weights->shape[0];
    memcpy(shape + 2, placement.shape, window.rank * sizeof(*shape));
    if (node->addend != NO_VALUE)
        *out = run->values[node->addend];
    else if (!tensor_make(out, DATATYPE_FP32, made, form_physical(node->form, shape, rank, made), run->arena))
        return status_no_memory();
    if (out->count == 0)
        return STATUS_IS_OK;

    int64_t key[2 * (2 + WINDOW_RANK_MAX)];
    memcpy(key, in_shape, rank * sizeof(*key));
    memcpy(key + rank, weights->shape, rank * sizeof(*key));
    struct conv_call call = {conv, &window, &placement, weights, in_shape, shape, in_form, bias != NULL};
    struct primitive *primitive;
    status = primitives_take(&conv->primitives, key, 2 * rank, make_conv, node, &call, run->arena, &primitive);
    if (!is_ok(status))
        return status;
    void *data[PRIMITIVE_MEMORIES] = {in->data, weights->data, bias ? bias->data : NULL, out->data};
    status = primitive_run(primitive, data, node, run);
    primitives_give_back(&conv->primitives, primitive);
    return status;
}

void conv_unload(struct node *node)
{
    struct conv *conv = node->state;
    if (conv)
        primitives_free(&conv->primitives);
}
