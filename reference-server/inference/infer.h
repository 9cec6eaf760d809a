/* reference-server/inference/ is the core of the server: it checks an inference request by the duties (duties.h),
 * executes it on its model, and hands over the responses. It may include proto/ and models/; it knows no transport, no
 * protocol and no backend.
 *
 * A protocol folder decodes its message into an infer_request and calls infer. Each response comes back through `emit`,
 * which encodes it; emit is called zero or more times. Then `done` is called exactly once; it ends the exchange or
 * refuses the request. A model that is not decoupled makes one response if it succeeds, and none if it fails. A
 * decoupled one is served only to a request that takes any number of responses (is_streamed); such a caller tells the
 * model when it cannot take more (is_full, infer_resume), and when nobody waits any longer (infer_cancel).
 *
 * Both functions are called before infer returns (most models), or later on another thread (that of a compute thread,
 * of a batch, or of a built-in model that lets requests wait), but never two at once. The request and everything in it
 * lie in its arena and must live until done returns; infer does not read them afterwards. Only one thread at a time may
 * use an arena: between infer and done, only emit and done may take memory from it.
 *
 * A response is valid until emit returns. The data of its tensors is valid for longer, unless the request is streamed:
 * it lies in the arena of the request or is that of an input, and never lies in the model, which may be unloaded after
 * done. So gRPC sends raw outputs without a copy: its pieces point at the tensors. The call keeps the arena until the
 * answer is sent, and also its message if a tensor lies there. */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "models/backend.h"
#include "models/hold.h"
#include "models/parameters.h"
#include "models/turn.h"
#include "tensor/tensor.h"

struct repository;

struct infer_input {
    struct tensor tensor; /* as sent, with `count` elements of data, which may not fit the shape yet */
    struct parameters parameters;
    const struct tensor_spec *spec; /* set by infer: the input of the model that it is */
};

struct infer_requested_output {
    struct str name;
    struct parameters parameters;
    const struct tensor_spec *spec; /* set by infer */
};

struct infer_response {
    const struct model *model;          /* the model that answers */
    const struct model_output *outputs; /* in the order of the request, or of the model if the request names none */
    size_t output_count;
    struct parameters parameters; /* of the whole answer */
};

struct infer_request {
    /* The protocol folder sets these members. */
    struct arena *arena;
    struct repository *repository;
    struct str model_name;
    struct str model_version; /* empty: the server chooses */
    struct str id;            /* empty if there is none; the protocol folder copies it to the answer */
    uint64_t batch;           /* elements of the batch; 0: not known; infer sets it when the duties are checked */
    struct parameters parameters;
    struct infer_input *inputs;
    size_t input_count;
    struct infer_requested_output *requested;
    size_t requested_count; /* 0: all outputs */
    bool is_streamed;       /* it takes any number of responses */
    bool admitted; /* the request began before the drain (its body took time), so it is finished and not refused */
    struct arena *answer_arena; /* for what one response needs; emit may empty it at its end; NULL: the arena */
    /* Encodes a response. A failure of emit is a failure of the request, and emit is not called again. It sets is_full
     * if a decoupled model should wait for infer_resume. */
    struct status (*emit)(struct infer_request *request, const struct infer_response *response);
    void (*done)(struct infer_request *request);
    bool (*is_awaited)(const struct infer_request *request); /* as in struct execution; NULL: always yes */
    void *context;                                           /* belongs to the protocol folder */

    bool is_full; /* set by emit */

    /* infer sets these members before it calls done. */
    struct status status;
    struct running *running; /* NULL: it does not run */
    uint64_t began;          /* by clock_now */
    struct turn turn;        /* when it is served if it has to wait (policy.h) */
    struct model_hold hold;  /* the model, or none if none was found; infer releases it after done */
};

/* Checks and executes the request. Calls request->emit for each response, then request->done exactly once. The result
 * is in request->status:
 *   NOT_FOUND            no such model or version               (model-known, version-known)
 *   FAILED_PRECONDITION  the model is not ready                 (model-ready)
 *   INVALID_ARGUMENT     a duty of duties.h is broken           (status.broken names it)
 *   UNAVAILABLE          the server drains, and the request was not admitted before; or it waited for longer than
 *                        its timeout; or too many wait to be joined with others (batcher.h)
 *   CANCELLED            its client left while it waited
 *   INTERNAL             the model failed */
void infer(struct infer_request *request);

/* infer_resume lets the model of a request go on, infer_cancel makes it give up. They may be called on any thread, but
 * only after infer has returned and before done is called. After infer_cancel, emit is not called any more, and done is
 * called soon if the model can give up, as every decoupled model can. */
void infer_resume(struct infer_request *request);
void infer_cancel(struct infer_request *request);

/* From now on infer refuses with UNAVAILABLE ("the server is shutting down"), but requests in flight go on. infer does
 * not count them; its callers do: http_in_flight, rpc_in_flight. */
void infer_drain(void);
bool infer_draining(void);

/* Says whether all models of the repository are ready, and the server does not drain. */
bool infer_is_ready(struct repository *repository);
