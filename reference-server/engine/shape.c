/* Operators that only move or convert elements, or leave them as they are. If the order does not change, the output is
 * the memory of the input under another shape. */
#include "engine/call.h"
#include "engine/families.h"
#include "engine/move.h"
#include "tensor/cast.h"

static struct tensor *forward(const struct node *node, const struct run *run)
{
    struct tensor *out = output_tensor(node, run, 0);
    *out = *input_tensor(node, run, 0);
    return out;
}

static struct status forward_as(const struct node *node, const struct run *run, const int64_t *shape, size_t rank)
{
    struct tensor *out = forward(node, run);
    int64_t *copy = arena_alloc_zero(run->arena, rank, sizeof(*copy));
    if (!copy)
        return status_no_memory();
    if (rank)
        memcpy(copy, shape, rank * sizeof(*copy));
    out->shape = copy;
    out->rank = rank;
    return STATUS_IS_OK;
}

/* --- Identity --- */

struct status identity_load(struct network *network, struct node *node)
{
    const struct type *type = input_type(network, node, 0);
    return set_output_type(network, node, type->datatype, type->shape, type->rank);
}

struct status identity_run(const struct node *node, const struct run *run)
{
    forward(node, run);
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
    if (strcmp(attribute->name, "value_float") == 0 || strcmp(attribute->name, "value_floats") == 0) {
        bool is_list = attribute->name[strlen("value_float")] != '\0';
        value->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
        value->float_data = is_list ? attribute->floats : &attribute->f;
        value->n_float_data = is_list ? attribute->n_floats : 1;
        value->n_dims = is_list;
        *dimension = (int64_t)value->n_float_data;
    } else if (strcmp(attribute->name, "value_int") == 0 || strcmp(attribute->name, "value_ints") == 0) {
        bool is_list = attribute->name[strlen("value_int")] != '\0';
        value->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
        value->int64_data = is_list ? attribute->ints : &attribute->i;
        value->n_int64_data = is_list ? attribute->n_ints : 1;
        value->n_dims = is_list;
        *dimension = (int64_t)value->n_int64_data;
    } else {
        bool is_list = attribute->name[strlen("value_string")] != '\0';
        value->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__STRING;
        value->string_data = is_list ? attribute->strings : &attribute->s;
        value->n_string_data = is_list ? attribute->n_strings : 1;
        value->n_dims = is_list;
        *dimension = (int64_t)value->n_string_data;
    }
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
    return set_output_type(network, node, tensor->datatype, tensor->shape, tensor->rank);
}

struct status constant_run(const struct node *node, const struct run *run)
{
    *output_tensor(node, run, 0) = *(const struct tensor *)node->state;
    return STATUS_IS_OK;
}

/* --- Cast --- */

struct status cast_load(struct network *network, struct node *node)
{
    const struct type *type = input_type(network, node, 0);
    int64_t to = node_int(node, "to", 0);
    enum datatype datatype = to >= 0 && to <= INT32_MAX ? datatype_of_onnx((int32_t)to) : DATATYPE_NONE;
    if (datatype == DATATYPE_NONE)
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "type %lld is not supported", (long long)to);
    if (datatype != type->datatype && (datatype == DATATYPE_BYTES || type->datatype == DATATYPE_BYTES))
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "from %s to %s is not supported",
                          datatype_name(type->datatype), datatype_name(datatype));
    return set_output_type(network, node, datatype, type->shape, type->rank);
}

struct status cast_run(const struct node *node, const struct run *run)
{
    const struct tensor *in = input_tensor(node, run, 0);
    struct tensor *out = forward(node, run);
    enum datatype datatype = datatype_of_onnx((int32_t)node_int(node, "to", 0));
    if (datatype != in->datatype && !tensor_cast(in, datatype, run->arena, out))
        return status_no_memory();
    return STATUS_IS_OK;
}

/* --- Reshape --- */

