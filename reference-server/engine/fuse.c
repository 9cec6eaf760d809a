/* Joins nodes that belong together. A rule names the operator of a node, and a function that joins it with the
 * convolution or product that makes its input, if nobody else wants that input. The product then makes the output of
 * the node that went. Two longer chains are known as well, which exporters write for GELU and for LayerNormalization.
 */
#include "base/search.h"
#include "engine/families.h"
#include "engine/plan.h"

#include <math.h>

static bool is(const struct node *node, const char *op_type)
{
    return node && node->op && strcmp(node->op->name, op_type) == 0;
}

static bool is_product(const struct node *node)
{
    return is(node, "Conv") || is(node, "Gemm") || is(node, "MatMul");
}

/* Says whether the node can do an activation to its results. */
static bool can_follow(const struct node *node)
{
    return is_product(node) || is(node, "BatchNormalization");
}

/* Says whether it is a product of FP32 for which oneDNN is used: not one of matrices without elements. */
static bool multiplies_something(const struct network *network, const struct node *product)
{
    const struct type *type = input_type(network, product, 0);
    size_t size;
    return type->datatype == DATATYPE_FP32 && type_is_known(type, &size) && size > 0;
}

static const struct tensor *constant(const struct network *network, size_t value)
{
    return value == NO_VALUE ? NULL : network->values[value].constant;
}

/* Says whether the value is one FP32 number near this one. */
static bool is_number(const struct network *network, size_t value, double number)
{
    const struct tensor *tensor = constant(network, value);
    return tensor && tensor->datatype == DATATYPE_FP32 && tensor->count == 1 &&
           fabs((double)*(const float *)tensor->data - number) <= 1e-6 * number;
}

static void remove_node(struct node *node)
{
    node_unload(node);
    node->op = NULL;
}

/* The node that makes the value, if the value goes to one place only; or NULL. */
static struct node *only_maker(const struct use *uses, size_t value)
{
    return value != NO_VALUE && uses[value].count == 1 ? uses[value].maker : NULL;
}

/* The value whose memory another shares: joining has made chains of them. */
static size_t root_of(const struct use *uses, size_t value)
{
    while (uses[value].root != value)
        value = uses[value].root;
    return value;
}

/* Makes the output of a node that goes the output of the product. */
static void take_output(const struct network *network, struct use *uses, struct node *product, const struct node *node)
{
    size_t output = node->outputs[0], at = (size_t)(product - network->nodes);
    product->outputs = node->outputs;
    uses[output].maker = product;
    if (product->addend == NO_VALUE)
        return;
    size_t root = root_of(uses, product->addend);
    uses[output].root = root;
    uses[root].stays |= uses[output].stays;
    uses[root].last = uses[output].last > at ? uses[output].last : at;
    uses[root].previous = uses[output].previous > at ? uses[output].previous : at;
}

/* --- What follows a product --- */

static bool join_relu(struct network *, const struct use *, struct node *product, struct node *node)
{
    const float slope = is(node, "Relu") ? 0 : node_float(node, "alpha", 0.01F);
    if (slope != 0 && !is_product(product))
        return false;
    product->after = (struct after){.kind = ACTIVATION_RELU, .alpha = slope};
    return true;
}

static bool join_clip(struct network *network, const struct use *, struct node *product, struct node *node)
{
    float bounds[2] = {node_float(node, "min", -INFINITY), node_float(node, "max", INFINITY)};
    for (size_t i = 1; i < node->input_count; i++) {
        if (node->inputs[i] == NO_VALUE)
            continue;
        if (!constant(network, node->inputs[i]))
            return false;
        bounds[i - 1] = *(const float *)constant(network, node->inputs[i])->data;
    }
    product->after = (struct after){ACTIVATION_CLIP, bounds[0], bounds[1]};
    return true;
}

/* Gives a node three inputs. Returns false without memory. */
static bool set_inputs(struct network *network, struct node *node, size_t first, size_t second, size_t third)
{
    size_t *inputs = arena_alloc_zero(&network->arena, 3, sizeof(*inputs));
    if (!inputs)
        return false;
    inputs[0] = first;
    inputs[1] = second;
    inputs[2] = third;
    node->inputs = inputs;
    node->input_count = 3;
    return true;
}

