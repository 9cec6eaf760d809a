#include "engine/call.h"

#include "base/search.h"
#include "engine/primitive.h"

#include <stddef.h>

#define OUTPUTS_MAX 16

void made_like(struct made *made, const struct type *type)
{
    made->datatype = type->datatype;
    made->rank = type->rank;
    if (made->rank != RANK_UNKNOWN && made->rank)
        memcpy(made->shape, type->shape, made->rank * sizeof(*made->shape));
}

bool made_broadcast(struct made *made, const int64_t *shape, size_t rank)
{
    const bool fits = shape_broadcast(made->shape, made->rank, shape, rank, made->shape);
    made->rank = rank > made->rank ? rank : made->rank;
    return fits;
}

bool operand_fits(const struct call *call, size_t i, const int64_t *shape, size_t rank)
{
    const struct operand *operand = call_operand(call, i);
    return !operand || operand->type.rank == RANK_UNKNOWN ||
           (operand->type.rank == rank && dimensions_fit(operand->type.shape, shape, rank));
}

const char *input_text(const struct call *call, size_t i)
{
    const struct type *type = &call->inputs[i].type;
    return shape_text(call->arena, type->shape, type->rank);
}

struct status call_integers(const struct call *call, const char *attribute, size_t input, struct integers *integers)
{
    const Onnx__AttributeProto *given = attribute ? node_attribute(call->node, attribute) : NULL;
    const struct operand *operand = call_operand(call, input);
    *integers = (struct integers){.known = true};
    if (given) {
        integers->count = given->n_ints;
        integers->list = given->ints;
    } else if (operand) {
        if (operand->type.datatype != DATATYPE_INT64 && operand->type.datatype != DATATYPE_INT32)
            return call_refuse(call, "its input %zu is %s, not INT64", input, datatype_name(operand->type.datatype));
        integers->known = operand->tensor != NULL;
        integers->count = operand->tensor ? operand->tensor->count : 0;
        integers->list = operand->tensor ? tensor_integers(operand->tensor, call->arena) : NULL;
        NEED(integers->list || !operand->tensor);
    }
    if (integers->count > TENSOR_RANK_MAX)
        return call_refuse(call, "a list of %zu numbers", integers->count);
    return STATUS_IS_OK;
}

bool mark_axes(const int64_t *axes, size_t count, size_t rank, bool marked[TENSOR_RANK_MAX])
{
    memset(marked, 0, TENSOR_RANK_MAX * sizeof(*marked));
    for (size_t i = 0; i < count; i++) {
        int64_t axis = axes[i];
        if (!normalize_axis(&axis, rank) || marked[axis])
            return false;
        marked[axis] = true;
    }
    return true;
}

/* --- Loading --- */

static bool takes(char letter, enum datatype datatype)
{
    bool is_integer = datatype == DATATYPE_INT32 || datatype == DATATYPE_INT64,
         is_real = datatype == DATATYPE_FP32 || datatype == DATATYPE_FP64;
    return letter == '.' || (letter == '*' && datatype != DATATYPE_BYTES) ||
           (letter == 'f' && datatype == DATATYPE_FP32) || (letter == 'b' && datatype == DATATYPE_BOOL) ||
           (letter == 'i' && is_integer) || (letter == 's' && datatype == DATATYPE_INT32) ||
           (letter == 'l' && datatype == DATATYPE_INT64) || (letter == 'n' && (is_integer || is_real));
}

static struct status has_types(struct network *network, struct node *node)
{
    const char *letter = node->op->takes;
    for (size_t i = 0; i < node->input_count; i++, letter += letter[1] != '\0') {
        const struct type *type = input_type(network, node, i);
        bool is_digit = *letter >= '0' && *letter <= '9';
        const struct type *same = is_digit ? operand_type(network, node, (size_t)(*letter - '0')) : type;
        if (type && type->datatype != same->datatype)
            return node_refuse(node, &network->arena, "its inputs are %s and %s", datatype_name(same->datatype),
                               datatype_name(type->datatype));
        if (type && !is_digit && !takes(*letter, type->datatype))
            return node_error(node, &network->arena,
                              strchr("ilb", *letter) ? STATUS_INVALID_ARGUMENT : STATUS_UNIMPLEMENTED,
                              "%s as its input %zu is not supported", datatype_name(type->datatype), i);
    }
    return STATUS_IS_OK;
}

/* Checks the rank of the first input by the row. */
static struct status check_rank(const struct call *call)
{
    const struct onnx_operator *op = call->node->op;
    const size_t rank = call->node->input_count ? call->inputs[0].type.rank : RANK_UNKNOWN;
    return op->rank_max && rank != RANK_UNKNOWN && (rank < op->rank_min || rank > op->rank_max)
               ? call_refuse(call, "an input of %zu dimensions", rank)
               : STATUS_IS_OK;
}

static struct status read_axis(struct call *call)
{
    const struct onnx_operator *op = call->node->op;
    const size_t rank = op->axis ? call->inputs[0].type.rank : RANK_UNKNOWN;
    if (rank == RANK_UNKNOWN)
        return STATUS_IS_OK;
    size_t axes = node_rank(call->node, rank) + (op->axis == AXIS_OF_MADE);
    int64_t axis = node_int(call->node, "axis", op->axis_otherwise);
    if (op->axis == AXIS_OF_LIST && axes == 0)
        axes = 1;
    if (!(op->axis == AXIS_OR_END && axis == (int64_t)axes) && !normalize_axis(&axis, axes))
        return call_refuse(call, "axis %lld of a tensor with %zu dimensions", (long long)axis, axes);
    call->axis = node_axis(call->node, (size_t)axis, rank);
    return STATUS_IS_OK;
}

