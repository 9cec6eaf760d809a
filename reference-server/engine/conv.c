/* Conv: FP32 on oneDNN. Weights are mostly an initializer; then they are packed once for each input shape. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/families.h"
#include "engine/winograd.h"

struct conv {
    struct primitives primitives, tiles;
    int64_t groups;
    bool may_tile; /* winograd.h */
};

LOAD(conv)
{
    struct weights weights = input_weights(network, node, 1);
    conv->groups = node_int(node, "group", 1);
    conv->may_tile = weights.data && winograd_may(node, operand_type(network, node, 1), &network->arena);
    weights.are_own &= !conv->may_tile;
    primitives_init(&conv->primitives, node, network->packs, weights);
    winograd_init(&conv->tiles, node, network->packs, weights.data);
    return conv->groups < 1 ? node_refuse(node, &network->arena, "%lld groups", (long long)conv->groups) : STATUS_IS_OK;
}

/* Checks that these shapes can be convolved. A dimension of -1 is not known yet and fits everything. */
static struct status check_shapes(const struct call *call, const int64_t *in, size_t in_rank)
{
    const int64_t groups = ((const struct conv *)call->node->state)->groups;
    const struct type *weights = &call->inputs[1].type;
    int64_t channels;
    if (weights->rank < 3 || weights->shape[0] % groups > 0 || weights->shape[0] == 0 || weights->shape[1] == 0)
        return call_refuse(call, "weights of shape %s in %lld groups", input_text(call, 1), (long long)groups);
    if (__builtin_mul_overflow(weights->shape[1], groups, &channels) || in_rank != weights->rank ||
        (in[1] >= 0 && weights->shape[1] >= 0 && in[1] != channels))
        return call_refuse(call, "an input of shape %s does not fit weights of %s in %lld groups",
                           shape_text(call->arena, in, in_rank), input_text(call, 1), (long long)groups);
    return operand_fits(call, 2, weights->shape, 1) ? STATUS_IS_OK
                                                    : call_refuse(call, "a bias of shape %s for %lld channels",
                                                                  input_text(call, 2), (long long)weights->shape[0]);
}

/* The output has open dimensions if the input or the weights have. */
INFER(conv)
{
    const struct type *weights = &call->inputs[1].type;
    const bool is_known = ALL(i, weights->rank, i < 2 || weights->shape[i] >= 0);
    struct geometry *geometry = FOUND(call, struct geometry);
    geometry->in_form = in->rank > weights->rank ? call->node->form : FORM_ROW_MAJOR;
    geometry->rank = form_logical(geometry->in_form, in->shape, in->rank, geometry->in);
    TRY(check_shapes(call, geometry->in, geometry->rank));
    geometry->placement = (struct placement){.shape = {-1, -1, -1}};
    if (is_known) {
        TRY(window_read(call->node, weights->shape + 2, weights->rank - 2, call->arena, &geometry->window));
        TRY(window_place(&geometry->window, geometry->in + 2, call->node, call->arena, &geometry->placement));
    }
    geometry->out[0] = geometry->in[0];
    geometry->out[1] = weights->shape[0];
    memcpy(geometry->out + 2, geometry->placement.shape, sizeof(geometry->placement.shape));
    if (geometry->rank <= 2 + WINDOW_RANK_MAX)
        made->rank = form_physical(call->node->form, geometry->out, geometry->rank, made->shape);
    return STATUS_IS_OK;
}

/* Describes the weights in groups: so oneDNN wants those of more than one. */
static struct numbers weights_of(const int64_t *shape, size_t rank, int64_t groups)
{
    int64_t grouped[1 + 2 + WINDOW_RANK_MAX] = {groups};
    if (groups == 1)
        return numbers_plain(shape, rank);
    memcpy(grouped + 1, shape, rank * sizeof(*shape));
    grouped[1] /= groups;
    return numbers_plain(grouped, rank + 1);
}

COMPUTE(conv)
{
    const struct node *node = call->node;
    struct conv *conv = node->state;
    const struct tensor *weights = call->inputs[1].tensor, *bias = call_tensor(call, 2);
    const struct geometry *geometry = call->found;
    if (out->count == 0)
        return STATUS_IS_OK;
    if (conv->may_tile && winograd_suits(node, geometry))
        return winograd_run(node, call->run, &conv->tiles, geometry, in->data, bias ? bias->data : NULL, out->data);
    const int64_t work = (int64_t)out->count * ((int64_t)weights->count / weights->shape[0]);
    void *data[PRIMITIVE_MEMORIES] = {in->data, weights->data, bias ? bias->data : NULL, out->data};
    struct operation operation = {
        .kind = OPERATION_CONVOLUTION,
        .memories = {[MEMORY_SOURCE] = numbers_in_form(geometry->in, geometry->rank, geometry->in_form),
                     [MEMORY_WEIGHTS] = weights_of(weights->shape, geometry->rank, conv->groups),
                     [MEMORY_RESULT] = numbers_in_form(geometry->out, geometry->rank, node->form)},
        .strides = geometry->window.strides,
        .dilates = geometry->window.dilates,
        .begin = geometry->placement.begin,
        .end = geometry->placement.end,
        .adds = node->addend != NO_VALUE,
    };
    if (bias)
        operation.memories[MEMORY_BIAS] = numbers_plain(weights->shape, 1);
    return primitives_run(&conv->primitives, node, call->run, &operation, work, data);
}
