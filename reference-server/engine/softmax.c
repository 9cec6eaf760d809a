/* Softmax and LogSoftmax: FP32 on oneDNN. Until opset 12, the tensor is seen as a matrix that is split before the axis,
 * and each row is normalised. From opset 13 on, the elements along the axis are normalised. */
#include "engine/families.h"
#include "engine/primitive.h"

struct softmax {
    struct primitives primitives;
    bool is_matrix; /* for opset 12 and earlier */
    bool is_logarithm;
};

struct status softmax_load(struct network *network, struct node *node)
{
    const struct type *in = input_type(network, node, 0);
    if (in->datatype != DATATYPE_FP32)
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "%s is not supported",
                          datatype_name(in->datatype));
    struct softmax *softmax = arena_new_of(&network->arena, struct softmax);
    if (!softmax)
        return status_no_memory();
    primitives_init(&softmax->primitives);
    node->state = softmax;
    softmax->is_matrix = network->opset < 13;
    softmax->is_logarithm = strcmp(node->op->name, "LogSoftmax") == 0;
    return set_output_type(network, node, DATATYPE_FP32, in->shape, in->rank);
}

static struct status make_softmax(const struct node *node, const void *context, struct primitive *primitive,
                                  struct arena *arena)
{
    const struct softmax *softmax = node->state;
    const struct operation operation = {
        .kind = OPERATION_SOFTMAX,
        .algorithm = softmax->is_logarithm ? dnnl_softmax_log : dnnl_softmax_accurate,
        .axis = 1,
    };
    dnnl_status_t fault = primitive_plain(&primitive->memories[MEMORY_SOURCE], context, 3);
    if (fault == dnnl_success)
        fault = primitive_plain(&primitive->memories[MEMORY_RESULT], context, 3);
    if (fault == dnnl_success)
        fault = primitive_create(primitive, &operation);
    return fault == dnnl_success ? STATUS_IS_OK : primitive_error(node, arena, fault, "make a softmax of this shape");
}

struct status softmax_run(const struct node *node, const struct run *run)
{
    struct softmax *softmax = node->state;
    const struct tensor *in = input_tensor(node, run, 0);
    struct tensor *out = output_tensor(node, run, 0);
    int64_t axis = node_int(node, "axis", softmax->is_matrix ? 1 : -1);
    bool is_end = softmax->is_matrix && axis == (int64_t)in->rank;
    if (!is_end && !(in->rank == 0 && (axis == 0 || axis == -1)) && !normalize_axis(&axis, in->rank))
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "axis %lld of a tensor with %zu dimensions",
                          (long long)axis, in->rank);
    if (!tensor_make(out, DATATYPE_FP32, in->shape, in->rank, run->arena))
        return status_no_memory();
    if (out->count == 0)
        return STATUS_IS_OK;

    int64_t split[3] = {1, 1, 1}; /* the number of elements before the axis, along it and behind it */
    for (size_t i = 0; i < in->rank; i++)
        split[(int64_t)i < axis ? 0 : (int64_t)i == axis || softmax->is_matrix ? 1 : 2] *= in->shape[i];
    struct primitive *primitive;
    struct status status =
        primitives_take(&softmax->primitives, split, 3, make_softmax, node, split, run->arena, &primitive);
    if (!is_ok(status))
        return status;
    void *data[PRIMITIVE_MEMORIES] = {[MEMORY_SOURCE] = in->data, [MEMORY_RESULT] = out->data};
    status = primitive_run(primitive, data, node, run);
    primitives_give_back(&softmax->primitives, primitive);
    return status;
}

void softmax_unload(struct node *node)
{
    struct softmax *softmax = node->state;
    if (softmax)
        primitives_free(&softmax->primitives);
}
