/* Operators that only move or convert elements, or leave them as they are. If the order does not change, the output is
 * the memory of the input under another shape. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/families.h"
#include "engine/move.h"
#include "tensor/cast.h"

/* --- Dropout, which drops nothing at an inference --- */

struct status dropout_infer(const struct call *call, struct made *made)
{
    const struct tensor *ratio = call_tensor(call, 1), *training = call_tensor(call, 2);
    bool drops = training && training->datatype == DATATYPE_BOOL && training->count && *(const char *)training->data;
    bool keeps_all = ratio && ratio->datatype == DATATYPE_FP32 && ratio->count && *(const float *)ratio->data == 0;
    if (call->node->output_count > 1)
        made[1].datatype = DATATYPE_BOOL;
    return drops && !keeps_all ? call_error(call, STATUS_UNIMPLEMENTED, "training_mode is not supported")
                               : STATUS_IS_OK;
}

struct status dropout_compute(const struct call *call)
{
    if (call->node->output_count > 1)
        memset(call->outputs[1]->data, 1, call->outputs[1]->size);
    return STATUS_IS_OK;
}

/* --- Constant --- */

static struct status read_constant(const struct node *node, struct arena *arena, struct tensor *tensor)
{
    Onnx__AttributeProto *attribute = node->source->n_attribute == 1 ? node->source->attribute[0] : NULL;
    if (!attribute)
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "it has %zu attributes, not one",
                          node->source->n_attribute);
    if (strcmp(attribute->name, "value") == 0) {
        if (!attribute->t)
            return node_error(node, arena, STATUS_INVALID_ARGUMENT, "its value is not a tensor");
        return weights_read(attribute->t, arena, tensor);
    }
    /* The short forms of a constant mean a tensor of rank 0 or 1. */
    Onnx__TensorProto *value = arena_new_of(arena, Onnx__TensorProto);
    int64_t *dimension = arena_new_of(arena, int64_t);
    if (!value || !dimension)
        return status_no_memory();
    onnx__tensor_proto__init(value);
    const char *kind = attribute->name + strlen("value_"); /* int, ints, float and so on */
    bool is_list = kind[strlen(kind) - 1] == 's';
    if (kind[0] == 'f') {
        value->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
        value->float_data = is_list ? attribute->floats : &attribute->f;
        *dimension = (int64_t)(value->n_float_data = is_list ? attribute->n_floats : 1);
    } else if (kind[0] == 'i') {
        value->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
        value->int64_data = is_list ? attribute->ints : &attribute->i;
        *dimension = (int64_t)(value->n_int64_data = is_list ? attribute->n_ints : 1);
    } else {
        value->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__STRING;
        value->string_data = is_list ? attribute->strings : &attribute->s;
        *dimension = (int64_t)(value->n_string_data = is_list ? attribute->n_strings : 1);
    }
    value->n_dims = is_list;
    value->dims = dimension;
    return weights_read(value, arena, tensor);
}

struct status constant_load(struct network *network, struct node *node)
{
    struct tensor *tensor = arena_new_of(&network->arena, struct tensor);
    if (!tensor)
        return status_no_memory();
    struct status status = read_constant(node, &network->arena, tensor);
    if (!is_ok(status))
        return status;
    node->state = tensor;
    network->values[node->outputs[0]].constant = tensor;
    return STATUS_IS_OK;
}

struct status constant_infer(const struct call *call, struct made *made)
{
    const struct tensor *tensor = call->node->state;
    made_like(made, &(struct operand){.type = {tensor->datatype, tensor->rank, tensor->shape}});
    return STATUS_IS_OK;
}

/* --- Cast, CastLike, Identity --- */

/* The last input gives the datatype: that of CastLike, or the only one, if no attribute says otherwise. */
struct status cast_infer(const struct call *call, struct made *made)
{
    const enum datatype from = call->inputs[0].type.datatype;
    const int64_t to = node_int(call->node, "to", 0);
    enum datatype datatype = call->inputs[call->node->input_count - 1].type.datatype;
    if (call->node->op->attributes)
        datatype = to >= 0 && to <= INT32_MAX ? datatype_of_onnx((int32_t)to) : DATATYPE_NONE;
    if (datatype == DATATYPE_NONE)
        return call_error(call, STATUS_UNIMPLEMENTED, "type %lld is not supported", (long long)to);
    if (datatype != from && (datatype == DATATYPE_BYTES || from == DATATYPE_BYTES))
        return call_error(call, STATUS_UNIMPLEMENTED, "from %s to %s is not supported", datatype_name(from),
                          datatype_name(datatype));
    made->datatype = datatype;
    return STATUS_IS_OK;
}

struct status cast_compute(const struct call *call)
{
    const struct tensor *in = call->inputs[0].tensor;
    struct tensor *out = call->outputs[0];
    if (out->datatype == in->datatype)
        return STATUS_IS_OK;
    return tensor_cast(in, out->datatype, call->arena, out) ? STATUS_IS_OK : status_no_memory();
}

/* --- Reshape: 0 keeps the dimension of the input (unless allowzero is set); one -1 takes what is left --- */

