/* Chooses the layout of each value. oneDNN's convolutions are fastest with the channels last. So a convolution with
 * constant weights asks for that; operators that work in any layout keep what they get; all others want row-major
 * order. Where the layout changes, a node that moves the elements is put in, once for each value. A value with channels
 * last is for its nodes a tensor of shape [N, ..., C]. */
#include "engine/move.h"
#include "engine/plan.h"

/* --- The node that changes a layout --- */

static struct status move_run(const struct node *node, const struct run *run)
{
    const struct tensor *in = input_tensor(node, run, 0);
    struct tensor *out = output_tensor(node, run, 0);
    int64_t steps[TENSOR_RANK_MAX];
    struct move move = {.rank = in->rank};
    row_major(in->shape, in->rank, steps);
    for (size_t i = 0; i < in->rank; i++) { /* to channels last: out [N, ..., C]; else out [N, C, ...] */
        size_t from = i == 0                ? 0
                      : node->channels_last ? (i + 1 == in->rank ? 1 : i + 1)
                                            : (i == 1 ? in->rank - 1 : i - 1);
        move.shape[i] = in->shape[from];
        move.from[i] = steps[from];
    }
    row_major(move.shape, in->rank, move.to);
    if (!tensor_make(out, in->datatype, move.shape, in->rank, run->arena))
        return status_no_memory();
    move_elements(&move, in->data, out->data, datatype_size(in->datatype));
    return STATUS_IS_OK;
}

static const struct onnx_operator move_layout = {.name = "(layout)", .run = move_run};
static const Onnx__NodeProto move_source = ONNX__NODE_PROTO__INIT;

/* --- The pass --- */

struct arranging {
    struct network *network;
    struct node *nodes; /* the new list */
    size_t node_count;
    bool *last;    /* of each value, if its channels are last */
    size_t *other; /* of each value: the value with the same elements in the other layout, or NO_VALUE */
};

/* Returns the value in the layout that is wanted. */
static size_t in_layout(struct arranging *arranging, size_t value, bool last)
{
    struct network *network = arranging->network;
    if (value == NO_VALUE || arranging->last[value] == last)
        return value;
    if (arranging->other[value] != NO_VALUE)
        return arranging->other[value];
    size_t *ends = arena_alloc_zero(&network->arena, 2, sizeof(*ends));
    if (!ends)
        return value; /* cannot be: an arena without budget ends only with the system's memory, and `ends` is small */
    ends[0] = value;
    ends[1] = network->value_count++;
    network->values[ends[1]] = (struct value){.type = network->values[value].type};
    arranging->last[ends[1]] = last;
    arranging->other[ends[1]] = value;
    arranging->other[value] = ends[1];
    arranging->nodes[arranging->node_count++] = (struct node){.op = &move_layout,
                                                              .source = &move_source,
                                                              .inputs = &ends[0],
                                                              .input_count = 1,
                                                              .outputs = &ends[1],
                                                              .output_count = 1,
                                                              .addend = NO_VALUE,
                                                              .channels_last = last};
    return ends[1];
}

static bool has_channels(const struct network *network, size_t value)
{
    const struct type *type = &network->values[value].type;
    return type->rank != RANK_UNKNOWN && type->rank >= 3;
}

/* Says whether the node shall work with channels last. */
static bool wants_last(const struct arranging *arranging, const struct node *node)
{
    const struct network *network = arranging->network;
    bool wants = false, can = true;
    size_t rank = node->input_count && node->inputs[0] != NO_VALUE ? network->values[node->inputs[0]].type.rank : 0;
    if (node->op->layout == LAYOUT_ROW_MAJOR || rank == RANK_UNKNOWN)
        return false;
    if (node->op->layout == LAYOUT_LAST)
        return input_constant(network, node, 1) && has_channels(network, node->inputs[0]);
    size_t tensors = node->op->layout == LAYOUT_ANY || node->op->inputs_max == VARIADIC ? node->input_count : 1;
    for (size_t i = 0; i < tensors; i++) {
        size_t value = node->inputs[i], count;
        if (value == NO_VALUE)
            continue;
        const struct type *type = &network->values[value].type;
        bool is_scalar =
            type->rank != RANK_UNKNOWN && shape_count(type->shape, type->rank, &count) && count == 1 && type->rank <= 1;
        wants |= arranging->last[value];
        can &= is_scalar || (has_channels(network, value) && (type->rank == rank || i == 0));
    }
    return wants && can;
}

static void arrange_node(struct arranging *arranging, struct node *node)
{
    struct network *network = arranging->network;
    bool last = wants_last(arranging, node);
    size_t data = node->op->layout == LAYOUT_ANY || node->op->inputs_max == VARIADIC ? node->input_count : 1;
    size_t *inputs = arena_alloc_zero(&network->arena, node->input_count, sizeof(*inputs));
    for (size_t i = 0; inputs && i < node->input_count; i++) {
        bool moves = last && i < data && node->inputs[i] != NO_VALUE && has_channels(network, node->inputs[i]);
        inputs[i] = in_layout(arranging, node->inputs[i], moves);
    }
    node->inputs = inputs;
    node->addend = in_layout(arranging, node->addend, last);
    node->channels_last = last;
    for (size_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != NO_VALUE)
            arranging->last[node->outputs[i]] = last;
    arranging->nodes[arranging->node_count++] = *node;
}

bool network_arrange(struct network *network)
{
    size_t most = network->node_count + network->value_count + network->output_count;
    struct arranging arranging = {
        .network = network,
        .nodes = arena_alloc_zero(&network->arena, most, sizeof(struct node)),
        .last = arena_alloc_zero(&network->arena, 2 * network->value_count + 1, sizeof(bool)),
        .other = arena_alloc_zero(&network->arena, 2 * network->value_count + 1, sizeof(size_t)),
    };
    if (!arranging.nodes || !arranging.last || !arranging.other)
        return false;
    for (size_t i = 0; i < 2 * network->value_count + 1; i++)
        arranging.other[i] = NO_VALUE;
    for (size_t i = 0; i < network->node_count; i++)
        arrange_node(&arranging, &network->nodes[i]);
    for (size_t i = 0; i < network->output_count; i++)
        network->outputs[i] = in_layout(&arranging, network->outputs[i], false);
    network->nodes = arranging.nodes;
    network->node_count = arranging.node_count;
    return true;
}
