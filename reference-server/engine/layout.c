/* Chooses the form of each value. oneDNN's convolutions are slow in row-major order. So a convolution with constant
 * weights asks for the other form of the plan: blocks, or channels last; operators that work in any form keep what they
 * get; all others want row-major order. Where the form changes, a node that moves the elements is put in, once for each
 * value. */
#include "engine/call.h"
#include "engine/families.h"
#include "engine/move.h"
#include "engine/onednn.h"
#include "engine/plan.h"
#include "engine/window.h"

/* --- The nodes that change a form --- */

INFER(into_form)
{
    made->rank = form_physical(call->node->form, in->shape, in->rank, made->shape);
    return STATUS_IS_OK;
}

INFER(row_major)
{
    made->rank = form_logical(call->node->form, in->shape, in->rank, made->shape);
    return STATUS_IS_OK;
}

COMPUTE(form)
{
    const bool is_back = out->rank < in->rank;
    const struct tensor *moved = is_back ? in : out, *plain = is_back ? out : in;
    const size_t block = moved->rank - 1; /* the dimension of the channels in a block; the second one has the blocks */
    int64_t plain_steps[TENSOR_RANK_MAX];
    struct move move = move_between(moved, moved, moved);
    row_major(plain->shape, plain->rank, plain_steps);
    plain_steps[block] = plain_steps[1];
    plain_steps[1] *= moved->shape[block];
    memcpy(is_back ? move.to : move.from, plain_steps, moved->rank * sizeof(*plain_steps));
    move_elements(&move, in->data, out->data, size_of(in));
    return STATUS_IS_OK;
}

static const struct onnx_operator move_operators[] = {
    {.name = "(row-major)", .infer = row_major_infer, .compute = form_compute},
    {.name = "(form)", .infer = into_form_infer, .compute = form_compute}};
static const Onnx__NodeProto move_source = ONNX__NODE_PROTO__INIT;

/* --- The pass --- */

struct arranging {
    struct network *network;
    struct node *nodes; /* the new list */
    size_t node_count;
    enum form form; /* the one beside row-major order */
    bool *moved;    /* of each value, if it is in that form */
    size_t *other;  /* of each value: the value with the same elements in the other form, or NO_VALUE */
};

/* Returns the value in the form, or in row-major order. */
static size_t in_form(struct arranging *arranging, size_t value, bool moved)
{
    struct network *network = arranging->network;
    if (value == NO_VALUE || arranging->moved[value] == moved)
        return value;
    if (arranging->other[value] != NO_VALUE)
        return arranging->other[value];
    size_t *ends = arena_alloc_zero(&network->arena, 2, sizeof(*ends));
    if (!ends)
        return value; /* cannot be: an arena without budget ends only with the system's memory, and `ends` is small */
    ends[0] = value;
    ends[1] = network->value_count++;
    network->values[ends[1]] = (struct value){.type = network->values[value].type};
    arranging->moved[ends[1]] = moved;
    arranging->other[ends[1]] = value;
    arranging->other[value] = ends[1];
    arranging->nodes[arranging->node_count++] = (struct node){.op = &move_operators[moved],
                                                              .source = &move_source,
                                                              .inputs = &ends[0],
                                                              .input_count = 1,
                                                              .outputs = &ends[1],
                                                              .output_count = 1,
                                                              .addend = NO_VALUE,
                                                              .form = arranging->form};
    return ends[1];
}

static bool can_move(const struct arranging *arranging, size_t value)
{
    const struct type *type = &arranging->network->values[value].type;
    return type->rank != RANK_UNKNOWN && type->rank >= 3 && type->rank < TENSOR_RANK_MAX &&
           (arranging->form != FORM_BLOCKED || (type->shape[1] > 0 && type->shape[1] % BLOCK_CHANNELS == 0));
}

/* Says whether the node shall work in the form. */
static bool wants_form(const struct arranging *arranging, const struct node *node)
{
    const struct network *network = arranging->network;
    bool wants = false, can = true;
    size_t rank = node->input_count && node->inputs[0] != NO_VALUE ? network->values[node->inputs[0]].type.rank : 0;
    if (node->op->layout == LAYOUT_ROW_MAJOR || rank == RANK_UNKNOWN)
        return false;
    if (node->op->layout == LAYOUT_PREFER)
        return input_constant(network, node, 1) && rank >= 3;
    size_t tensors = node->op->layout == LAYOUT_ANY || node->op->inputs_max == VARIADIC ? node->input_count : 1;
    for (size_t i = 0; i < tensors; i++) {
        size_t value = node->inputs[i], count;
        if (value == NO_VALUE)
            continue;
        const struct type *type = &network->values[value].type;
        bool is_scalar =
            type->rank != RANK_UNKNOWN && shape_count(type->shape, type->rank, &count) && count == 1 && type->rank <= 1;
        wants |= arranging->moved[value];
        can &= is_scalar || (can_move(arranging, value) && (type->rank == rank || i == 0));
    }
    return wants && can;
}

