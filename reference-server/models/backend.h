/* What runs models. The repository knows no backend by name: it is given a table of them, and the config.pbtxt of a
 * model says which row is its own. */
#ifndef MODELS_BACKEND_H
#define MODELS_BACKEND_H

#include "models/model.h"

struct model_output {
    struct tensor tensor;
    struct parameters parameters;
};

/* One execution of a model. It answers with responses: the backend fills the room below, calls emit, and may then fill
 * it anew; zero or more times, as the model is. Then it calls done, exactly once, with how it went; the execution may
 * be gone when done returns. emit and done may be called from any thread, but never two at once.
 *
 * The data of a tensor lies in the arena, or is that of an input, and stays as it is after emit: it may be sent from
 * there when the model is gone. All else of a response need only be valid until emit returns, and may be the model's.
 */
struct execution {
    struct arena *arena;
    struct parameters parameters; /* of the request; here and below, the model's defaults stand where it has none */
    const struct tensor *inputs;  /* in the model's order, checked */
    const struct parameters *input_parameters;
    const struct parameters *requested_parameters; /* for each of the model's outputs, whether asked for or not */

    /* Room for a response. Empty at first but for the names and datatypes; parameters need not be set. */
    struct model_output *outputs;        /* in the model's order; all are set */
    struct parameters answer_parameters; /* of the whole answer */

    void (*emit)(struct execution *execution);
    void (*done)(struct execution *execution, struct status status);
    void *context; /* of who executes */
};

struct backend {
    const char *name;     /* what `backend` of config.pbtxt says: "onnxruntime" */
    const char *platform; /* what its `platform` may say instead: "onnxruntime_onnx"; NULL: nothing */
    bool without_files;   /* its models need no files: one that has no folder for a version has version 1 */
    /* Reads the model's files or settings; sets inputs, outputs, implementation, on_compute_thread. Runs on a loading
     * thread. */
    struct status (*load)(struct model *model);
    void (*execute)(struct model *model, struct execution *execution); /* the model is held until done */
    /* Frees the implementation; fails what still waits inside with UNAVAILABLE first. */
    void (*unload)(struct model *model);
    /* Makes a load that still runs return soon (the state is UNLOADING already); NULL: loads end by themselves. */
    void (*cancel)(struct model *model);
};

/* The row of a table (NULL at its end) that a config.pbtxt asks for: the first if it asks for none. UNIMPLEMENTED lists
 * those that there are. */
struct status backend_choose(const struct backend *const *backends, const struct model_config *config,
                             struct arena *arena, const struct backend **chosen);

#endif
