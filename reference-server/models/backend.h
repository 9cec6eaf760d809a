/* What runs models. The repository knows no backend by name: it is given a table of them, and the config.pbtxt of a
 * model says which row is its own. */
#ifndef MODELS_BACKEND_H
#define MODELS_BACKEND_H

#include "models/config.h"
#include "models/model.h"

/* One execution of a model: inputs in the model's order, checked; outputs in the model's order. */
struct execution {
    struct arena *arena;
    struct parameters parameters; /* of the request; here and below, the model's defaults stand where it has none */
    const struct tensor *inputs;
    const struct parameters *input_parameters;
    const struct parameters *requested_parameters; /* for each of the model's outputs, whether asked for or not */
    struct tensor
        *outputs; /* name and datatype set; the backend sets shape, rank, count, data (arena, or an input's), size */
    struct parameters answer_parameters;       /* of the whole answer; may be set by the backend */
    struct parameters *output_parameters;      /* of each output of the answer, likewise */
    struct status status;                      /* set by the backend */
    void (*done)(struct execution *execution); /* called exactly once, from any thread */
    void *context;
};

struct backend {
    const char *name;     /* what `backend` of config.pbtxt says: "onnxruntime" */
    const char *platform; /* what its `platform` may say instead: "onnxruntime_onnx"; NULL: nothing */
    bool without_files;   /* its models need no files: one that has no folder for a version has version 1 */
    /* Reads the model's files or settings; sets inputs, outputs, implementation, on_compute_thread. Runs on a loading
     * thread. */
    struct status (*load)(struct model *model);
    void (*execute)(struct model *model, struct execution *execution);
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