/* Gives a product without bias a vector that is added to each row. */
static bool join_bias(struct network *network, struct node *product, size_t other)
{
    const struct tensor *bias = constant(network, other);
    const struct type *type = &network->values[product->outputs[0]].type;
    if (!is(product, "MatMul") || product->input_count != 2 || !bias || bias->datatype != DATATYPE_FP32 ||
        bias->rank != 1 || type->rank == RANK_UNKNOWN || type->rank < 2 ||
        operand_type(network, product, 1)->rank < 2 || type->shape[type->rank - 1] != bias->shape[0])
        return false;
    return set_inputs(network, product, product->inputs[0], product->inputs[1], other);
}

/* Lets a convolution add its result to the output of an earlier node, in place. From the convolution on, no other node
 * may use that output or a value that shares its memory, nor may the convolution read it. */
static bool join_addend(const struct network *network, const struct use *uses, struct node *product, size_t other,
                        size_t at)
{
    size_t root = root_of(uses, other), begin = (size_t)(product - network->nodes);
    const struct node *maker = uses[root].maker;
    if (!is(product, "Conv") || product->addend != NO_VALUE || !maker || maker >= product || uses[root].stays ||
        uses[root].last != at || uses[root].previous >= begin ||
        !types_equal(&network->values[other].type, &network->values[product->outputs[0]].type) ||
        !types_equal(&network->values[root].type, &network->values[other].type))
        return false;
    product->addend = other;
    return true;
}

static bool join_add(struct network *network, const struct use *uses, struct node *product, struct node *node)
{
    size_t other = node->inputs[node->inputs[0] == product->outputs[0]];
    return node->input_count == 2 && (join_bias(network, product, other) ||
                                      join_addend(network, uses, product, other, (size_t)(node - network->nodes)));
}

static const struct rule {
    const char *op_type;
    size_t operands; /* how many of its inputs the product may make */
    bool (*join)(struct network *network, const struct use *uses, struct node *product, struct node *node);
} rules[] = {{"Add", 2, join_add}, {"Relu", 1, join_relu}, {"LeakyRelu", 1, join_relu}, {"Clip", 1, join_clip}};

/* Says whether a chain of nodes ends with the type with which it began, which is known: constants of more dimensions
 * can add some. */
static bool keeps_type(const struct network *network, size_t begin, const struct node *end)
{
    return types_equal(&network->values[begin].type, &network->values[end->outputs[0]].type);
}

/* --- GELU: x (1 + erf(x / sqrt 2)) / 2 --- */

/* The node that alone uses the output of a node, which may be NULL, if it is of this kind. (The last one may also use
 * what shares the memory.) */
static struct node *next(const struct network *network, const struct use *uses, const struct node *maker,
                         const char *op_type)
{
    const size_t value = maker ? maker->outputs[0] : NO_VALUE;
    struct node *node = maker && uses[value].count == 1 ? &network->nodes[uses[value].last] : NULL;
    return is(node, op_type) && ANY(i, node->input_count, node->inputs[i] == value) ? node : NULL;
}

/* Says whether one of the two inputs is this number. */
static bool has_number(const struct network *network, const struct node *node, double number)
{
    return ANY(i, 2, is_number(network, node->inputs[i], number));
}

static bool fuse_gelu(struct network *network, struct use *uses, struct node *erf)
{
    struct node *divide = only_maker(uses, erf->inputs[0]);
    if (!is(divide, "Div") || !is_number(network, divide->inputs[1], M_SQRT2))
        return false;
    size_t x = divide->inputs[0];
    struct node *product = uses[x].maker;
    struct node *add = next(network, uses, erf, "Add"), *multiply = next(network, uses, add, "Mul"),
                *half = next(network, uses, multiply, "Mul");
    if (!half || !is_product(product) || !multiplies_something(network, product) ||
        product->after.kind != ACTIVATION_NONE || uses[x].count != 2 || !keeps_type(network, x, half) ||
        !has_number(network, add, 1) || !(multiply->inputs[0] == x || multiply->inputs[1] == x) ||
        !has_number(network, half, 0.5))
        return false;
    product->after = (struct after){.kind = ACTIVATION_GELU};
    take_output(network, uses, product, half);
    struct node *chain[] = {divide, erf, add, multiply, half};
    for (size_t i = 0; i < COUNT_OF(chain); i++)
        remove_node(chain[i]);
    return true;
}

/* --- LayerNormalization: (x - mean) / sqrt(mean of squares + epsilon) * gain + bias --- */

