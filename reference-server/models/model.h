/* A model: one version of one name, with its metadata (000, "Model Metadata") and the backend that runs it. */
#pragma once

#include "base/status.h"
#include "models/parameters.h"
#include "tensor/tensor.h"
#include <stdatomic.h>

struct tensor_spec {
    struct str name;
    struct str description; /* for people; empty if there is none */
    enum datatype datatype;
    const int64_t *shape; /* -1 means any size */
    size_t rank;
    struct parameters parameters; /* defaults for a request (001); mostly none */
    const struct str *labels;     /* of an output: one for each line of its label file; NULL if it has none */
    size_t label_count;
};

/* Returns the input or output of that name, or NULL. */
static inline const struct tensor_spec *tensor_spec_named(const struct tensor_spec *specs, size_t count,
                                                          struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(specs[i].name, name))
            return &specs[i];
    return NULL;
}

enum model_state { MODEL_LOADING, MODEL_READY, MODEL_UNAVAILABLE, MODEL_UNLOADING };

struct backend;
struct batcher;
struct model_config;
struct source;
struct statistics;

struct model {
    struct str name;
    struct str version;                /* "1" */
    struct str platform;               /* "onnx_onnxv1" */
    struct str description;            /* for people; empty if there is none */
    const struct source *source;       /* its files; only while it loads */
    const struct model_config *config; /* config.pbtxt, or the default if the model has none */
    struct parameters settings;        /* `parameters` of config.pbtxt */
    struct parameters parameters;      /* parameters in metadata (001) */
    struct tensor_spec *inputs;
    size_t input_count;
    struct tensor_spec *outputs;
    size_t output_count;
    const struct backend *_Atomic backend;
    void *implementation;          /* belongs to the backend */
    struct statistics *statistics; /* of the requests to it; they begin anew when it is loaded again */
    struct batcher *batcher;       /* joins its requests; NULL: each is executed by itself */
    bool on_compute_thread;        /* its kernels need a large stack, so it runs on a compute thread */
    _Atomic enum model_state state;
    struct str reason;      /* why it is UNAVAILABLE; set before the state */
    enum status_code fault; /* of which kind that is */
    struct arena arena;     /* holds everything above */
};

/* Returns OK if the model is READY, otherwise FAILED_PRECONDITION ("model-ready") with the reason. */
struct status model_readiness(const struct model *model, struct arena *arena);

/* Makes the configuration of a model that is ready as config_show takes it: what config.pbtxt leaves open is that of
 * the model. It is valid as long as the model is held. Fails without memory. */
struct status model_show_config(const struct model *model, struct arena *arena, struct model_config *config);
