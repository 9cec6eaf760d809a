/* A network is loaded in one pass over the graph, because ONNX demands that a node follows the nodes whose
 * outputs it uses. Each name becomes a position in one list of values. What is constant is computed at once. The
 * message stays in the arena of the network; initializers are used where they lie in it. Runs are in plan.c. */
#include "engine/network.h"

#include "engine/call.h"
#include "engine/plan.h"
#include "engine/primitive.h"
#include "engine/unpack.h"
#include <stdlib.h>

#define ML_DOMAIN "ai.onnx.ml"

/* --- The message --- */

static bool is_onnx_domain(const char *domain)
{
    return !domain || !domain[0] || strcmp(domain, "ai.onnx") == 0;
}

static struct status check_opset(const Onnx__ModelProto *source, struct network *network, struct arena *arena)
{
    network->opset = network->opset_ml = 0;
    for (size_t i = 0; i < source->n_opset_import; i++)
        if (is_onnx_domain(source->opset_import[i]->domain))
            network->opset = source->opset_import[i]->version;
        else if (strcmp(source->opset_import[i]->domain, ML_DOMAIN) == 0)
            network->opset_ml = source->opset_import[i]->version;
    if (network->opset < 1)
        return status_invalid(arena, "it imports no version of ONNX's operators");
    if (network->opset > OPSET_MAX)
        return status_unsupported(arena, "it needs opset %lld, but this server knows 1 to %d",
                                  (long long)network->opset, OPSET_MAX);
    if (network->opset_ml > OPSET_ML_MAX)
        return status_unsupported(arena, "it needs version %lld of " ML_DOMAIN ", but this server knows 1 to %d",
                                  (long long)network->opset_ml, OPSET_ML_MAX);
    if (source->graph && source->graph->n_sparse_initializer)
        return status_unsupported(arena, "it has a sparse initializer, which is not supported");
    return STATUS_IS_OK;
}

/* --- Names to values --- */

struct builder {
    struct network *network;
    const Onnx__GraphProto *graph;
    struct arena *arena; /* for messages and temporary memory */
    size_t *slots;       /* a hash table with open addressing: the position of a value + 1, or 0 if empty */
    size_t mask;
};

static size_t *slot_of(const struct builder *builder, struct str name)
{
    size_t slot = str_hash(name) & builder->mask;
    while (builder->slots[slot] && !str_equal(builder->network->values[builder->slots[slot] - 1].name, name))
        slot = (slot + 1) & builder->mask;
    return &builder->slots[slot];
}

static size_t find_value(const struct builder *builder, struct str name)
{
    return *slot_of(builder, name) - 1; /* 0 - 1 is NO_VALUE */
}

/* Makes room for all names that the graph defines. */
static bool make_room(struct builder *builder)
{
    const Onnx__GraphProto *graph = builder->graph;
    size_t most = graph->n_initializer + graph->n_input, slots = 16;
    for (size_t i = 0; i < graph->n_node; i++)
        most += graph->node[i]->n_output;
    while (slots < most * 2)
        slots *= 2;
    builder->mask = slots - 1;
    builder->slots = arena_alloc_zero(builder->arena, slots, sizeof(size_t));
    builder->network->values = arena_alloc_zero(&builder->network->arena, most, sizeof(struct value));
    builder->network->scratch = arena_alloc_zero(&builder->network->arena, most, sizeof(struct tensor));
    return builder->slots && builder->network->values && builder->network->scratch;
}

static struct status define(struct builder *builder, struct str name, size_t *position)
{
    size_t *slot = slot_of(builder, name);
    if (name.size == 0)
        return status_invalid(builder->arena, "the graph has a value without a name");
    if (*slot)
        return status_invalid(builder->arena, "the graph defines '%s' twice", str_printable(builder->arena, name));
    *position = builder->network->value_count++;
    *slot = *position + 1;
    builder->network->values[*position] = (struct value){.name = name, .type = {.rank = RANK_UNKNOWN}};
    return STATUS_IS_OK;
}

/* --- Parts of the graph --- */