/* Applies a list of wanted dimensions to a shape. 0 keeps the dimension of the input (unless allowzero is set); one -1
 * takes what is left. */
static struct status apply_reshape(const struct node *node, struct arena *arena, const int64_t *wanted, size_t rank,
                                   const int64_t *from, size_t from_rank, int64_t shape[TENSOR_RANK_MAX])
{
    bool zero_is_zero = node_int(node, "allowzero", 0) != 0;
    size_t have, open = RANK_UNKNOWN;
    for (size_t i = 0; i < rank; i++) {
        shape[i] = wanted[i] == 0 && !zero_is_zero && i < from_rank ? from[i] : wanted[i];
        if (wanted[i] < -1 || (wanted[i] == -1 && open != RANK_UNKNOWN) ||
            (wanted[i] == 0 && !zero_is_zero && i >= from_rank))
            return node_error(node, arena, STATUS_INVALID_ARGUMENT, "it cannot reshape %s to %s",
                              shape_text(arena, from, from_rank), shape_text(arena, wanted, rank));
        if (wanted[i] == -1)
            open = i;
    }
    if (!shape_count(from, from_rank, &have))
        return STATUS_IS_OK; /* not known before the run */
    if (open != RANK_UNKNOWN) {
        size_t others;
        shape[open] = 1;
        if (shape_count(shape, rank, &others) && others > 0)
            shape[open] = (int64_t)(have / others);
    }
    size_t count;
    if (!shape_count(shape, rank, &count) || count != have)
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "it cannot reshape %s to %s",
                          shape_text(arena, from, from_rank), shape_text(arena, wanted, rank));
    return STATUS_IS_OK;
}

struct status reshape_load(struct network *network, struct node *node)
{
    const struct type *type = input_type(network, node, 0), *list = input_type(network, node, 1);
    const struct tensor *constant = input_constant(network, node, 1);
    if (list->datatype != DATATYPE_INT64)
        return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "its shape is %s, not INT64",
                          datatype_name(list->datatype));
    if (!constant || type->rank == RANK_UNKNOWN)
        return set_output_type(network, node, type->datatype, NULL, RANK_UNKNOWN);
    if (constant->count > TENSOR_RANK_MAX)
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "more than %d dimensions", TENSOR_RANK_MAX);
    int64_t shape[TENSOR_RANK_MAX];
    struct status status = apply_reshape(node, &network->arena, tensor_integers(constant, &network->arena),
                                         constant->count, type->shape, type->rank, shape);
    return is_ok(status) ? set_output_type(network, node, type->datatype, shape, constant->count) : status;
}

struct status reshape_run(const struct node *node, const struct run *run)
{
    const struct tensor *in = input_tensor(node, run, 0), *list = input_tensor(node, run, 1);
    int64_t shape[TENSOR_RANK_MAX];
    if (list->count > TENSOR_RANK_MAX)
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "more than %d dimensions", TENSOR_RANK_MAX);
    struct status status =
        apply_reshape(node, run->arena, tensor_integers(list, run->arena), list->count, in->shape, in->rank, shape);
    return is_ok(status) ? forward_as(node, run, shape, list->count) : status;
}

/* --- Flatten --- */

/* Returns the product of the dimensions, or -1 if one is not known. */
static int64_t product(const int64_t *shape, size_t from, size_t to)
{
    size_t count;
    return shape_count(shape + from, to - from, &count) ? (int64_t)count : -1;
}

static struct status flat_shape(const struct node *node, struct arena *arena, const int64_t *shape, size_t rank,
                                int64_t flat[2])
{
    int64_t axis = node_int(node, "axis", 1);
    if (axis != (int64_t)rank && !normalize_axis(&axis, rank))
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "axis %lld of a tensor with %zu dimensions",
                          (long long)axis, rank);
    flat[0] = product(shape, 0, (size_t)axis);
    flat[1] = product(shape, (size_t)axis, rank);
    return STATUS_IS_OK;
}

