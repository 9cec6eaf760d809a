/* Makes small ONNX models of a text, for the tests of the engine. */
#pragma once

#include "base/search.h"
#include "engine/operator.h"
#include "onnx.pb-c.h"

#include "kit.h"

#define GRAPH_LIST_MAX 16
#define GRAPH_ML       ((char *)"ai.onnx.ml")

enum {
    FLOAT = 1,
    UINT8 = 2,
    INT8 = 3,
    UINT16 = 4,
    INT16 = 5,
    INT32 = 6,
    INT64 = 7,
    STRING = 8,
    BOOL = 9,
    FLOAT16 = 10,
    DOUBLE = 11,
    UINT32 = 12,
    UINT64 = 13,
    BFLOAT16 = 16
};

struct graph {
    struct arena arena;
    Onnx__ModelProto source;
    Onnx__GraphProto graph;
    Onnx__OperatorSetIdProto opset, opset_ml;
    struct model model;
    struct network *network;
    struct execution execution;
    struct tensor given[GRAPH_LIST_MAX], made[GRAPH_LIST_MAX];
    size_t given_count;
    struct graph *next;
};

/* All of them: a test makes graphs and leaves them. */
static struct graph *graphs;

static inline void *graph_alloc(struct graph *g, size_t size)
{
    void *memory = arena_alloc_zero(&g->arena, 1, size);
    assert_non_null(memory);
    return memory;
}

/* Appends to one of protobuf-c's lists of pointers. */
#define graph_append(g, list, count, item)                                                                             \
    do {                                                                                                               \
        if (!(list))                                                                                                   \
            (list) = graph_alloc((g), GRAPH_LIST_MAX * sizeof(void *));                                                \
        assert_true((count) < GRAPH_LIST_MAX);                                                                         \
        (list)[(count)++] = (item);                                                                                    \
    } while (0)

static inline struct graph *graph_new(int64_t opset)
{
    struct graph *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    g->next = graphs;
    graphs = g;
    g->arena = g->model.arena = arena_new((size_t)256 << 20);
    onnx__model_proto__init(&g->source);
    onnx__graph_proto__init(&g->graph);
    onnx__operator_set_id_proto__init(&g->opset);
    g->source.has_ir_version = 1;
    g->source.ir_version = 8;
    g->opset.has_version = 1;
    g->opset.version = opset;
    g->opset_ml = g->opset;
    g->opset_ml.version = OPSET_ML_MAX;
    g->opset_ml.domain = GRAPH_ML;
    graph_append(g, g->source.opset_import, g->source.n_opset_import, &g->opset);
    graph_append(g, g->source.opset_import, g->source.n_opset_import, &g->opset_ml);
    g->source.graph = &g->graph;
    return g;
}

static inline char *graph_text(struct graph *g, const char *text)
{
    return memcpy(graph_alloc(g, strlen(text) + 1), text, strlen(text));
}

/* SHAPE(1, 16) is a shape and its rank; SCALAR is the shape of rank 0. */
#define SHAPE(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)
#define SCALAR     NULL, 0

static inline Onnx__AttributeProto *graph_attribute(struct graph *g, Onnx__NodeProto *node, const char *name)
{
    Onnx__AttributeProto *attribute = graph_alloc(g, sizeof(*attribute));
    onnx__attribute_proto__init(attribute);
    attribute->name = graph_text(g, name);
    graph_append(g, node->attribute, node->n_attribute, attribute);
    return attribute;
}

/* Adds an attribute to a node: "axis=1" is an integer, "alpha=0.5" a float, which has a point, "mode=edge" a text;
 * "pads=[0,1]" is a list. */
