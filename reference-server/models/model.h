/* A model: one version of one name, with its metadata and the backend that runs it (000, "Model Metadata"). */
#ifndef MODELS_MODEL_H
#define MODELS_MODEL_H

#include "base/status.h"
#include "models/parameters.h"
#include "tensor/tensor.h"
#include <stdatomic.h>

struct tensor_spec {
    struct str name;
    enum datatype datatype;
    const int64_t *shape; /* -1: any size */
    size_t rank;
    struct parameters parameters; /* 001: defaults for a request; empty in most */
    const struct str *labels;     /* of an output: one a line of its label file; NULL if none */
    size_t label_count;
};

/* The input or output of that name; NULL if there is none. */
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
struct model_config;

struct model {
    struct str name;
    struct str version;                /* "1" */
    struct str platform;               /* "onnx_onnxv1" */
    const char *directory;             /* <repository>/<name>/<version> */
    const struct model_config *config; /* of config.pbtxt; empty if the model has none */
    struct parameters settings;        /* `parameters` of config.pbtxt */
    struct parameters parameters;      /* 001: metadata parameters */
    struct tensor_spec *inputs;
    size_t input_count;
    struct tensor_spec *outputs;
    size_t output_count;
    const struct backend *backend;
    void *implementation;   /* the backend's */
    bool on_compute_thread; /* its kernels need a real stack: it does not run on the thread that the request came in on
                             */
    _Atomic enum model_state state;
    struct str reason;  /* why it is UNAVAILABLE; set before the state */
    struct arena arena; /* everything above lies here */
};

/* OK if the model is READY; else FAILED_PRECONDITION ("model-ready"), and the message says why it is not. */
struct status model_readiness(const struct model *model, struct arena *arena);

#endif
