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
    enum datatype datatype; /* all is as in the first input, if the shape function does not set it */
    size_t rank;
    int64_t shape[TENSOR_RANK_MAX];
};

struct call {
    const struct node *node;
    const struct run *run;         /* NULL while a network is loaded */
    struct arena *arena;           /* for what lives as long as the run, and for messages */
    const struct operand *inputs;  /* node->input_count of them */
    struct tensor *const *outputs; /* for the kernel: each has its shape, and room for its data */
};

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
void made_like(struct made *made, const struct operand *operand);

/* Says whether two lists of dimensions may be equal; -1 fits all. */
bool dimensions_fit(const int64_t *a, const int64_t *b, size_t count);

/* Says whether an input may have this shape. One that is not given, or not known, may. */
bool operand_fits(const struct call *call, size_t i, const int64_t *shape, size_t rank);

/* Returns the shape of an input, which is known, as a text. */
const char *input_text(const struct call *call, size_t i);

/* Reads a list of integers, such as axes: from an attribute, or else from an input. `otherwise` stands for a missing
 * list. *known is false if the input is not known yet. Fails if it has more than TENSOR_RANK_MAX numbers. */
struct integers {
    const int64_t *list; /* NULL if there is none */
    size_t count;
    bool known;
};
struct status call_integers(const struct call *call, const char *attribute, size_t input, struct integers *integers);

/* Marks axes of `rank` dimensions. Returns false if one is out of range or named twice. */
bool mark_axes(const int64_t *axes, size_t count, size_t rank, bool marked[TENSOR_RANK_MAX]);

/* Reads the attribute `axis` and counts it from the front. Fails if it is not an axis of `rank` dimensions. */
struct status call_axis(const struct call *call, int64_t otherwise, size_t rank, size_t *axis);

#define call_error(call, code, ...) node_error((call)->node, (call)->arena, (code), __VA_ARGS__)
#define call_refuse(call, ...)      call_error(call, STATUS_INVALID_ARGUMENT, __VA_ARGS__)