static inline void graph_add_attribute(struct graph *g, Onnx__NodeProto *node, const char *text)
{
    char *value = graph_text(g, text), *save;
    Onnx__AttributeProto *attribute = graph_attribute(g, node, strsep(&value, "="));
    const bool is_list = *value == '[', is_number = strchr("-0123456789", value[is_list]),
               is_real = is_number && strchr(value, '.');
    attribute->has_i = is_number && !is_real && !is_list;
    attribute->has_f = is_real && !is_list;
    attribute->has_s = !is_number && !is_list;
    attribute->ints = graph_alloc(g, strlen(value) * sizeof(*attribute->ints));
    attribute->floats = graph_alloc(g, strlen(value) * sizeof(*attribute->floats));
    attribute->strings = graph_alloc(g, strlen(value) * sizeof(*attribute->strings));
    for (char *word = strtok_r(value, "[,]", &save); word; word = strtok_r(NULL, "[,]", &save)) {
        attribute->i = attribute->ints[attribute->n_ints] = strtoll(word, NULL, 10);
        attribute->f = attribute->floats[attribute->n_floats] = strtof(word, NULL);
        attribute->s = attribute->strings[attribute->n_strings] = (ProtobufCBinaryData){strlen(word), (uint8_t *)word};
        *(!is_number ? &attribute->n_strings : is_real ? &attribute->n_floats : &attribute->n_ints) += is_list;
    }
}

/* Adds a node: the text is its operator, "ml." before it for the domain ai.onnx.ml, its attributes and its inputs. */
static inline void graph_node(struct graph *g, char *outputs, char *text)
{
    Onnx__NodeProto *node = graph_alloc(g, sizeof(*node));
    char *save;
    onnx__node_proto__init(node);
    node->op_type = strtok_r(text, " ", &save);
    if (strncmp(node->op_type, "ml.", 3) == 0) {
        node->op_type += 3;
        node->domain = GRAPH_ML;
    }
    for (char *word; (word = strtok_r(NULL, " ", &save));)
        if (strchr(word, '='))
            graph_add_attribute(g, node, word);
        else
            graph_append(g, node->input, node->n_input, word + strspn(word, "-"));
    for (char *name = strtok_r(outputs, " ", &save); name; name = strtok_r(NULL, " ", &save))
        graph_append(g, node->output, node->n_output, name + strspn(name, "-"));
    graph_append(g, g->graph.node, g->graph.n_node, node);
}

static inline Onnx__NodeProto *graph_last(struct graph *g)
{
    return g->graph.node[g->graph.n_node - 1];
}

/* REALS(1, 2) is a list of floats and its length. */
#define REALS(...) (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float)

