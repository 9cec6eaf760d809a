/* Softmax and LogSoftmax: FP32 on oneDNN. Until opset 12, the tensor is seen as a matrix that is split before the axis,
 * and each row is normalised. From opset 13 on, the elements along the axis are normalised. */
#include "engine/call.h"
#include "engine/families.h"
#include "engine/primitive.h"

struct softmax {
    struct primitives primitives;
    bool is_matrix; /* for opset 12 and earlier */
    bool is_logarithm;
};

struct status softmax_load(struct network *network, struct node *node)
{
    struct softmax *softmax = arena_new_of(&network->arena, struct softmax);
    if (!softmax)
        return status_no_memory();
    primitives_init(&softmax->primitives, node, NULL, (struct weights){0});
    node->state = softmax;
    softmax->is_matrix = network->opset < 13;
    softmax->is_logarithm = strcmp(node->op->name, "LogSoftmax") == 0;
    return STATUS_IS_OK;
}

/* A number is seen as a list, and a matrix may be split after its last axis. */
struct status softmax_infer(const struct call *call, struct made *made)
{
    const struct softmax *softmax = call->node->state;
    const size_t rank = call->inputs[0].type.rank;
    size_t axis;
    (void)made; /* like the input */
    if (rank == RANK_UNKNOWN || (softmax->is_matrix && node_int(call->node, "axis", 1) == (int64_t)rank))
        return STATUS_IS_OK;
    return call_axis(call, softmax->is_matrix ? 1 : -1, rank ? rank : 1, &axis);
}

struct status softmax_compute(const struct call *call)
{
    struct softmax *softmax = call->node->state;
    const struct tensor *in = call->inputs[0].tensor, *out = call->outputs[0];
    int64_t split[3] = {1, 1, 1}; /* the number of elements before the axis, along it and after it */
    size_t axis = in->rank;
    if (out->count == 0)
        return STATUS_IS_OK;
    if (!softmax->is_matrix || node_int(call->node, "axis", 1) != (int64_t)in->rank)
        call_axis(call, softmax->is_matrix ? 1 : -1, in->rank ? in->rank : 1, &axis);
    for (size_t i = 0; i < in->rank; i++)
        split[i < axis ? 0 : i == axis || softmax->is_matrix ? 1 : 2] *= in->shape[i];
    void *data[PRIMITIVE_MEMORIES] = {[MEMORY_SOURCE] = in->data, [MEMORY_RESULT] = out->data};
    const struct numbers numbers = numbers_plain(split, 3);
    const struct operation operation = {
        .kind = OPERATION_SOFTMAX,
        .memories = {[MEMORY_SOURCE] = numbers, [MEMORY_RESULT] = numbers},
        .algorithm = softmax->is_logarithm ? dnnl_softmax_log : dnnl_softmax_accurate,
        .axis = 1,
    };
    return primitives_run(&softmax->primitives, call->node, call->run, &operation, 16 * (int64_t)in->count, data);
}