struct status flatten_load(struct network *network, struct node *node)
{
    const struct type *type = input_type(network, node, 0);
    int64_t flat[2] = {-1, -1};
    struct status status = STATUS_IS_OK;
    if (type->rank != RANK_UNKNOWN)
        status = flat_shape(node, &network->arena, type->shape, type->rank, flat);
    return is_ok(status) ? set_output_type(network, node, type->datatype, flat, 2) : status;
}

struct status flatten_run(const struct node *node, const struct run *run)
{
    const struct tensor *in = input_tensor(node, run, 0);
    int64_t flat[2];
    struct status status = flat_shape(node, run->arena, in->shape, in->rank, flat);
    return is_ok(status) ? forward_as(node, run, flat, 2) : status;
}

/* --- Squeeze, Unsqueeze --- */

/* Reads the axes: an attribute until opset 12, the second input from 13 on. *given is false if there are none. */
static struct status read_axes(const struct node *node, int64_t opset, const struct tensor *input, struct arena *arena,
                               const int64_t **axes, size_t *count, bool *given)
{
    const Onnx__AttributeProto *attribute = node_attribute(node, "axes");
    if (opset >= 13 ? attribute != NULL : node->input_count > 1)
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "at opset %lld its axes are %s", (long long)opset,
                          opset >= 13 ? "an input" : "an attribute");
    *given = attribute || input;
    *axes = attribute ? attribute->ints : input ? tensor_integers(input, arena) : NULL;
    *count = attribute ? attribute->n_ints : input ? input->count : 0;
    if (*count > TENSOR_RANK_MAX || (*count && !*axes))
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "its axes are not a valid list of axes");
    return STATUS_IS_OK;
}

static struct status squeezed(const struct node *node, struct arena *arena, const int64_t *axes, size_t count,
                              bool given, const int64_t *from, size_t from_rank, int64_t shape[TENSOR_RANK_MAX],
                              size_t *rank)
{
    bool marked[TENSOR_RANK_MAX];
    bool fits = mark_axes(axes, count, from_rank, marked);
    *rank = 0;
    for (size_t i = 0; i < from_rank && fits; i++) {
        bool drop = given ? marked[i] : from[i] == 1;
        fits = !drop || from[i] == 1 || from[i] < 0;
        if (!drop)
            shape[(*rank)++] = from[i];
    }
    return fits ? STATUS_IS_OK
                : node_error(node, arena, STATUS_INVALID_ARGUMENT, "it cannot squeeze %s at these axes",
                             shape_text(arena, from, from_rank));
}

static struct status unsqueezed(const struct node *node, struct arena *arena, const int64_t *axes, size_t count,
                                bool given, const int64_t *from, size_t from_rank, int64_t shape[TENSOR_RANK_MAX],
                                size_t *rank)
{
    bool marked[TENSOR_RANK_MAX];
    *rank = from_rank + count;
    if (!given || *rank > TENSOR_RANK_MAX || !mark_axes(axes, count, *rank, marked))
        return node_error(node, arena, STATUS_INVALID_ARGUMENT, "it cannot unsqueeze %s at these axes",
                          shape_text(arena, from, from_rank));
    size_t next = 0;
    for (size_t i = 0; i < *rank; i++)
        shape[i] = marked[i] ? 1 : from[next++];
    return STATUS_IS_OK;
}

typedef struct status change_rank(const struct node *node, struct arena *arena, const int64_t *axes, size_t count,
                                  bool given, const int64_t *from, size_t from_rank, int64_t shape[TENSOR_RANK_MAX],
                                  size_t *rank);