/* Fills with numbers that a float holds exactly: a pattern of eleven, from -5/8 to 5/8. */
static inline const float *graph_pattern(struct graph *g, size_t count, size_t seed)
{
    float *values = graph_alloc(g, (count + 1) * sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = ((float)((i * 7 + seed) % 11) - 5) / 8;
    return values;
}

/* Adds an initializer with raw data. */
static inline Onnx__TensorProto *graph_constant(struct graph *g, const char *name, int type, const int64_t *shape,
                                                size_t rank, const void *data, size_t size)
{
    Onnx__TensorProto *tensor = graph_alloc(g, sizeof(*tensor));
    onnx__tensor_proto__init(tensor);
    tensor->name = graph_text(g, name);
    tensor->has_data_type = 1;
    tensor->data_type = type;
    tensor->dims = graph_alloc(g, (rank + 1) * sizeof(*shape));
    if (rank)
        memcpy(tensor->dims, shape, rank * sizeof(*shape));
    tensor->n_dims = rank;
    tensor->has_raw_data = 1;
    tensor->raw_data.data = graph_alloc(g, size + 1);
    memcpy(tensor->raw_data.data, data, size);
    tensor->raw_data.len = size;
    graph_append(g, g->graph.initializer, g->graph.n_initializer, tensor);
    return tensor;
}

/* A name, a type and a shape: "X FLOAT[-1,2]". Without a bracket, the shape is not said. */
struct graph_typed {
    const char *name;
    int type;
    int64_t shape[GRAPH_LIST_MAX];
    size_t rank;
    bool has_shape;
};

static inline struct graph_typed graph_typed(char *text)
{
    static const char *const types[] = {
        [FLOAT] = "FLOAT",   [UINT8] = "UINT8",   [INT8] = "INT8",     [UINT16] = "UINT16",    [INT16] = "INT16",
        [INT32] = "INT32",   [INT64] = "INT64",   [STRING] = "STRING", [BOOL] = "BOOL",        [FLOAT16] = "FLOAT16",
        [DOUBLE] = "DOUBLE", [UINT32] = "UINT32", [UINT64] = "UINT64", [BFLOAT16] = "BFLOAT16"};
    struct graph_typed typed = {.name = strsep(&text, " ")};
    const char *type = strsep(&text, "[");
    while (!types[typed.type] || strcmp(types[typed.type], type) != 0)
        assert_true(++typed.type < (int)COUNT_OF(types));
    typed.has_shape = text;
    for (char *save, *word = text ? strtok_r(text, ",]", &save) : NULL; word; word = strtok_r(NULL, ",]", &save))
        typed.shape[typed.rank++] = strtoll(word, NULL, 10);
    return typed;
}

static inline Onnx__ValueInfoProto *graph_value(struct graph *g, char *text)
{
    const struct graph_typed typed = graph_typed(text);
    Onnx__ValueInfoProto *value = graph_alloc(g, sizeof(*value));
    Onnx__TypeProto__Tensor *tensor = graph_alloc(g, sizeof(*tensor));
    onnx__value_info_proto__init(value);
    value->type = graph_alloc(g, sizeof(*value->type));
    onnx__type_proto__init(value->type);
    onnx__type_proto__tensor__init(tensor);
    value->name = graph_text(g, typed.name);
    value->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    value->type->tensor_type = tensor;
    tensor->has_elem_type = 1;
    tensor->elem_type = typed.type;
    if (!typed.has_shape)
        return value;
    tensor->shape = graph_alloc(g, sizeof(*tensor->shape));
    onnx__tensor_shape_proto__init(tensor->shape);
    for (size_t i = 0; i < typed.rank; i++) {
        Onnx__TensorShapeProto__Dimension *dimension = graph_alloc(g, sizeof(*dimension));
        onnx__tensor_shape_proto__dimension__init(dimension);
        dimension->value_case = typed.shape[i] < 0 ? ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
                                                   : ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        if (typed.shape[i] < 0)
            dimension->dim_param = graph_text(g, "n");
        else
            dimension->dim_value = typed.shape[i];
        graph_append(g, tensor->shape->dim, tensor->shape->n_dim, dimension);
    }
    return value;
}

/* Makes the data of a tensor of numbers with blanks between them. */
static inline char *graph_data(struct graph *g, int type, char *numbers, size_t *size)
{
    const size_t each = datatype_size(datatype_of_onnx(type)); /* 0: they are texts */
    char *bytes = graph_alloc(g, (strlen(numbers) + 1) * 8), *end = bytes, *save;
    for (char *word = strtok_r(numbers, " ", &save); word; word = strtok_r(NULL, " ", &save), end += each) {
        const uint64_t whole = *word == '-' ? (uint64_t)strtoll(word, NULL, 0) : strtoull(word, NULL, 0);
        const float single = strtof(word, NULL);
        const double real = strtod(word, NULL);
        const uint32_t length = (uint32_t)strlen(word);
        memcpy(end, type == FLOAT ? (const void *)&single : type == DOUBLE ? (const void *)&real : &whole, each);
        if (!each)
            end = mempcpy(mempcpy(end, &length, sizeof(length)), word, length);
    }
    *size = (size_t)(end - bytes);
    return bytes;
}

/* Adds a constant with these numbers, or with a pattern. */
static inline void graph_numbers(struct graph *g, char *text, char *numbers)
{
    const struct graph_typed typed = graph_typed(text);
    size_t size;
    const char *data = graph_data(g, typed.type, numbers, &size);
    graph_constant(g, typed.name, typed.type, typed.shape, typed.rank, data, size);
}

static inline void graph_patterned(struct graph *g, char *text, size_t seed)
{
    const struct graph_typed typed = graph_typed(text);
    size_t count;
    assert_true(shape_count(typed.shape, typed.rank, &count));
    graph_constant(g, typed.name, FLOAT, typed.shape, typed.rank, graph_pattern(g, count, seed), count * sizeof(float));
}

static inline void graph_statement(struct graph *g, char *text)
{
    char *is = strstr(text, " = "), *like = strstr(text, " ~ ");
    if (is || like)
        *(is ? is : like) = '\0';
    if (strncmp(text, "-> ", 3) == 0)
        graph_append(g, g->graph.output, g->graph.n_output, graph_value(g, text + 3));
    else if (!is && !like)
        graph_append(g, g->graph.input, g->graph.n_input, graph_value(g, text));
    else if (like)
        graph_patterned(g, text, strtoul(like + 3, NULL, 10));
    else if (strchr(text, '['))
        graph_numbers(g, text, is + 3);
    else
        graph_node(g, text, is + 3);
}

/* Adds what a text says, with semicolons between:
 *
 *     X FLOAT[-1,2]                  an input; -1 is any size
 *     W FLOAT[2,2] = 1 0.5 -1 2      a constant with these numbers
 *     W FLOAT[64,64,3,3] ~ 1         a constant that is a pattern by this seed
 *     C D = Split axis=1 X           a node; "-" is an input that is not given, or an output that is not wanted
 *     -> C FLOAT[-1,2]               an output */
__attribute__((format(printf, 2, 3))) static inline void graph_add(struct graph *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = graph_text(g, arena_vprintf(&g->arena, format, arguments).data), *save;
    va_end(arguments);
    for (char *one = strtok_r(text, ";", &save); one; one = strtok_r(NULL, ";", &save))
        graph_statement(g, one + strspn(one, " "));
}

#define graph_of(opset, ...)                                                                                           \
    ({                                                                                                                 \
        struct graph *g_ = graph_new(opset);                                                                           \
        graph_add(g_, __VA_ARGS__);                                                                                    \
        g_;                                                                                                            \
    })

static inline struct status graph_load(struct graph *g)
{
    size_t size = onnx__model_proto__get_packed_size(&g->source);
    uint8_t *bytes = malloc(size + 1);
    assert_non_null(bytes);
    onnx__model_proto__pack(&g->source, bytes);
    struct status status = network_load((struct str){(const char *)bytes, size}, &g->model, &g->network);
    free(bytes); /* the network must not need the bytes after loading */
    return status;
}

/* Gives the next input. The graph is loaded first, if it is not yet. */
static inline void graph_give(struct graph *g, const int64_t *shape, size_t rank, const void *data, size_t count)
{
    struct tensor *tensor = &g->given[g->given_count];
    if (!g->network)
        assert_ok(graph_load(g));
    enum datatype datatype = g->model.inputs[g->given_count++].datatype;
    *tensor = (struct tensor){.datatype = datatype,
                              .shape = shape,
                              .rank = rank,
                              .count = count,
                              .data = kit_data(data),
                              .size = count * datatype_size(datatype)};
}

#define graph_give_floats(g, shape, ...)                                                                               \
    graph_give((g), shape, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float))

