/* What a backend is: the code that runs models. The repository knows no backend by name. It gets a table of backends,
 * and the config.pbtxt of a model chooses a row. */
#pragma once

#include "models/model.h"
#include "models/turn.h"

struct model_output {
    struct tensor tensor;
    struct parameters parameters;
};

/* One execution of a model, and its answers. For each response the backend fills the room below and calls emit. Then it
 * calls done exactly once, with the status of the execution, which may be freed when done returns. emit and done may be
 * called on any thread, but never two at once. Most models emit one response if they succeed, and none if they fail;
 * one that is decoupled (its config.pbtxt says so) may emit any number of them.
 *
 * The data of an output lies in the arena or is that of an input, and must not change after emit: it may be sent from
 * there when the model is gone. Everything else in a response may belong to the model; it must be valid until emit
 * returns. The data that a decoupled model emits need not be valid for longer either. */
struct execution {
    struct arena *arena;
    struct parameters parameters; /* those of the request; here and below, defaults of the model are added */
    const struct tensor *inputs;  /* in the order of the model; they are checked */
    const struct parameters *input_parameters;
    const struct parameters *requested_parameters; /* one set for each output of the model, requested or not */
    struct turn turn; /* for backends that let requests wait: when it is served, and how long it may wait */

    /* Room for a response. It is empty at first, except for names and datatypes. A backend need not set parameters. */
    struct model_output *outputs;        /* in the order of the model; a backend sets all of them */
    struct parameters answer_parameters; /* of the whole answer */

    /* Returns whether more may be emitted at once. If not, a decoupled model makes no further response before the
     * backend gets `resume`: the client does not take them. */
    bool (*emit)(struct execution *execution);
    void (*done)(struct execution *execution, struct status status);
    /* Whether the client still waits for the answer. For backends that let requests wait. It may take a system call; it
     * may be called on any thread before done. */
    bool (*is_awaited)(const struct execution *execution);
    void *context; /* belongs to the caller of execute */
    void *waits;   /* belongs to the backend; NULL at first */

    /* By clock_now. `started`, which the caller of execute sets: when the execution no longer waited. If it was joined
     * with others (batcher.h), also `prepared`, when the joined inputs were complete, and `computed`, when the joined
     * outputs were; otherwise they are 0. */
    int64_t started, prepared, computed;
};

struct backend {
    const char *name;     /* the `backend` in config.pbtxt: "onnxruntime" */
    const char *platform; /* the `platform` that config.pbtxt may have instead: "onnxruntime_onnx"; NULL if none */
    bool without_files;   /* its models need no files: a model without a folder for a version has version 1 */
    /* What its models make of a batch depends on no parameter, and each row of the outputs only on that row of the
     * inputs. So requests can be joined (batcher.h). */
    bool is_rowwise;
    /* Reads the files or the settings of the model; sets inputs, outputs, implementation and on_compute_thread, and may
     * give the model another backend. Runs on a loading thread. */
    struct status (*load)(struct model *model);
    void (*execute)(struct model *model, struct execution *execution); /* the model is held until done */
    /* For decoupled models; both may be called on any thread between execute and done. resume: more may be emitted.
     * give_up: nobody waits any more, so done should be called soon, with CANCELLED. NULL: executions end by
     * themselves. */
    void (*resume)(struct execution *execution);
    void (*give_up)(struct execution *execution);
    /* Called for a model with an implementation: first fails the requests that still wait in the model with
     * UNAVAILABLE, then frees the implementation. */
    void (*unload)(struct model *model);
    /* Makes all loads return soon whose model is UNLOADING. NULL if loads end by themselves. */
    void (*cancel)(void);
};

/* Chooses the row of a table (with NULL at its end) that a config.pbtxt asks for; the first row if it asks for none.
 * Fails with UNIMPLEMENTED and a list of the rows. */
struct status backend_choose(const struct backend *const *backends, const struct model_config *config,
                             struct arena *arena, const struct backend **chosen);