static struct status add_initializers(struct builder *builder)
{
    struct arena *arena = &builder->network->arena;
    size_t count = builder->graph->n_initializer;
    struct tensor *constants = arena_alloc_zero(arena, count, sizeof(*constants));
    NEED(constants);
    builder->network->constant_count = count;
    for (size_t i = 0; i < count; i++) {
        struct tensor *tensor = &constants[i];
        size_t position = 0;
        TRY(weights_read(builder->graph->initializer[i], arena, tensor));
        TRY(define(builder, tensor->name, &position));
        struct value *value = &builder->network->values[position];
        value->constant = tensor;
        value->type = (struct type){tensor->datatype, tensor->rank, tensor->shape};
    }
    return STATUS_IS_OK;
}

/* Reads the type of an input or output of the graph. */
static struct status read_type(struct builder *builder, const Onnx__ValueInfoProto *source, const char *kind,
                               struct type *type)
{
    const char *name = str_printable(builder->arena, str_of(source->name));
    if (!source->type || source->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return status_unsupported(builder->arena, "%s '%s' is not a tensor", kind, name);
    const Onnx__TypeProto__Tensor *tensor = source->type->tensor_type;
    *type = (struct type){.datatype = datatype_of_onnx(tensor->elem_type), .rank = RANK_UNKNOWN};
    if (type->datatype == DATATYPE_NONE)
        return status_unsupported(builder->arena, "%s '%s' is of type %d, which is not supported", kind, name,
                                  tensor->elem_type);
    if (!tensor->shape)
        return STATUS_IS_OK;
    if (tensor->shape->n_dim > TENSOR_RANK_MAX)
        return status_unsupported(builder->arena, "%s '%s' has more than %d dimensions", kind, name, TENSOR_RANK_MAX);
    int64_t *shape = arena_alloc_zero(&builder->network->arena, tensor->shape->n_dim, sizeof(*shape));
    NEED(shape);
    for (size_t i = 0; i < tensor->shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *dimension = tensor->shape->dim[i];
        bool is_fixed = dimension->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        shape[i] = is_fixed && dimension->dim_value >= 0 ? dimension->dim_value : -1;
    }
    type->rank = tensor->shape->n_dim;
    type->shape = shape;
    return STATUS_IS_OK;
}

/* Describes an input or output of the model. */
static struct tensor_spec spec_of(const Onnx__ValueInfoProto *source, const struct type *type)
{
    return (struct tensor_spec){.name = str_of(source->name),
                                .description = str_of(source->doc_string),
                                .datatype = type->datatype,
                                .shape = type->shape,
                                .rank = type->rank};
}

/* Adds the inputs of the model: the inputs of the graph that are not initializers. */
static struct status add_inputs(struct builder *builder, struct model *model)
{
    struct network *network = builder->network;
    size_t most = builder->graph->n_input;
    model->inputs = arena_alloc_zero(&network->arena, most, sizeof(*model->inputs));
    NEED(model->inputs);
    for (size_t i = 0; i < most; i++) {
        const Onnx__ValueInfoProto *source = builder->graph->input[i];
        size_t given = find_value(builder, str_of(source->name)), position = 0;
        if (given != NO_VALUE && network->values[given].constant)
            continue;
        struct type type = {0};
        TRY(read_type(builder, source, "input", &type));
        if (type.rank == RANK_UNKNOWN)
            return status_unsupported(builder->arena, "input '%s' has no shape",
                                      str_printable(builder->arena, str_of(source->name)));
        TRY(define(builder, str_of(source->name), &position));
        network->values[position].type = type;
        model->inputs[model->input_count++] = spec_of(source, &type);
    }
    network->input_count = model->input_count;
    return STATUS_IS_OK;
}

static struct status check_count(const struct node *node, struct arena *arena, enum status_code code, const char *what,
                                 size_t count, size_t least, size_t most)
{
    if (count >= least && count <= most)
        return STATUS_IS_OK;
    struct str range =
        least == most ? arena_printf(arena, "%zu", least) : arena_printf(arena, "%zu to %zu", least, most);
    return node_error(node, arena, code, "it has %zu %s%s, not %.*s", count, what, count == 1 ? "" : "s",
                      STR_ARG(range));
}

/* Finds the operator of a node. In another domain than ONNX's, its name begins with the domain. */
static struct status choose_operator(struct builder *builder, struct node *node)
{
    const Onnx__NodeProto *source = node->source;
    const bool is_plain = is_onnx_domain(source->domain);
    const int64_t opset = is_plain ? builder->network->opset : builder->network->opset_ml;
    const struct str name = arena_printf(builder->arena, "%s%s%s", is_plain ? "" : source->domain, is_plain ? "" : ".",
                                         source->op_type ? source->op_type : "");
    bool known = false;
    NEED(name.data);
    node->op = operator_named(name.data, opset, &known);
    const char *shown = str_printable(builder->arena, name);
    if (!node->op)
        return known ? node_unsupported(node, builder->arena, "operator '%s' is not supported at opset %lld", shown,
                                        (long long)opset)
                     : node_unsupported(node, builder->arena, "operator '%s' is not supported", shown);
    const struct onnx_operator *op = node->op;
    TRY(check_count(node, builder->arena, STATUS_INVALID_ARGUMENT, "input", source->n_input, op->inputs_min,
                    op->inputs_max));
    TRY(check_count(node, builder->arena, STATUS_UNIMPLEMENTED, "output", source->n_output, 1, op->outputs_max));
    return node_check_attributes(node, builder->arena);
}

static struct status connect(struct builder *builder, struct node *node)
{
    const Onnx__NodeProto *source = node->source;
    struct arena *arena = &builder->network->arena;
    size_t *inputs = arena_alloc_zero(arena, source->n_input, sizeof(*inputs));
    size_t *outputs = arena_alloc_zero(arena, source->n_output, sizeof(*outputs));
    NEED(inputs && outputs);
    for (size_t i = 0; i < source->n_input; i++) {
        struct str name = str_of(source->input[i]);
        inputs[i] = name.size ? find_value(builder, name) : NO_VALUE;
        if (inputs[i] == NO_VALUE && (name.size || i < node->op->inputs_min || node->op->inputs_max == VARIADIC))
            return node_refuse(node, builder->arena, "its input '%s' is made by nothing before it",
                               str_printable(builder->arena, name));
    }
    node->inputs = inputs;
    node->input_count = source->n_input;
    for (size_t i = 0; i < source->n_output; i++) {
        struct str name = str_of(source->output[i]);
        if (name.size == 0 && node->op->outputs_max > 1) { /* nobody wants it */
            outputs[i] = builder->network->value_count++;
            continue;
        }
        TRY(define(builder, name, &outputs[i]));
    }
    node->outputs = outputs;
    node->output_count = source->n_output;
    return STATUS_IS_OK;
}

static struct status add_nodes(struct builder *builder, struct model *model)
{
    struct network *network = builder->network;
    network->nodes = arena_alloc_zero(&network->arena, builder->graph->n_node, sizeof(*network->nodes));
    NEED(network->nodes);
    for (size_t i = 0; i < builder->graph->n_node; i++) {
        struct node *node = &network->nodes[network->node_count];
        *node = (struct node){.source = builder->graph->node[i], .addend = NO_VALUE};
        TRY(choose_operator(builder, node));
        TRY(connect(builder, node));
        network->node_count++; /* from here on, the node is unloaded with the network */
        TRY(node_load(network, node));
        model->on_compute_thread |= node->op->is_heavy;
        if (node_fold(network, node)) {
            node_unload(node);
            network->node_count--;
        }
    }
    return STATUS_IS_OK;
}

static bool types_agree(const struct type *declared, const struct type *inferred)
{
    return declared->datatype == inferred->datatype &&
           (declared->rank == RANK_UNKNOWN || inferred->rank == RANK_UNKNOWN ||
            (declared->rank == inferred->rank && dimensions_fit(declared->shape, inferred->shape, declared->rank)));
}

static const char *type_text(struct arena *arena, const struct type *type)
{
    struct str text =
        arena_printf(arena, "%s %s", datatype_name(type->datatype),
                     type->rank == RANK_UNKNOWN ? "of unknown shape" : shape_text(arena, type->shape, type->rank));
    return text.data ? text.data : "";
}

static struct status add_outputs(struct builder *builder, struct model *model)
{
    struct network *network = builder->network;
    size_t count = builder->graph->n_output;
    model->outputs = arena_alloc_zero(&network->arena, count, sizeof(*model->outputs));
    network->outputs = arena_alloc_zero(&network->arena, count, sizeof(*network->outputs));
    NEED(model->outputs && network->outputs);
    if (count == 0)
        return status_invalid(builder->arena, "the graph has no output");
    for (size_t i = 0; i < count; i++) {
        const Onnx__ValueInfoProto *source = builder->graph->output[i];
        const char *name = str_printable(builder->arena, str_of(source->name));
        size_t position = find_value(builder, str_of(source->name));
        if (position == NO_VALUE)
            return status_invalid(builder->arena, "output '%s' is made by no node", name);
        if (network->values[position].is_output)
            return status_invalid(builder->arena, "output '%s' is listed twice", name);
        network->values[position].is_output = true;
        const struct type *inferred = &network->values[position].type;
        struct type type = {0};
        TRY(read_type(builder, source, "output", &type));
        if (!types_agree(&type, inferred))
            return status_invalid(builder->arena, "output '%s' is declared as %s, but the graph makes %s", name,
                                  type_text(builder->arena, &type), type_text(builder->arena, inferred));
        if (type.rank == RANK_UNKNOWN)
            type = *inferred;
        if (type.rank == RANK_UNKNOWN)
            return status_unsupported(builder->arena, "output '%s' has no shape", name);
        network->outputs[i] = position;
        model->outputs[i] = spec_of(source, &type);
    }
    model->output_count = network->output_count = count;
    return STATUS_IS_OK;
}

static struct status build(struct str onnx, struct model *model, struct network *network, struct arena *scratch)
{
    Onnx__ModelProto *source = NULL;
    TRY(unpack_model(onnx, &network->arena, scratch, &source));
    TRY(check_opset(source, network, scratch));
    if (!source->graph)
        return status_invalid(scratch, "it has no graph");
    struct builder builder = {.network = network, .graph = source->graph, .arena = scratch};
    struct str described = str_of(source->doc_string);
    model->description = described.size ? described : str_of(source->graph->doc_string);
    NEED(make_room(&builder));
    TRY(add_initializers(&builder));
    TRY(add_inputs(&builder, model));
    TRY(add_nodes(&builder, model));
    TRY(add_outputs(&builder, model));
    network_fuse_weights(network);
    return STATUS_IS_OK;
}

struct status network_load(struct str onnx, struct model *model, struct network **network)
{
    struct arena scratch = arena_new(ARENA_NO_BUDGET);
    struct network *loaded = calloc(1, sizeof(*loaded));
    if (loaded)
        pthread_mutex_init(&loaded->mutex, NULL);
    if (loaded)
        loaded->packs = packs_new();
    struct status status = loaded && loaded->packs ? build(onnx, model, loaded, &scratch) : status_no_memory();
    if (!is_ok(status)) {
        status.message = arena_copy(&model->arena, status.message);
        model->description = STR("");
        model->inputs = model->outputs = NULL;
        model->input_count = model->output_count = 0;
        model->on_compute_thread = false;
        network_free(loaded);
        loaded = NULL;
    }
    arena_free(&scratch);
    *network = loaded;
    return status;
}

struct status network_run(struct network *network, struct execution *execution, bool in_team)
{
    return plan_run(network, execution, in_team);
}

void network_free(struct network *network)
{
    if (!network)
        return;
    plans_free(network);
    for (size_t i = 0; i < network->node_count; i++)
        node_unload(&network->nodes[i]);
    packs_free(network->packs);
    pthread_mutex_destroy(&network->mutex);
    arena_free(&network->arena);
    free(network);
}