static inline bool graph_not_emitted(struct execution *)
{
    fail_msg("the engine does not call emit");
    return false;
}

static inline void graph_not_done(struct execution *, struct status)
{
    fail_msg("the engine does not call done");
}

static inline struct status graph_run_as(struct graph *g, bool in_team)
{
    assert_int_equal(g->given_count, g->model.input_count);
    struct model_output outputs[GRAPH_LIST_MAX];
    for (size_t i = 0; i < g->model.output_count; i++)
        outputs[i].tensor = (struct tensor){.name = g->model.outputs[i].name, .datatype = g->model.outputs[i].datatype};
    g->execution = (struct execution){
        .arena = &g->arena, .inputs = g->given, .outputs = outputs, .emit = graph_not_emitted, .done = graph_not_done};
    g->given_count = 0;
    struct status status = network_run(g->network, &g->execution, in_team);
    for (size_t i = 0; i < g->model.output_count; i++)
        g->made[i] = outputs[i].tensor;
    return status;
}

static inline struct status graph_run(struct graph *g)
{
    return graph_run_as(g, true);
}

/* Frees all graphs, when all tests have run. */
static inline int graphs_free(void **state)
{
    for (struct graph *g = graphs, *next; g; g = next) {
        next = g->next;
        network_free(g->network);
        arena_free(&g->model.arena);
        arena_free(&g->arena);
        free(g);
    }
    return drop_arena(state);
}

const struct unit_group unit_group = {make_arena, graphs_free};

static inline void assert_made(const struct tensor *tensor, enum datatype datatype, const int64_t *shape, size_t rank,
                               const void *data, size_t size)
{
    assert_string_equal(datatype_name(tensor->datatype), datatype_name(datatype));
    assert_int_equal(tensor->rank, rank);
    for (size_t i = 0; i < rank; i++)
        assert_int_equal(tensor->shape[i], shape[i]);
    assert_int_equal(tensor->size, size);
    if (size)
        assert_memory_equal(tensor->data, data, size);
}

