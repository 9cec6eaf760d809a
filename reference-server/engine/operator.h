/* The operators of ONNX, and the nodes of a network. Each operator family has a file with its functions; operators.c is
 * the table of all operators. */
#pragma once

#include "engine/network.h"
#include "onnx.pb-c.h"
#include <pthread.h>

#define RANK_UNKNOWN ((size_t)-1)
#define NO_VALUE     ((size_t)-1) /* an optional input that is not given */
#define VARIADIC     UINT8_MAX    /* as the most inputs: any number, and all of them are given */

/* What is known about a value when the model is loaded. */
struct type {
    enum datatype datatype;
    size_t rank;          /* or RANK_UNKNOWN */
    const int64_t *shape; /* -1 in it: not known before the run */
};

struct value {
    struct str name;
    struct type type;
    const struct tensor *constant; /* NULL if each run computes the value */
    bool is_output;
    bool is_constant_data; /* in a plan: it is constant, or shares the memory of a constant */
    bool is_shared;        /* of a constant: another one lies in its memory */
    bool has_one_reader;   /* of a constant: one input of a node, and nothing else, reads its memory */
};

/* What a convolution or product does to its results after all else. */
enum activation { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_CLIP, ACTIVATION_GELU };

struct after {
    enum activation kind;
    float alpha, beta; /* Relu: alpha is the slope below 0. Clip: the bounds */
};

/* How a tensor of [N, C, ...] lies in memory. If it is not in row-major order, the nodes of a plan see a tensor of
 * shape [N, C / b, ..., b]: its channels are in blocks of b, and the channels of a block lie side by side. */
enum form {
    FORM_ROW_MAJOR,
    FORM_CHANNELS_LAST, /* one block has all channels */
    FORM_BLOCKED,       /* a block has BLOCK_CHANNELS of them */
};
#define BLOCK_CHANNELS 8

struct node {
    const struct onnx_operator *op;
    const Onnx__NodeProto *source;
    const size_t *inputs; /* positions in the values of the network */
    size_t input_count;
    const size_t *outputs;
    size_t output_count;
    void *state;                   /* belongs to the operator */
    struct primitives *primitives; /* those in the state; primitive.h */
    size_t addend;                 /* a value that is added to the result, in its place; or NO_VALUE */
    struct after after;
    enum form form; /* of its outputs, and of the inputs that have as many dimensions */
};

struct network {
    struct arena arena;      /* holds everything that belongs to the network */
    int64_t opset, opset_ml; /* 0: not imported */
    struct value *values;    /* first the initializers, then the model's inputs, then the outputs of the nodes */
    size_t value_count;
    size_t constant_count; /* the initializers */
    size_t input_count;
    size_t *outputs; /* positions of the outputs of the model */
    size_t output_count;
    struct node *nodes;
    size_t node_count;

    struct tensor *scratch; /* for folding: one for each value */
    size_t folded;          /* bytes that folding has read and made */

    pthread_mutex_t mutex; /* guards what follows; plan.c */
    struct plan *plans;    /* the most recently used first */
    size_t kept;           /* bytes of idle blocks */
    struct packs *packs;   /* weights in the layouts of primitives; plans share them */
};

/* Memory for the time of one operation. It grows as needed. */
struct scratch {
    void *data;
    size_t size;
};

/* Users of scratch memory: the primitives, one after the other, and the kernel of the node that runs them. */
enum { SCRATCH_PRIMITIVE, SCRATCH_NODE, SCRATCHES };

/* One run of a network. */
struct run {
    struct arena *arena;
    struct tensor *values;   /* without names */
    struct scratch *scratch; /* SCRATCHES of them; NULL: the arena has them */
    bool in_team;            /* long operations may use all processors */
};

/* What an operator demands of the form of its tensors [N, C, ...]. */
enum layout {
    LAYOUT_ROW_MAJOR,
    LAYOUT_ANY,    /* any form, and any order: it works element by element, if all tensors have the same */
    LAYOUT_FOLLOW, /* any form */
    LAYOUT_PREFER, /* any form, and it is slow in row-major order */
};

struct call;
struct made;
struct packs;

/* Find the types of the outputs, of which `made` has what the row says; and compute the outputs. `in` and `out` are the
 * first input and the first output (call.h). Where no shape function can be called yet, the ranks are not known. */
typedef struct status shape_function(const struct call *call, const struct type *in, struct made *made);
typedef struct status kernel_function(const struct call *call, const struct tensor *in, struct tensor *out);

