/* Operators of ONNX: what a node of a network is made of. Each operator family has a file with its functions;
 * operators.c is the table of all. */
#ifndef ENGINE_OPERATOR_H
#define ENGINE_OPERATOR_H

#include "engine/network.h"
#include "onnx.pb-c.h"

#define RANK_UNKNOWN ((size_t)-1)
#define NO_VALUE     ((size_t)-1) /* an optional input that is not given */

/* What is known of a value when the model is loaded. */
struct type {
    enum datatype datatype;
    size_t rank;          /* or RANK_UNKNOWN */
    const int64_t *shape; /* -1: not known before it runs */
};

struct value {
    struct str name;
    struct type type;
    const struct tensor *constant; /* NULL: computed by each run */
    bool is_output;
};

struct node {
    const struct onnx_operator *op;
    const Onnx__NodeProto *source;
    const size_t *inputs; /* positions in the network's values */
    size_t input_count;
    const size_t *outputs;
    size_t output_count;
    void *state; /* the operator's */
};

struct network {
    struct arena arena; /* everything that belongs to the network */
    int64_t opset;
    struct value
        *values; /* first the initializers, then the model's inputs, then what the nodes make, in their order */
    size_t value_count;
    struct tensor *constants; /* the initializers */
    size_t constant_count;
    bool has_constants; /* some value is one, an initializer or a node's */
    size_t input_count;
    size_t *outputs; /* positions of the model's outputs */
    size_t output_count;
    struct node *nodes;
    size_t node_count;
};

/* One run of a network. */
struct run {
    struct arena *arena;
    struct tensor *values; /* names are not set */
};

struct onnx_operator {
    const char *name;
    int since, until; /* opset versions; until 0: the newest known */
    unsigned char inputs_min, inputs_max, outputs_max;
    bool uses_onednn;              /* then its model runs on a compute thread */
    const char *const *attributes; /* those it understands, NULL at the end; NULL: none */
    /* Checks attributes and input types, sets the types of the outputs, and state. The datatypes of inputs are known.
     */
    struct status (*load)(struct network *network, struct node *node);
    struct status (*run)(const struct node *node, const struct run *run);
    void (*unload)(struct node *node); /* frees what of the state is not in the arena; NULL: nothing */
};

/* The newest opset that the table was written for. */
#define OPSET_MAX 17

/* The row for an operator at an opset; NULL if there is none. *known: some opset has it. */
const struct onnx_operator *operator_named(const char *name, int64_t opset, bool *known);

/* --- For the families --- */

/* A failed status that starts with the node: "node 'conv1' (Conv): ...". */
struct status node_error(const struct node *node, struct arena *arena, enum status_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Attributes; the value given if the node has none of that name. */
int64_t node_int(const struct node *node, const char *name, int64_t otherwise);
float node_float(const struct node *node, const char *name, float otherwise);
struct str node_string(const struct node *node, const char *name, struct str otherwise);
const Onnx__AttributeProto *node_attribute(const struct node *node, const char *name); /* NULL if there is none */

/* The type of an input that every such node has. */
static inline const struct type *operand_type(const struct network *network, const struct node *node, size_t i)
{
    return &network->values[node->inputs[i]].type;
}

/* Inputs by position; NULL: not given. */
static inline const struct type *input_type(const struct network *network, const struct node *node, size_t i)
{
    return i < node->input_count && node->inputs[i] != NO_VALUE ? &network->values[node->inputs[i]].type : NULL;
}

static inline const struct tensor *input_constant(const struct network *network, const struct node *node, size_t i)
{
    return i < node->input_count && node->inputs[i] != NO_VALUE ? network->values[node->inputs[i]].constant : NULL;
}

static inline const struct tensor *input_tensor(const struct node *node, const struct run *run, size_t i)
{
    return i < node->input_count && node->inputs[i] != NO_VALUE ? &run->values[node->inputs[i]] : NULL;
}

static inline const struct tensor *operand_tensor(const struct node *node, const struct run *run, size_t i)
{
    return &run->values[node->inputs[i]];
}

static inline struct tensor *output_tensor(const struct node *node, const struct run *run, size_t i)
{
    return &run->values[node->outputs[i]];
}

/* Sets the type of the first output; its dimensions are copied. rank may be RANK_UNKNOWN. */
struct status set_output_type(struct network *network, struct node *node, enum datatype datatype, const int64_t *shape,
                              size_t rank);

/* Makes `output` a tensor of that shape (copied) with room for its data. False: too large, or the arena gave out. */
bool tensor_make(struct tensor *output, enum datatype datatype, const int64_t *shape, size_t rank, struct arena *arena);

/* An axis of 0..rank-1 out of one of -rank..rank-1; false if it is another. */
bool normalize_axis(int64_t *axis, size_t rank);

/* The shape that two shapes broadcast to (NumPy's rules; -1, not known, stays open): result has room for the larger
 * rank. */
bool shape_broadcast(const int64_t *a, size_t a_rank, const int64_t *b, size_t b_rank, int64_t *result);

/* The elements of an INT64 or INT32 tensor as int64; NULL if it is no list of integers or memory gave out. */
const int64_t *tensor_integers(const struct tensor *tensor, struct arena *arena);

/* Reads an initializer: its data in our layout, in the arena, or in the message where it lies. */
struct status weights_read(const Onnx__TensorProto *source, struct arena *arena, struct tensor *tensor);

/* The datatype of an ONNX TensorProto.DataType; DATATYPE_NONE if this server has none like it. */
enum datatype datatype_of_onnx(int32_t type);

#endif
