/* Operators that only move or convert elements, or leave them as they are. If the order does not change, the output is
 * the memory of the input under another shape. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/families.h"
#include "engine/move.h"
#include "tensor/cast.h"

/* --- Dropout, which drops nothing at an inference --- */

INFER(dropout)
{
    const struct tensor *ratio = call_tensor(call, 1), *training = call_tensor(call, 2);
    bool drops = training && training->datatype == DATATYPE_BOOL && training->count && *(const char *)training->data;
    bool keeps_all = ratio && ratio->datatype == DATATYPE_FP32 && ratio->count && *(const float *)ratio->data == 0;
    if (call->node->output_count > 1)
        made[1].datatype = DATATYPE_BOOL;
    return drops && !keeps_all ? call_unsupported(call, "training_mode is not supported") : STATUS_IS_OK;
}

COMPUTE(dropout)
{
    if (call->node->output_count > 1)
        memset(call->outputs[1]->data, 1, call->outputs[1]->size);
    return STATUS_IS_OK;
}

/* --- Constant --- */

/* The short forms of a constant mean a tensor of rank 0 or 1: value_int, value_ints, value_float and so on. */
static bool read_short(Onnx__AttributeProto *from, struct arena *arena, Onnx__TensorProto *value)
{
    const char kind = from->name[strlen("value_")];
    const bool is_list = from->name[strlen(from->name) - 1] == 's';
    int64_t *dimension = arena_new_of(arena, int64_t);
    if (!dimension)
        return false;
    onnx__tensor_proto__init(value);
    value->data_type = kind == 'f'   ? ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
                       : kind == 'i' ? ONNX__TENSOR_PROTO__DATA_TYPE__INT64
                                     : ONNX__TENSOR_PROTO__DATA_TYPE__STRING;
    value->float_data = is_list ? from->floats : &from->f;
    value->int64_data = is_list ? from->ints : &from->i;
    value->string_data = is_list ? from->strings : &from->s;
    value->n_float_data = is_list ? from->n_floats : 1;
    value->n_int64_data = is_list ? from->n_ints : 1;
    value->n_string_data = is_list ? from->n_strings : 1;
    *dimension = (int64_t)(from->n_floats + from->n_ints + from->n_strings);
    value->n_dims = is_list;
    value->dims = dimension;
    return true;
}

struct status constant_load(struct network *network, struct node *node)
{
    struct arena *arena = &network->arena;
    Onnx__AttributeProto *given = node->source->n_attribute == 1 ? node->source->attribute[0] : NULL;
    Onnx__TensorProto *value = arena_new_of(arena, Onnx__TensorProto);
    struct tensor *tensor = arena_new_of(arena, struct tensor);
    NEED(tensor && value);
    if (!given)
        return node_refuse(node, arena, "it has %zu attributes, not one", node->source->n_attribute);
    if (strcmp(given->name, "value") == 0)
        value = given->t;
    else if (!read_short(given, arena, value))
        return status_no_memory();
    if (!value)
        return node_refuse(node, arena, "its value is not a tensor");
    node->state = tensor;
    network->values[node->outputs[0]].constant = tensor;
    return weights_read(value, arena, tensor);
}

INFER(constant)
{
    const struct tensor *tensor = call->node->state;
    made_like(made, &(struct type){tensor->datatype, tensor->rank, tensor->shape});
    return STATUS_IS_OK;
}

/* --- Cast, CastLike, Identity --- */

/* The last input gives the datatype: that of CastLike, or the only one, if no attribute says otherwise. */
INFER(cast)
{
    const enum datatype from = in->datatype;
    const int64_t to = node_int(call->node, "to", 0);
    enum datatype datatype = call->inputs[call->node->input_count - 1].type.datatype;
    if (call->node->op->attributes)
        datatype = to >= 0 && to <= INT32_MAX ? datatype_of_onnx((int32_t)to) : DATATYPE_NONE;
    if (datatype == DATATYPE_NONE)
        return call_unsupported(call, "type %lld is not supported", (long long)to);
    if (datatype != from && (datatype == DATATYPE_BYTES || from == DATATYPE_BYTES))
        return call_unsupported(call, "from %s to %s is not supported", datatype_name(from), datatype_name(datatype));
    made->datatype = datatype;
    return STATUS_IS_OK;
}

COMPUTE(cast)
{
    return out->datatype == in->datatype || tensor_cast(in, out->datatype, call->arena, out) ? STATUS_IS_OK
                                                                                             : status_no_memory();
}