/* For an operator that keeps something between runs: sets `state`, before the types of the outputs are found. */
typedef struct status load_function(struct network *network, struct node *node);

/* What the attribute `axis` is an axis of. */
enum axis {
    AXIS_NONE,     /* there is no such attribute */
    AXIS_OF_INPUT, /* the first input; so it is below, too */
    AXIS_OF_LIST,  /* a number is seen as a list */
    AXIS_OR_END,   /* it may also be the end, after the last axis */
    AXIS_OF_MADE,  /* the output, which has one dimension more */
};

/* A row of the table. `takes` gives the datatypes of the inputs by a letter for each; the last one is for all others.
 * The letters: `*` all but BYTES, `f` FP32, `n` INT32, INT64, FP32 or FP64, `i` INT32 or INT64, `s` INT32, `l` INT64,
 * `b` BOOL, `.` all; a digit: that of the input with this number. */
struct onnx_operator {
    const char *name; /* an operator of the domain ai.onnx.ml has the domain and a dot before its name */
    int since, until; /* opset versions; until 0 means up to the newest known */
    unsigned char inputs_min, inputs_max, outputs_max;
    enum layout layout;
    bool is_view;    /* if the datatype stays, the output shares the memory of the first input */
    bool only_shape; /* only the shape of the input matters */
    bool is_heavy;   /* a model with such a node runs on a compute thread */
    const char *takes;
    bool any_rank;                    /* shape functions of others are called when all inputs have a known rank */
    unsigned char rank_min, rank_max; /* of the first input; rank_max 0: any */
    unsigned char like;               /* the input that the outputs are like, but for what else says otherwise */
    enum datatype gives;              /* of the outputs; none: that of this input */
    enum axis axis;
    int axis_otherwise;            /* of a node without the attribute */
    const char *list;              /* an attribute that is a list of integers */
    unsigned char listed;          /* the input that has the list if the attribute is not given, or 0 */
    bool shaped_by_list;           /* the shape function is called when the list is known */
    const char *const *attributes; /* those that no column has, with NULL at the end: see node_choice */
    shape_function *infer;         /* NULL: what the columns say is all */
    kernel_function *compute;      /* NULL: a view is all that there is */
    load_function *load;           /* may be NULL */
};

/* The newest opset for which the table was written. */
#define OPSET_MAX 17

/* The newest version of the operators of the domain ai.onnx.ml. */
#define OPSET_ML_MAX 3

/* Returns the row of an operator at an opset, or NULL. *known says whether the operator has a row for any opset. */
const struct onnx_operator *operator_named(const char *name, int64_t opset, bool *known);

/* Says whether a type has no open dimension, and sets *size to the bytes of such a tensor. BYTES is never known; nor is
 * NULL, nor a size that overflows. */
bool type_is_known(const struct type *type, size_t *size);

/* Load, run and unload a node by its row. */
struct status node_load(struct network *network, struct node *node);
struct status node_run(const struct node *node, const struct run *run);
void node_unload(struct node *node);

/* Says whether the output of a node that is loaded shares the memory of its first input. */
bool node_forwards(const struct network *network, const struct node *node);

/* --- For the families --- */