static void arrange_node(struct arranging *arranging, struct node *node)
{
    struct network *network = arranging->network;
    bool moved = wants_form(arranging, node);
    size_t data = node->op->layout == LAYOUT_ANY || node->op->inputs_max == VARIADIC ? node->input_count : 1;
    size_t *inputs = arena_alloc_zero(&network->arena, node->input_count, sizeof(*inputs));
    for (size_t i = 0; inputs && i < node->input_count; i++) {
        bool moves = moved && i < data && node->inputs[i] != NO_VALUE && can_move(arranging, node->inputs[i]);
        inputs[i] = in_form(arranging, node->inputs[i], moves);
    }
    node->inputs = inputs;
    node->addend = in_form(arranging, node->addend, moved);
    node->form = moved ? arranging->form : FORM_ROW_MAJOR;
    for (size_t i = 0; i < node->output_count; i++)
        arranging->moved[node->outputs[i]] = moved;
    arranging->nodes[arranging->node_count++] = *node;
}

/* Whether oneDNN can run a convolution in blocks: the channels must fill whole blocks. For images, which have few
 * channels, oneDNN makes the blocks itself. */
static bool fits_blocks(const struct network *network, const struct node *node)
{
    const struct type *in = operand_type(network, node, 0), *weights = operand_type(network, node, 1);
    const int64_t groups = node_int(node, "group", 1), made = weights->shape[0];
    const int64_t channels = in->rank == RANK_UNKNOWN || in->rank < 3 ? -1 : in->shape[1];
    const bool is_depthwise = weights->shape[1] == 1 && made == groups;
    return channels > 0 && made % BLOCK_CHANNELS == 0 &&
           (groups == 1
                ? channels < BLOCK_CHANNELS || channels % BLOCK_CHANNELS == 0
                : is_depthwise || (weights->shape[1] % BLOCK_CHANNELS == 0 && made / groups % BLOCK_CHANNELS == 0));
}

/* Says whether a Pad may add channels: blocks of them would have to be made anew. */
static bool pads_channels(const struct network *network, const struct node *node)
{
    const Onnx__AttributeProto *given = node_attribute(node, "pads");
    const struct tensor *constant = input_constant(network, node, 1);
    const bool is_list = constant && constant->datatype == DATATYPE_INT64;
    const int64_t *pads = given ? given->ints : is_list ? constant->data : NULL;
    const size_t count = given ? given->n_ints : is_list ? constant->count : 0;
    return count < 4 || pads[1] || pads[count / 2 + 1];
}

/* A plan has two forms: row-major order and this one. */
static enum form choose_form(const struct network *network)
{
    bool in_blocks = onednn_prefers_blocks();
    for (size_t i = 0; i < network->node_count && in_blocks; i++) {
        const struct node *node = &network->nodes[i];
        if (node->op->layout == LAYOUT_PREFER)
            in_blocks = !input_constant(network, node, 1) || fits_blocks(network, node);
        else if (strcmp(node->op->name, "Pad") == 0)
            in_blocks = !pads_channels(network, node);
    }
    return in_blocks ? FORM_BLOCKED : FORM_CHANNELS_LAST;
}

bool network_arrange(struct network *network)
{
    size_t most = network->node_count + network->value_count + network->output_count;
    struct arranging arranging = {
        .network = network,
        .nodes = arena_alloc_zero(&network->arena, most, sizeof(struct node)),
        .form = choose_form(network),
        .moved = arena_alloc_zero(&network->arena, 2 * network->value_count + 1, sizeof(bool)),
        .other = arena_alloc_zero(&network->arena, 2 * network->value_count + 1, sizeof(size_t)),
    };
    if (!arranging.nodes || !arranging.moved || !arranging.other)
        return false;
    for (size_t i = 0; i < 2 * network->value_count + 1; i++)
        arranging.other[i] = NO_VALUE;
    for (size_t i = 0; i < network->node_count; i++)
        arrange_node(&arranging, &network->nodes[i]);
    for (size_t i = 0; i < network->output_count; i++)
        network->outputs[i] = in_form(&arranging, network->outputs[i], false);
    network->nodes = arranging.nodes;
    network->node_count = arranging.node_count;
    return true;
}