/* --- Reshape: 0 keeps the dimension of the input (unless allowzero is set); one -1 takes what is left --- */

INFER(reshape)
{
    const struct integers wanted = call->list;
    bool zero_is_zero = node_int(call->node, "allowzero", 0) != 0, fits = true;
    size_t have, count, open = RANK_UNKNOWN;
    for (size_t i = 0; i < wanted.count && fits; i++) {
        bool keeps = wanted.list[i] == 0 && !zero_is_zero;
        fits = wanted.list[i] >= -1 && !(wanted.list[i] == -1 && open != RANK_UNKNOWN) && !(keeps && i >= in->rank);
        open = wanted.list[i] == -1 ? i : open;
        made->shape[i] = fits && keeps ? in->shape[i] : wanted.list[i];
    }
    made->rank = wanted.count;
    if (fits && shape_count(in->shape, in->rank, &have)) { /* else it is not known before the run */
        if (open != RANK_UNKNOWN) {
            made->shape[open] = 1;
            made->shape[open] = shape_count(made->shape, made->rank, &count) && count ? (int64_t)(have / count) : 1;
        }
        fits = shape_count(made->shape, made->rank, &count) && count == have;
    }
    return fits ? STATUS_IS_OK
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

INFER(flatten)
{
    made->rank = 2;
    made->shape[0] = product(in->shape, 0, call->axis);
    made->shape[1] = product(in->shape, call->axis, in->rank);
    return STATUS_IS_OK;
}

/* --- Squeeze, Unsqueeze: the axes are an attribute until opset 12, then an input --- */

INFER(squeeze)
{
    const struct integers axes = call->list;
    bool marked[TENSOR_RANK_MAX];
    if (!axes.list && ANY(i, in->rank, in->shape[i] < 0)) {
        made->rank = RANK_UNKNOWN; /* only the run shows whether this dimension is 1 and is removed */
        return STATUS_IS_OK;
    }
    bool fits = mark_axes(axes.list, axes.count, in->rank, marked);
    made->rank = 0;
    for (size_t i = 0; i < in->rank && fits; i++) {
        bool drop = axes.list ? marked[i] : in->shape[i] == 1;
        fits = !drop || in->shape[i] == 1 || in->shape[i] < 0;
        if (!drop)
            made->shape[made->rank++] = in->shape[i];
    }
    return fits ? STATUS_IS_OK : call_refuse(call, "it cannot squeeze %s at these axes", input_text(call, 0));
}

INFER(unsqueeze)
{
    const struct integers axes = call->list;
    bool marked[TENSOR_RANK_MAX];
    made->rank = in->rank + axes.count;
    if (!axes.list || made->rank > TENSOR_RANK_MAX || !mark_axes(axes.list, axes.count, made->rank, marked))
        return call_refuse(call, "it cannot unsqueeze %s at these axes", input_text(call, 0));
    for (size_t i = 0, next = 0; i < made->rank; i++)
        made->shape[i] = marked[i] ? 1 : in->shape[next++];
    return STATUS_IS_OK;
}

/* --- Transpose --- */

/* Each dimension of the output is one of the input. Without the attribute, they are reversed. */
INFER(transpose)
{
    const Onnx__AttributeProto *perm = node_attribute(call->node, "perm");
    size_t *order = call->found;
    bool marked[TENSOR_RANK_MAX];
    if (perm && (perm->n_ints != in->rank || !mark_axes(perm->ints, in->rank, in->rank, marked)))
        return call_refuse(call, "perm is not a permutation of %zu dimensions", in->rank);
    for (size_t i = 0; i < in->rank; i++) {
        int64_t axis = perm ? perm->ints[i] : (int64_t)(in->rank - 1 - i);
        order[i] = (size_t)(axis < 0 ? axis + (int64_t)in->rank : axis);
        made->shape[i] = in->shape[order[i]];
    }
    return STATUS_IS_OK;
}

COMPUTE(transpose)
{
    const size_t *order = call->found;
    int64_t steps[TENSOR_RANK_MAX];
    struct move move = move_between(out, in, out);
    row_major(in->shape, in->rank, steps);
    for (size_t i = 0; i < in->rank; i++)
        move.from[i] = steps[order[i]];
    move_elements(&move, in->data, out->data, size_of(in));
    return STATUS_IS_OK;
}