/* Compares the first output exactly. */
#define assert_floats(g, shape, ...)                                                                                   \
    assert_made(&(g)->made[0], DATATYPE_FP32, shape, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}))

/* Compares an output with numbers of another runtime. */
static inline void assert_near(const struct tensor *made, const float *wanted, size_t count)
{
    assert_int_equal(made->count, count);
    for (size_t i = 0; i < count; i++)
        assert_float_equal(((const float *)made->data)[i], wanted[i], 2e-6F);
}

#define assert_gives(g, output, ...) assert_near(&(g)->made[output], REALS(__VA_ARGS__))

/* --- Cases --- */

/* A graph, its inputs and its outputs: "INT64[2] 1 2; FLOAT[] 0.5". Instead of outputs, "refused: WORDS" stand for
 * INVALID_ARGUMENT at loading or at the run, "unsupported: WORDS" for UNIMPLEMENTED. */
struct graph_case {
    const char *graph, *given, *made;
};

static inline struct tensor graph_tensor(struct graph *g, const char *text)
{
    char *typed_text = graph_text(g, arena_printf(&g->arena, "- %s", text + strspn(text, " ")).data);
    char *end = strchr(typed_text, ']');
    assert_non_null(end);
    char *numbers = graph_text(g, end + 1);
    *end = '\0';
    const struct graph_typed typed = graph_typed(typed_text);
    struct tensor tensor = {.datatype = datatype_of_onnx(typed.type), .rank = typed.rank};
    tensor.data = graph_data(g, typed.type, numbers, &tensor.size);
    assert_true(shape_count(typed.shape, typed.rank, &tensor.count));
    tensor.shape = memcpy(graph_alloc(g, sizeof(typed.shape)), typed.shape, sizeof(typed.shape));
    return tensor;
}

/* Whether the elements are the same; floats of another runtime may be near, if they are not 0. */
static inline bool graph_agrees(const struct tensor *made, const struct tensor *wanted)
{
    const float *x = made->data, *y = wanted->data;
    if (made->datatype != wanted->datatype || made->rank != wanted->rank || made->size != wanted->size ||
        memcmp(made->shape, wanted->shape, made->rank * sizeof(*made->shape)) != 0)
        return false;
    if (made->size == 0 || memcmp(made->data, wanted->data, made->size) == 0)
        return true;
    return made->datatype == DATATYPE_FP32 &&
           ALL(i, made->count,
               memcmp((const char *)x + i * sizeof(*x), (const char *)y + i * sizeof(*y), sizeof(*x)) == 0 ||
                   (y[i] != 0 && x[i] - y[i] < 4e-6F && y[i] - x[i] < 4e-6F));
}

static inline void graph_case(int64_t opset, const struct graph_case *row)
{
    struct graph *g = graph_of(opset, "%s", row->graph);
    char *save, *given = graph_text(g, row->given ? row->given : ""), *made = graph_text(g, row->made);
    struct status status = graph_load(g);
    for (char *one = strtok_r(given, ";", &save); is_ok(status) && one; one = strtok_r(NULL, ";", &save))
        g->given[g->given_count++] = graph_tensor(g, one);
    if (is_ok(status))
        status = graph_run(g);
    const enum status_code code = strncmp(made, "refused: ", 9) == 0        ? STATUS_INVALID_ARGUMENT
                                  : strncmp(made, "unsupported: ", 13) == 0 ? STATUS_UNIMPLEMENTED
                                                                            : STATUS_OK;
    if (status.code != code || (code && !strstr(status.message.data, strchr(made, ':') + 2)))
        fail_msg("%s: %.*s", row->graph, STR_ARG(status.message));
    size_t count = 0;
    for (char *one = code ? NULL : strtok_r(made, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
        const struct tensor wanted = graph_tensor(g, one);
        if (!graph_agrees(&g->made[count++], &wanted))
            fail_msg("%s gives something else than %s", row->graph, row->made);
    }
    assert_true(code || count == g->model.output_count);
}

#define assert_cases(opset, rows)                                                                                      \
    for (size_t i_ = 0; i_ < COUNT_OF(rows); i_++)                                                                     \
    graph_case((opset), &(rows)[i_])
