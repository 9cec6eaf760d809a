/* A call of an operator: its shape function or its kernel (the columns `infer` and `compute` of the table). The shape
 * function sees the types of the inputs, and the values of those that are known. It serves twice: when a network is
 * loaded, where a dimension may be open, and at a run, where nothing is. So the two cannot disagree. */
#pragma once

#include "engine/operator.h"

/* One input. An input that is not given has no datatype. */
struct operand {
    struct type type;
    const struct tensor *tensor; /* NULL: the value is not known yet */
};

/* One output, as the shape function finds it. */
struct made {
    enum datatype datatype; /* all is as the row says, if the shape function does not set it */
    size_t rank;
    int64_t shape[TENSOR_RANK_MAX];
};

/* A list of integers, such as axes. */
struct integers {
    const int64_t *list; /* NULL if there is none */
    size_t count;        /* TENSOR_RANK_MAX at most */
    bool known;          /* false: an input gives it, which is not known yet */
};

struct call {
    const struct node *node;
    const struct run *run;         /* NULL while a network is loaded */
    struct arena *arena;           /* for what lives as long as the run, and for messages */
    const struct operand *inputs;  /* node->input_count of them */
    struct tensor *const *outputs; /* for the kernel: each has its shape, and room for its data */
    size_t axis;                   /* that of the attribute, from the front, if the rank of the input is known */
    struct integers list;          /* that of the row */
    void *found;                   /* what the shape function leaves for the kernel */
};

/* Returns the room for what the shape function finds. */
#define FOUND_MAX 2048
#define FOUND(call, TYPE)                                                                                              \
    ({                                                                                                                 \
        _Static_assert(sizeof(TYPE) <= FOUND_MAX, "there must be room for it");                                        \
        (TYPE *)(call)->found;                                                                                         \
    })

/* Begin the functions of a family: INFER(tile) is the shape function tile_infer, COMPUTE(tile) the kernel tile_compute.
 * LOAD(conv) is conv_load, for which a new `struct conv *conv` has become the state of the node. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type and a name need none */
#define INFER(FAMILY)                                                                                                  \
    struct status FAMILY##_infer(UNUSED const struct call *call, UNUSED const struct type *in, UNUSED struct made *made)
#define COMPUTE(FAMILY)                                                                                                \
    struct status FAMILY##_compute(UNUSED const struct call *call, UNUSED const struct tensor *in,                     \
                                   UNUSED struct tensor *out)
#define LOAD(FAMILY)                                                                                                   \
    static struct status FAMILY##_start(UNUSED struct network *network, struct node *node, struct FAMILY *FAMILY);     \
    struct status FAMILY##_load(struct network *network, struct node *node)                                            \
    {                                                                                                                  \
        struct FAMILY *state = node->state = arena_new_of(&network->arena, struct FAMILY);                             \
        return state ? FAMILY##_start(network, node, state) : status_no_memory();                                      \
    }                                                                                                                  \
    static struct status FAMILY##_start(UNUSED struct network *network, struct node *node, struct FAMILY *FAMILY)
#define UNUSED __attribute__((unused))
/* NOLINTEND(bugprone-macro-parentheses) */

/* Returns an input that may be left out, or NULL. */
static inline const struct operand *call_operand(const struct call *call, size_t i)
{
    return i < call->node->input_count && call->inputs[i].type.datatype != DATATYPE_NONE ? &call->inputs[i] : NULL;
}

static inline const struct tensor *call_tensor(const struct call *call, size_t i)
{
    const struct operand *operand = call_operand(call, i);
    return operand ? operand->tensor : NULL;
}

/* Sets an output to the type and shape of an input. */
void made_like(struct made *made, const struct type *type);

/* Sets the shape of an output to one that broadcasts with it. Returns false if the two do not broadcast. */
bool made_broadcast(struct made *made, const int64_t *shape, size_t rank);

/* Says whether two lists of dimensions may be equal; -1 fits all. */
bool dimensions_fit(const int64_t *a, const int64_t *b, size_t count);

/* Says whether an input may have this shape. One that is not given, or not known, may. */
bool operand_fits(const struct call *call, size_t i, const int64_t *shape, size_t rank);

/* Returns the shape of an input, which is known, as a text. */
const char *input_text(const struct call *call, size_t i);

/* Reads a list of integers: from an attribute, or else from an input. */
struct status call_integers(const struct call *call, const char *attribute, size_t input, struct integers *integers);

/* Marks axes of `rank` dimensions. Returns false if one is out of range or named twice. */
bool mark_axes(const int64_t *axes, size_t count, size_t rank, bool marked[TENSOR_RANK_MAX]);

#define call_refuse(call, ...)      node_refuse((call)->node, (call)->arena, __VA_ARGS__)
#define call_unsupported(call, ...) node_unsupported((call)->node, (call)->arena, __VA_ARGS__)