/* Makes the message of a LayerNormalization over the last axis. */
static const Onnx__NodeProto *layer_source(struct network *network, const struct node *named, float epsilon)
{
    Onnx__NodeProto *source = arena_new_of(&network->arena, Onnx__NodeProto);
    Onnx__AttributeProto *attribute = arena_new_of(&network->arena, Onnx__AttributeProto),
                         **list = arena_new_of(&network->arena, Onnx__AttributeProto *);
    if (!source || !attribute || !list)
        return NULL;
    *source = *named->source;
    onnx__attribute_proto__init(attribute);
    attribute->name = (char *)"epsilon";
    attribute->f = epsilon;
    *list = attribute;
    source->attribute = list;
    source->n_attribute = 1;
    return source;
}

static bool is_mean_of_last(const struct network *network, const struct node *mean)
{
    const Onnx__AttributeProto *axes = is(mean, "ReduceMean") ? node_attribute(mean, "axes") : NULL;
    if (!axes || axes->n_ints != 1 || !node_int(mean, "keepdims", 1))
        return false;
    int64_t axis = axes->ints[0], rank = (int64_t)network->values[mean->inputs[0]].type.rank;
    return axis == -1 || axis == rank - 1;
}

static bool fuse_layer(struct network *network, struct use *uses, struct node *power)
{
    struct node *subtract = uses[power->inputs[0]].maker;
    struct node *mean = is(subtract, "Sub") ? only_maker(uses, subtract->inputs[1]) : NULL;
    struct node *variance = next(network, uses, power, "ReduceMean"), *add = next(network, uses, variance, "Add"),
                *root = next(network, uses, add, "Sqrt"), *divide = next(network, uses, root, "Div"),
                *multiply = next(network, uses, divide, "Mul"), *shift = next(network, uses, multiply, "Add");
    if (!shift || !is_mean_of_last(network, mean) || !is_mean_of_last(network, variance) ||
        mean->inputs[0] != subtract->inputs[0] || divide->inputs[0] != subtract->outputs[0] ||
        uses[subtract->outputs[0]].count != 2 || !is_number(network, power->inputs[1], 2))
        return false;
    const struct tensor *epsilon = constant(network, add->inputs[1]), *gain = constant(network, multiply->inputs[1]),
                        *bias = constant(network, shift->inputs[1]);
    const struct type *type = &network->values[mean->inputs[0]].type;
    if (!epsilon || epsilon->count != 1 || !gain || !bias || type->datatype != DATATYPE_FP32 || gain->rank != 1 ||
        bias->rank != 1 || !keeps_type(network, mean->inputs[0], shift) ||
        gain->shape[0] != type->shape[type->rank - 1] || bias->shape[0] != gain->shape[0])
        return false;
    bool known;
    const Onnx__NodeProto *source = layer_source(network, shift, *(const float *)epsilon->data);
    if (!source || !set_inputs(network, shift, mean->inputs[0], multiply->inputs[1], shift->inputs[1]))
        return false;
    struct node *chain[] = {mean, subtract, power, variance, add, root, divide, multiply};
    for (size_t i = 0; i < COUNT_OF(chain); i++)
        remove_node(chain[i]);
    node_unload(shift);
    shift->op = operator_named("LayerNormalization", OPSET_MAX, &known);
    shift->source = source;
    return true;
}

/* --- Pad by nothing, which copies nothing either --- */

static bool pads_nothing(const struct network *network, const struct node *node)
{
    const struct type *in = input_type(network, node, 0), *out = &network->values[node->outputs[0]].type;
    const struct tensor *pads = node->input_count > 1 ? constant(network, node->inputs[1]) : NULL;
    const int64_t *list = pads ? pads->data : NULL;
    return list && in && ALL(i, pads->count, list[i] == 0) && types_equal(in, out);
}

/* --- The pass --- */

static void fuse_node(struct network *network, struct use *uses, struct node *node)
{
    if (is(node, "Erf"))
        fuse_gelu(network, uses, node);
    else if (is(node, "Pow"))
        fuse_layer(network, uses, node);
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        struct node *latest = NULL;
        for (size_t k = 0; is(node, rules[i].op_type) && k < rules[i].operands; k++) {
            struct node *maker = only_maker(uses, node->inputs[k]);
            if (maker > latest && can_follow(maker))
                latest = maker;
        }
        if (!latest || latest->after.kind != ACTIVATION_NONE || !multiplies_something(network, latest) ||
            !rules[i].join(network, uses, latest, node))
            continue;
        take_output(network, uses, latest, node);
        remove_node(node);
        return;
    }
}