/* Finds the types of the outputs. */
static struct status infer(struct call *call, struct made made[OUTPUTS_MAX])
{
    const struct onnx_operator *op = call->node->op;
    const size_t count = call->node->input_count;
    TRY(check_rank(call));
    if (op->list || op->listed)
        TRY(call_integers(call, op->list, op->listed ? op->listed : NO_VALUE, &call->list));
    TRY(read_axis(call));
    const bool is_open = (op->shaped_by_list && !call->list.known) ||
                         (!op->any_rank && ANY(i, count, call->inputs[i].type.rank == RANK_UNKNOWN));
    for (size_t i = 0; i < call->node->output_count; i++) {
        made_like(&made[i], count ? &call->inputs[op->like].type : &(struct type){0});
        if (op->gives)
            made[i].datatype = op->gives;
        if (is_open)
            made[i].rank = RANK_UNKNOWN;
    }
    if (!is_open && op->infer)
        TRY(op->infer(call, count ? &call->inputs[0].type : NULL, made));
    for (size_t i = 0; i < call->node->output_count; i++)
        if (made[i].rank != RANK_UNKNOWN && made[i].rank > TENSOR_RANK_MAX)
            return call_unsupported(call, "more than %d dimensions", TENSOR_RANK_MAX);
    return STATUS_IS_OK;
}

static bool set_type(struct network *network, const struct made *made, struct type *type)
{
    const size_t rank = made->rank == RANK_UNKNOWN ? 0 : made->rank;
    *type = (struct type){made->datatype, made->rank, shape_copy(made->shape, rank, &network->arena)};
    return type->shape != NULL;
}

struct status node_load(struct network *network, struct node *node)
{
    struct operand *inputs = arena_alloc_zero(&network->arena, node->input_count, sizeof(*inputs));
    struct made made[OUTPUTS_MAX];
    max_align_t found[FOUND_MAX / sizeof(max_align_t)];
    NEED(inputs);
    TRY(has_types(network, node));
    if (node->op->load)
        TRY(node->op->load(network, node));
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != NO_VALUE)
            inputs[i] = (struct operand){*input_type(network, node, i), input_constant(network, node, i)};
    struct call call = {.node = node, .arena = &network->arena, .inputs = inputs, .found = found};
    TRY(infer(&call, made));
    for (size_t i = 0; i < node->output_count; i++)
        NEED(set_type(network, &made[i], &network->values[node->outputs[i]].type));
    return STATUS_IS_OK;
}

void node_unload(struct node *node)
{
    primitives_free(node->primitives);
    node->primitives = NULL;
    node->state = NULL;
}

bool node_forwards(const struct network *network, const struct node *node)
{
    return node->op->is_view &&
           network->values[node->inputs[0]].type.datatype == network->values[node->outputs[0]].type.datatype;
}

/* --- Running --- */

/* Shows the memory of a tensor under another shape. */
static bool view(const struct tensor *in, const struct made *made, struct arena *arena, struct tensor *out)
{
    *out = *in;
    out->rank = made->rank;
    out->shape = shape_copy(made->shape, made->rank, arena);
    return out->shape != NULL;
}

/* Makes room for an output: that of a value to which it is added, that of the input of a view, or new room. */
static bool make_output(const struct call *call, size_t i, const struct made *made)
{
    const struct node *node = call->node;
    struct tensor *out = call->outputs[i];
    if (i == 0 && node->op->is_view && made->datatype == call->inputs[0].type.datatype)
        return view(call->inputs[0].tensor, made, call->arena, out);
    if (i == 0 && node->addend != NO_VALUE)
        *out = call->run->values[node->addend];
    return tensor_make(out, made->datatype, made->shape, made->rank, call->arena);
}

struct status node_run(const struct node *node, const struct run *run)
{
    struct operand *inputs = arena_alloc_zero(run->arena, node->input_count, sizeof(*inputs));
    struct tensor *outputs[OUTPUTS_MAX] = {NULL};
    struct made made[OUTPUTS_MAX];
    max_align_t found[FOUND_MAX / sizeof(max_align_t)];
    NEED(inputs);
    for (size_t i = 0; i < node->input_count; i++) {
        const struct tensor *tensor = node->inputs[i] == NO_VALUE ? NULL : &run->values[node->inputs[i]];
        if (tensor)
            inputs[i] = (struct operand){{tensor->datatype, tensor->rank, tensor->shape}, tensor};
    }
    struct call call = {
        .node = node, .run = run, .arena = run->arena, .inputs = inputs, .outputs = outputs, .found = found};
    TRY(infer(&call, made));
    for (size_t i = 0; i < node->output_count; i++) {
        outputs[i] = &run->values[node->outputs[i]];
        NEED(make_output(&call, i, &made[i]));
    }
    return node->op->compute ? node->op->compute(&call, inputs[0].tensor, outputs[0]) : STATUS_IS_OK;
}
