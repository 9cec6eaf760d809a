/* Softmax and LogSoftmax: FP32 on oneDNN. Until opset 12, the tensor is seen as a matrix that is split before the axis,
 * and each row is normalised. From opset 13 on, the elements along the axis are normalised. */
#include "engine/call.h"
#include "engine/families.h"
#include "engine/primitive.h"

struct softmax {
    struct primitives primitives;
};

LOAD(softmax)
{
    primitives_init(&softmax->primitives, node, NULL, (struct weights){0});
    return STATUS_IS_OK;
}

COMPUTE(softmax)
{
    struct softmax *softmax = call->node->state;
    const bool is_matrix = call->node->op->axis == AXIS_OR_END;
    int64_t split[3] = {1, 1, 1}; /* the number of elements before the axis, along it and after it */
    if (out->count == 0)
        return STATUS_IS_OK;
    for (size_t i = 0; i < in->rank; i++)
        split[i < call->axis ? 0 : i == call->axis || is_matrix ? 1 : 2] *= in->shape[i];
    void *data[PRIMITIVE_MEMORIES] = {[MEMORY_SOURCE] = in->data, [MEMORY_RESULT] = out->data};
    const struct numbers numbers = numbers_plain(split, 3);
    const struct operation operation = {
        .kind = OPERATION_SOFTMAX,
        .memories = {[MEMORY_SOURCE] = numbers, [MEMORY_RESULT] = numbers},
        .algorithm = call->node->op->name[0] == 'L' ? dnnl_softmax_log : dnnl_softmax_accurate,
        .axis = 1,
    };
    return primitives_run(&softmax->primitives, call->node, call->run, &operation, 16 * (int64_t)in->count, data);
}