struct status reshape_infer(const struct call *call, struct made *made)
{
    const struct type *from = &call->inputs[0].type;
    bool zero_is_zero = node_int(call->node, "allowzero", 0) != 0, fits = true;
    struct integers wanted;
    struct status status = call_integers(call, NULL, 1, &wanted);
    made->rank = RANK_UNKNOWN;
    if (!is_ok(status) || !wanted.known)
        return status;
    size_t have, count, open = RANK_UNKNOWN;
    for (size_t i = 0; i < wanted.count && fits; i++) {
        bool keeps = wanted.list[i] == 0 && !zero_is_zero;
        fits = wanted.list[i] >= -1 && !(wanted.list[i] == -1 && open != RANK_UNKNOWN) && !(keeps && i >= from->rank);
        open = wanted.list[i] == -1 ? i : open;
        made->shape[i] = fits && keeps ? from->shape[i] : wanted.list[i];
    }
    made->rank = wanted.count;
    if (fits && shape_count(from->shape, from->rank, &have)) { /* else it is not known before the run */
        if (open != RANK_UNKNOWN) {
            made->shape[open] = 1;
            made->shape[open] = shape_count(made->shape, made->rank, &count) && count ? (int64_t)(have / count) : 1;
        }
        fits = shape_count(made->shape, made->rank, &count) && count == have;
    }
    return fits ? status
                : call_refuse(call, "it cannot reshape %s to %s", input_text(call, 0),
                              shape_text(call->arena, wanted.list, wanted.count));
}

/* --- Flatten --- */

/* Returns the product of the dimensions, or -1 if one is not known. */
static int64_t product(const int64_t *shape, size_t from, size_t to)
{
    size_t count;
    return shape_count(shape + from, to - from, &count) ? (int64_t)count : -1;
}

struct status flatten_infer(const struct call *call, struct made *made)
{
    const struct type *in = &call->inputs[0].type;
    size_t axis = 0;
    made->rank = 2;
    made->shape[0] = made->shape[1] = -1;
    if (in->rank == RANK_UNKNOWN)
        return STATUS_IS_OK;
    bool is_end = node_int(call->node, "axis", 1) == (int64_t)in->rank;
    struct status status = is_end ? STATUS_IS_OK : call_axis(call, 1, in->rank, &axis);
    axis = is_end ? in->rank : axis;
    made->shape[0] = product(in->shape, 0, axis);
    made->shape[1] = product(in->shape, axis, in->rank);
    return status;
}

/* --- Squeeze, Unsqueeze: the axes are an attribute until opset 12, then an input --- */

struct status squeeze_infer(const struct call *call, struct made *made)
{
    const struct type *from = &call->inputs[0].type;
    bool marked[TENSOR_RANK_MAX];
    struct integers axes;
    struct status status = call_integers(call, "axes", 1, &axes);
    made->rank = RANK_UNKNOWN;
    if (!is_ok(status) || !axes.known)
        return status;
    if (!axes.list && ANY(i, from->rank, from->shape[i] < 0))
        return status; /* only the run shows whether this dimension is 1 and is removed */
    bool fits = mark_axes(axes.list, axes.count, from->rank, marked);
    made->rank = 0;
    for (size_t i = 0; i < from->rank && fits; i++) {
        bool drop = axes.list ? marked[i] : from->shape[i] == 1;
        fits = !drop || from->shape[i] == 1 || from->shape[i] < 0;
        if (!drop)
            made->shape[made->rank++] = from->shape[i];
    }
    return fits ? status : call_refuse(call, "it cannot squeeze %s at these axes", input_text(call, 0));
}

struct status unsqueeze_infer(const struct call *call, struct made *made)
{
    const struct type *from = &call->inputs[0].type;
    bool marked[TENSOR_RANK_MAX];
    struct integers axes;
    struct status status = call_integers(call, "axes", 1, &axes);
    made->rank = RANK_UNKNOWN;
    if (!is_ok(status) || !axes.known)
        return status;
    made->rank = from->rank + axes.count;
    if (!axes.list || made->rank > TENSOR_RANK_MAX || !mark_axes(axes.list, axes.count, made->rank, marked))
        return call_refuse(call, "it cannot unsqueeze %s at these axes", input_text(call, 0));
    for (size_t i = 0, next = 0; i < made->rank; i++)
        made->shape[i] = marked[i] ? 1 : from->shape[next++];
    return status;
}

/* --- Transpose --- */

/* Reads where each dimension of the output comes from. Without the attribute, the dimensions are reversed. */
static bool read_order(const struct node *node, size_t rank, size_t order[TENSOR_RANK_MAX])
{
    const Onnx__AttributeProto *perm = node_attribute(node, "perm");
    bool marked[TENSOR_RANK_MAX];
    if (perm && (perm->n_ints != rank || !mark_axes(perm->ints, rank, rank, marked)))
        return false;
    for (size_t i = 0; i < rank; i++) {
        int64_t axis = perm ? perm->ints[i] : (int64_t)(rank - 1 - i);
        order[i] = (size_t)(axis < 0 ? axis + (int64_t)rank : axis);
    }
    return true;
}

struct status transpose_infer(const struct call *call, struct made *made)
{
    const struct type *in = &call->inputs[0].type;
    size_t order[TENSOR_RANK_MAX];
    if (!read_order(call->node, in->rank, order))
        return call_refuse(call, "perm is not a permutation of %zu dimensions", in->rank);
    made->rank = in->rank;
    for (size_t i = 0; i < in->rank; i++)
        made->shape[i] = in->shape[order[i]];
    return STATUS_IS_OK;
}

struct status transpose_compute(const struct call *call)
{
    const struct tensor *in = call->inputs[0].tensor, *out = call->outputs[0];
    size_t order[TENSOR_RANK_MAX] = {0};
    int64_t steps[TENSOR_RANK_MAX];
    struct move move = move_between(out, in, out);
    read_order(call->node, in->rank, order);
    row_major(in->shape, in->rank, steps);
    for (size_t i = 0; i < in->rank; i++)
        move.from[i] = steps[order[i]];
    move_elements(&move, in->data, out->data, size_of(in));
    return STATUS_IS_OK;
}