/* Returns a failed status whose message starts with the node: "node 'conv1' (Conv): ...". */
struct status node_error(const struct node *node, struct arena *arena, enum status_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define status_unsupported(arena, ...)     status_error((arena), STATUS_UNIMPLEMENTED, __VA_ARGS__)
#define node_refuse(node, arena, ...)      node_error((node), (arena), STATUS_INVALID_ARGUMENT, __VA_ARGS__)
#define node_unsupported(node, arena, ...) node_error((node), (arena), STATUS_UNIMPLEMENTED, __VA_ARGS__)

/* The same of a datatype that an operator has no kernel for. */
static inline struct status node_refuses_type(const struct node *node, struct arena *arena, enum datatype datatype)
{
    return node_unsupported(node, arena, "%s is not supported", datatype_name(datatype));
}

/* Return an attribute, or the given value if the node has no attribute of that name. */
int64_t node_int(const struct node *node, const char *name, int64_t otherwise);
float node_float(const struct node *node, const char *name, float otherwise);
struct str node_string(const struct node *node, const char *name, struct str otherwise);
const Onnx__AttributeProto *node_attribute(const struct node *node, const char *name); /* NULL if there is none */

/* An attribute that has one of few values is in the row with these: "mode=constant|reflect|edge". The first one is that
 * of a node without the attribute. A value after a ! is one of ONNX that this server does not support. The function
 * returns the position of the value, or NO_CHOICE, which no node has that was loaded. */
size_t node_choice(const struct node *node, const char *name);
#define NO_CHOICE ((size_t)-1)

/* Checks that the row has all attributes of the node, with their values. */
struct status node_check_attributes(const struct node *node, struct arena *arena);

/* Returns the type of a required input. */
static inline const struct type *operand_type(const struct network *network, const struct node *node, size_t i)
{
    return &network->values[node->inputs[i]].type;
}

/* Returns the type of an input by its position, or NULL if the input is not given. */
static inline const struct type *input_type(const struct network *network, const struct node *node, size_t i)
{
    return i < node->input_count && node->inputs[i] != NO_VALUE ? &network->values[node->inputs[i]].type : NULL;
}

static inline const struct tensor *input_constant(const struct network *network, const struct node *node, size_t i)
{
    return i < node->input_count && node->inputs[i] != NO_VALUE ? network->values[node->inputs[i]].constant : NULL;
}

/* Computes a part of the weights that a product really uses: `count` numbers, from the constant weights. */
typedef void weights_part(const float *constant, size_t count, size_t part, float *made);

/* Constant FP32 weights. */
struct weights {
    void *data;   /* NULL: there are none */
    bool are_own; /* nothing but this node reads them, and only to lay them out anew: their bytes may be given back */
    size_t parts; /* so many matrices are computed from them; 0: they are used as they are */
    weights_part *make_part;
};

/* Returns an input of a node as weights, if it is constant. */
static inline struct weights input_weights(const struct network *network, const struct node *node, size_t i)
{
    const struct tensor *constant = input_constant(network, node, i);
    return constant
               ? (struct weights){.data = constant->data, .are_own = network->values[node->inputs[i]].has_one_reader}
               : (struct weights){0};
}

/* Gives scratch memory of that size, aligned for vectors, or NULL. It is valid until the next call for the same user.
 */
void *run_scratch(const struct run *run, int user, size_t size);

/* Copies a shape. Returns NULL without memory. */
int64_t *shape_copy(const int64_t *shape, size_t rank, struct arena *arena);

/* Makes `output` a tensor of that shape, which is copied. Its data is what `output` has already, if a plan gave it a
 * place, or else room in the arena; so a new struct must be empty. Returns false if it is too large or the arena is
 * exhausted. */
bool tensor_make(struct tensor *output, enum datatype datatype, const int64_t *shape, size_t rank, struct arena *arena);

/* Changes an axis of -rank..rank-1 to one of 0..rank-1. Returns false for any other axis. */
bool normalize_axis(int64_t *axis, size_t rank);

/* Returns the rank of [N, C, ...] for that of a tensor in the form of the node. */
static inline size_t node_rank(const struct node *node, size_t rank)
{
    return node->form == FORM_ROW_MAJOR ? rank : rank - 1;
}

/* Returns the dimension of a tensor in the form of the node, of that rank, which has an axis of [N, C, ...]. */
static inline size_t node_axis(const struct node *node, size_t axis, size_t rank)
{
    return node->form == FORM_CHANNELS_LAST && axis == 1 ? rank - 1 : axis;
}

/* Finds the shape to which two shapes broadcast, by NumPy's rules. A dimension of -1 (not known) stays -1 if need be.
 * `result` has room for the larger rank, and may be one of the two. */
bool shape_broadcast(const int64_t *a, size_t a_rank, const int64_t *b, size_t b_rank, int64_t *result);

/* Returns the elements of a tensor, which is not BYTES, as another datatype. Returns NULL only without memory. */
const void *tensor_as(const struct tensor *tensor, enum datatype datatype, struct arena *arena);

static inline const int64_t *tensor_integers(const struct tensor *tensor, struct arena *arena)
{
    return tensor_as(tensor, DATATYPE_INT64, arena);
}

/* Reads an initializer. Its data has our layout; it lies in the arena, or in the message. */
struct status weights_read(const Onnx__TensorProto *source, struct arena *arena, struct tensor *tensor);

/* Makes the data of a tensor of BYTES from texts of the message: list[order[i]], or list[i] without an order. Returns
 * false without memory. */
bool texts_write(const ProtobufCBinaryData *list, const size_t *order, size_t count, struct arena *arena,
                 struct tensor *tensor);

/* Returns the datatype for an ONNX TensorProto.DataType, or DATATYPE_NONE if this server has no such datatype. */
enum datatype datatype_of_onnx(int32_t type);