bool network_fuse(struct network *network)
{
    bool known;
    for (size_t i = 0; i < network->node_count; i++)
        if (is(&network->nodes[i], "Pad") && pads_nothing(network, &network->nodes[i])) {
            network->nodes[i].op = operator_named("Identity", OPSET_MAX, &known);
            network->nodes[i].input_count = 1;
        }
    struct use *uses = uses_find(network);
    if (!uses)
        return false;
    for (size_t i = 0; i < network->node_count; i++)
        fuse_node(network, uses, &network->nodes[i]);
    nodes_compact(network);
    return true;
}

/* --- BatchNormalization into the weights of the convolution before it --- */

/* Returns a constant that may be changed: an initializer that only this node reads, or a copy of it. */
static struct tensor *own_constant(struct network *network, size_t value)
{
    const struct tensor *tensor = constant(network, value);
    struct tensor *own = arena_new_of(&network->arena, struct tensor);
    if (!own)
        return NULL;
    *own = *tensor;
    if (!network->values[value].has_one_reader) {
        own->data = arena_alloc(&network->arena, tensor->size);
        if (own->data)
            memcpy(own->data, tensor->data, tensor->size);
    }
    return own->data ? own : NULL;
}

/* The bias takes the value between the two nodes, which nobody needs any more. */
static bool fold_batch(struct network *network, struct node *conv, const struct node *batch)
{
    const struct tensor *parameters[4], *weights = constant(network, conv->inputs[1]),
                                        *bias = conv->input_count > 2 ? constant(network, conv->inputs[2]) : NULL;
    size_t channels = weights ? (size_t)weights->shape[0] : 0, between = conv->outputs[0];
    for (size_t i = 0; i < 4; i++) {
        parameters[i] = constant(network, batch->inputs[i + 1]);
        if (!parameters[i] || parameters[i]->count != channels)
            return false;
    }
    if (!channels || (conv->input_count > 2 && conv->inputs[2] != NO_VALUE && !bias))
        return false;
    struct tensor *scaled = own_constant(network, conv->inputs[1]),
                  *shifted = arena_new_of(&network->arena, struct tensor);
    float *scale = arena_alloc_zero(&network->arena, channels, sizeof(*scale)),
          *shift = arena_alloc_zero(&network->arena, channels, sizeof(*shift));
    if (!scaled || !shifted || !scale || !shift ||
        !set_inputs(network, conv, conv->inputs[0], conv->inputs[1], between))
        return false;
    batch_fold(parameters[0]->data, parameters[1]->data, parameters[2]->data, parameters[3]->data,
               node_float(batch, "epsilon", 1e-5F), channels, scale, shift);
    size_t each = weights->count / channels;
    for (size_t c = 0; c < channels; c++) {
        for (size_t i = 0; i < each; i++)
            ((float *)scaled->data)[c * each + i] *= scale[c];
        shift[c] += bias ? scale[c] * ((const float *)bias->data)[c] : 0;
    }
    *shifted = (struct tensor){.datatype = DATATYPE_FP32,
                               .shape = parameters[0]->shape,
                               .rank = 1,
                               .count = channels,
                               .data = shift,
                               .size = channels * sizeof(*shift)};
    network->values[conv->inputs[1]].constant = scaled;
    network->values[between].constant = shifted;
    network->values[between].type = (struct type){DATATYPE_FP32, 1, shifted->shape};
    conv->outputs = batch->outputs;
    return true;
}

void network_fuse_weights(struct network *network)
{
    struct use *uses = uses_find(network);
    if (!uses)
        return;
    for (size_t i = 0; i < network->value_count; i++)
        network->values[i].has_one_reader =
            network->values[i].constant && uses[i].count == 1 && !network->values[i].is_shared;
    for (size_t i = 0; i < network->node_count; i++) {
        struct node *batch = &network->nodes[i];
        struct node *conv = is(batch, "BatchNormalization") ? only_maker(uses, batch->inputs[0]) : NULL;
        if (!is(conv, "Conv") || uses[conv->inputs[1]].count != 1 || !fold_batch(network, conv, batch))
            continue;
        uses[batch->outputs[0]].maker = conv;
        remove_node(batch);
    }
    nodes_compact(network);
}
