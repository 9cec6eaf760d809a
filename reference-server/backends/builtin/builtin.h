/* Built-in models, for what ONNX cannot express: `backend: "oip"` in config.pbtxt, which also declares their tensors.
 * The parameter `kind` chooses one; each has a file here, whose first paragraph says what the model does. */
#ifndef BACKENDS_BUILTIN_BUILTIN_H
#define BACKENDS_BUILTIN_BUILTIN_H

#include "models/backend.h"

extern const struct backend backend_builtin;

/* A kind of built-in model. Of the functions, NULL means that there is nothing to do. */
struct builtin {
    const char *kind;
    /* Checks that the tensors that config.pbtxt declares are such as the kind needs. */
    struct status (*check)(const struct model *model);
    /* Makes what the kind keeps for a model, which the other functions get as `own`. Runs on a loading thread, where it
     * may wait for cancel. */
    struct status (*load)(struct model *model, void **own);
    void (*execute)(struct model *model, void *own, struct execution *execution); /* NULL: it is never loaded */
    /* Fails what still waits inside with UNAVAILABLE, then frees `own`. */
    void (*unload)(struct model *model, void *own);
    /* Wakes every load of the kind that waits: one whose model is not LOADING any more returns. */
    void (*cancel)(void);
};

extern const struct builtin builtin_failing, builtin_gate, builtin_parameters, builtin_never_loads;

/* Makes an output that is the first input. */
static inline void builtin_forward(struct execution *execution, size_t output)
{
    struct tensor *tensor = &execution->outputs[output].tensor;
    struct str name = tensor->name;
    *tensor = execution->inputs[0];
    tensor->name = name;
}

#endif
