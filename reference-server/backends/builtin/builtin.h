/* reference-server/backends/builtin/ holds the built-in models, which do what ONNX cannot express. It may include
 * proto/, models/ and its parent folder, and nothing else.
 *
 * A model is built in if its config.pbtxt says `backend: "oip"`; the same file declares its tensors. The parameter
 * `kind` chooses one of the kinds. Each kind has a file here, whose first paragraph says what the model does. */
#pragma once

#include "models/backend.h"

extern const struct backend backend_builtin;

#define BUILTIN_NAME "oip"

/* A kind of built-in model. When its config.pbtxt has named the kind, the model gets the backend of the kind, whose
 * functions may be NULL if they have nothing to do. */
struct builtin {
    const char *kind;
    /* Checks that the kind can work with the tensors that config.pbtxt declares; may be NULL. */
    struct status (*check)(const struct model *model);
    struct backend backend;
};

extern const struct builtin builtin_add_sub_text, builtin_failing, builtin_gate, builtin_never_loads,
    builtin_parameters, builtin_repeat, builtin_sequence, builtin_tokens;

/* Has the loads of never_loads.c end whose model is no longer LOADING. */
void builtin_cancel_loads(void);

/* Makes one element, with the shape [1], the output. */
static inline void builtin_give_one(struct tensor *output, void *data, size_t size)
{
    static const int64_t one[] = {1};
    output->shape = one;
    output->rank = output->count = 1;
    output->size = size;
    output->data = data;
}

/* Makes the first input the output at that position; the data is shared. */
static inline void builtin_forward(struct execution *execution, size_t output)
{
    struct tensor *tensor = &execution->outputs[output].tensor;
    struct str name = tensor->name;
    *tensor = execution->inputs[0];
    tensor->name = name;
}
