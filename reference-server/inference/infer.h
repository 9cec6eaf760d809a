/* Inference, whoever asks: a request is checked by the duties (duties.h), executed by its model, and answered.
 *
 * A protocol folder decodes its message into an infer_request and calls infer. The model's responses come back through
 * `emit`, zero or more times, where they are encoded; then `done` comes, exactly once and last, where the exchange is
 * ended or refused. Every model of today makes one response when it succeeds, and none when it fails.
 *
 * Both come before infer returns (most models), or later from another thread (compute threads, the gate), but never two
 * at once. The request and everything in it lies in its arena and must live until done returns; infer looks at none of
 * it afterwards. An arena serves one thread at a time: from infer until done, only emit and done may take memory of it.
 *
 * A response is valid until emit returns, but for the data of its tensors: that lies in the request's arena, or is that
 * of an input, and never in the model, which may be unloaded after done. So gRPC sends raw outputs from where they lie:
 * its pieces point at the tensors until the answer is sent, and its call keeps the arena as long. */
#ifndef INFERENCE_INFER_H
#define INFERENCE_INFER_H

#include "base/arena.h"
#include "base/status.h"
#include "inference/switches.h"
#include "models/backend.h"
#include "models/hold.h"
#include "models/parameters.h"
#include "tensor/tensor.h"

struct repository;

struct infer_input {
    struct tensor tensor; /* as declared, with the data that came: `count` elements, which may not fit the shape yet */
    struct parameters parameters;
    const struct tensor_spec *spec; /* set by infer: which of the model's inputs it is */
};

struct infer_requested_output {
    struct str name;
    struct parameters parameters;
    const struct tensor_spec *spec; /* set by infer */
};

struct infer_response {
    const struct model *model;          /* that answers */
    const struct model_output *outputs; /* in the order requested, else the model's */
    size_t output_count;
    struct parameters parameters; /* of the whole answer */
};

struct infer_request {
    /* Set by the protocol folder. */
    struct arena *arena;
    struct repository *repository;
    const struct switches *switches; /* duties that are off; mostly NULL */
    struct str model_name;
    struct str model_version; /* empty: the server chooses */
    struct str id;            /* empty: none; its echo is the protocol folder's */
    struct parameters parameters;
    struct infer_input *inputs;
    size_t input_count;
    struct infer_requested_output *requested;
    size_t requested_count; /* 0: all outputs */
    bool admitted;          /* it came in before the drain began (its body took time): it is finished, not refused */
    /* Encodes a response. What fails here fails the request. */
    struct status (*emit)(struct infer_request *request, const struct infer_response *response);
    void (*done)(struct infer_request *request);
    void *context; /* the protocol folder's */

    /* Set by infer, before done. */
    struct status status;
    struct model_hold hold; /* the model; of none if none was found. Released by infer, after done */
};

/* Checks, executes, and calls request->emit for each response, then request->done exactly once, with request->status
 * set. Fails with
 *   NOT_FOUND            no such model or version               (model-known, version-known)
 *   FAILED_PRECONDITION  the model is not ready                 (model-ready)
 *   INVALID_ARGUMENT     a duty of duties.h is broken           (status.broken names it)
 *   UNAVAILABLE          the server drains, and did not admit the request before
 *   INTERNAL             the model failed */
void infer(struct infer_request *request);

/* From now on infer refuses with UNAVAILABLE ("the server is shutting down"); what is in flight goes on. Whoever calls
 * infer counts its requests: http_in_flight, rpc_in_flight. */
void infer_drain(void);
bool infer_draining(void);

/* Starts the compute threads (count 0: one a core, at most 4) and stops them after their queue is empty. */
struct status infer_start_compute(size_t threads, struct arena *arena);
void infer_stop_compute(void);

#endif
