/* A model: one version of one name, with its metadata and the backend that runs it (000, "Model Metadata"). */
#ifndef MODELS_MODEL_H
#define MODELS_MODEL_H

#include "base/status.h"
#include "inference/parameters.h"
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

/* The spec of that name; NULL if there is none. */
static inline const struct tensor_spec *tensor_spec_named(const struct tensor_spec *specs, size_t count,
                                                          struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(specs[i].name, name))
            return &specs[i];
    return NULL;
}

enum model_state { MODEL_LOADING, MODEL_READY, MODEL_UNAVAILABLE, MODEL_UNLOADING };

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

struct model;
struct model_config;

struct backend {
    const char *name;
    /* Reads the model's files or settings; sets inputs, outputs, implementation, heavy. Runs on a loading thread. */
    struct status (*load)(struct model *model);
    void (*execute)(struct model *model, struct execution *execution);
    /* Frees the implementation; fails what still waits inside with UNAVAILABLE first. */
    void (*unload)(struct model *model);
    /* Makes a load that still runs return soon (the state is UNLOADING already); NULL: loads end by themselves. */
    void (*cancel)(struct model *model);
};

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
    void *implementation; /* the backend's */
    bool heavy; /* runs on the compute threads (its kernels need a real stack), not where the request came in */
    _Atomic enum model_state state;
    struct str reason;  /* why it is UNAVAILABLE; set before the state */
    struct arena arena; /* everything above lies here */
};

/* FAILED_PRECONDITION (model-ready), with the reason, unless the model is READY. */
struct status model_check_ready(const struct model *model, struct arena *arena);

#endif