static struct status change_rank_load(struct network *network, struct node *node, change_rank *change)
{
    const struct type *type = input_type(network, node, 0);
    const struct tensor *constant = input_constant(network, node, 1);
    const struct type *list = input_type(network, node, 1);
    int64_t shape[TENSOR_RANK_MAX];
    const int64_t *axes = NULL;
    size_t count = 0, rank = 0;
    bool given = false;
    if (list && list->datatype != DATATYPE_INT64)
        return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "its axes are %s, not INT64",
                          datatype_name(list->datatype));
    struct status status = read_axes(node, network->opset, constant, &network->arena, &axes, &count, &given);
    if (!is_ok(status))
        return status;
    bool is_open = type->rank == RANK_UNKNOWN || (list && !constant);
    for (size_t i = 0; !given && !is_open && i < type->rank; i++)
        is_open = type->shape[i] < 0; /* only the run shows whether this dimension is 1 and is removed */
    node->state = network;
    if (is_open)
        return set_output_type(network, node, type->datatype, NULL, RANK_UNKNOWN);
    status = change(node, &network->arena, axes, count, given, type->shape, type->rank, shape, &rank);
    return is_ok(status) ? set_output_type(network, node, type->datatype, shape, rank) : status;
}

static struct status change_rank_run(const struct node *node, const struct run *run, change_rank *change)
{
    const struct tensor *in = input_tensor(node, run, 0);
    const struct network *network = node->state;
    int64_t shape[TENSOR_RANK_MAX];
    const int64_t *axes = NULL;
    size_t count = 0, rank = 0;
    bool given = false;
    struct status status =
        read_axes(node, network->opset, input_tensor(node, run, 1), run->arena, &axes, &count, &given);
    if (is_ok(status))
        status = change(node, run->arena, axes, count, given, in->shape, in->rank, shape, &rank);
    return is_ok(status) ? forward_as(node, run, shape, rank) : status;
}

struct status squeeze_load(struct network *network, struct node *node)
{
    return change_rank_load(network, node, squeezed);
}

struct status squeeze_run(const struct node *node, const struct run *run)
{
    return change_rank_run(node, run, squeezed);
}

struct status unsqueeze_load(struct network *network, struct node *node)
{
    return change_rank_load(network, node, unsqueezed);
}

struct status unsqueeze_run(const struct node *node, const struct run *run)
{
    return change_rank_run(node, run, unsqueezed);
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

struct status transpose_load(struct network *network, struct node *node)
{
    const struct type *type = input_type(network, node, 0);
    size_t order[TENSOR_RANK_MAX];
    int64_t shape[TENSOR_RANK_MAX];
    if (type->datatype == DATATYPE_BYTES)
        return node_error(node, &network->arena, STATUS_UNIMPLEMENTED, "BYTES is not supported");
    if (type->rank == RANK_UNKNOWN)
        return set_output_type(network, node, type->datatype, NULL, RANK_UNKNOWN);
    if (!read_order(node, type->rank, order))
        return node_error(node, &network->arena, STATUS_INVALID_ARGUMENT, "perm is not a permutation of %zu dimensions",
                          type->rank);
    for (size_t i = 0; i < type->rank; i++)
        shape[i] = type->shape[order[i]];
    return set_output_type(network, node, type->datatype, shape, type->rank);
}

struct status transpose_run(const struct node *node, const struct run *run)
{
    const struct tensor *in = input_tensor(node, run, 0);
    struct tensor *out = output_tensor(node, run, 0);
    size_t order[TENSOR_RANK_MAX];
    int64_t steps[TENSOR_RANK_MAX];
    struct move move = {.rank = in->rank};
    if (!read_order(node, in->rank, order))
        return node_error(node, run->arena, STATUS_INVALID_ARGUMENT, "perm is not a permutation of %zu dimensions",
                          in->rank);
    row_major(in->shape, in->rank, steps);
    for (size_t i = 0; i < in->rank; i++) {
        move.shape[i] = in->shape[order[i]];
        move.from[i] = steps[order[i]];
    }
    row_major(move.shape, in->rank, move.to);
    if (!tensor_make(out, in->datatype, move.shape, in->rank, run->arena))
        return status_no_memory();
    move_elements(&move, in->data, out->data, datatype_size(in->datatype));
    return STATUS_IS_OK;
}
