/* infer: it checks the duties, executes, and passes on the responses. Outside its own memory, a request writes only to
 * the counters of its model: of holders, and of statistics. */
#include "inference/infer.h"

#include "base/clock.h"
#include "inference/classify.h"
#include "inference/duties.h"
#include "inference/policy.h"
#include "models/backend.h"
#include "models/batcher.h"
#include "models/compute.h"
#include "models/config.h"
#include "models/repository.h"
#include "models/statistics.h"
#include <stdatomic.h>

#define ASKED_AFTER_NS ((uint64_t)CLOCK_SECOND / 1000)

/* One execution while a backend works on it. */
struct running {
    struct compute_job job;
    struct execution execution;
    struct infer_request *request;
    struct model_output *chosen; /* room for the requested outputs of a response */
    struct status emitted;       /* the first failure of an emit, or OK */
    uint64_t queued;             /* by clock_now */
    uint64_t emitted_at;         /* when the last emit ended */
    uint64_t emitting_ns;        /* how long all of them took */
    atomic_bool is_cancelled;
};

static atomic_bool draining;

void infer_drain(void)
{
    atomic_store(&draining, true);
    compute_hurry();
}

bool infer_draining(void)
{
    return atomic_load(&draining);
}

bool infer_is_ready(struct repository *repository)
{
    return !infer_draining() && repository_ready(repository);
}

/* `done` may free the request, so the hold is released from a copy. */
static void end(struct infer_request *request, struct status status)
{
    struct model_hold hold = request->hold;
    request->status = status;
    request->done(request);
    model_release(&hold);
}

/* Ends a request that is refused or that failed. If its model is known, it counts as one that the model failed. */
static void fail(struct infer_request *request, struct status status)
{
    if (request->hold.model)
        statistics_fail(request->hold.model->statistics, request->batch, clock_now() - request->began);
    end(request, status);
}

/* Ends a request that succeeded, and adds the times of its parts to the statistics. A request that was joined with
 * others is counted with the times of their common execution; PART_OUTPUT then includes the time in which outputs of
 * the others were encoded. */
static void succeed(struct running *running)
{
    struct infer_request *request = running->request;
    const struct execution *execution = &running->execution;
    struct statistics *statistics = request->hold.model->statistics;
    uint64_t ended = running->emitted_at ? running->emitted_at : (uint64_t)clock_now();
    uint64_t started = (uint64_t)execution->started, prepared = (uint64_t)execution->prepared;
    uint64_t computed = (uint64_t)execution->computed;
    uint64_t ns[PARTS] = {
        [PART_QUEUE] = started - running->queued,
        [PART_INPUT] = running->queued - request->began,
        [PART_INFER] = ended - started - running->emitting_ns,
        [PART_OUTPUT] = running->emitting_ns,
    };
    if (computed != 0) {
        ns[PART_INPUT] += prepared - started;
        ns[PART_INFER] = computed - prepared;
        ns[PART_OUTPUT] = ended - computed;
    }
    statistics_succeed(statistics, request->batch, computed != 0, ns);
    end(request, STATUS_IS_OK);
}

/* Says whether the model answers as often as the request takes answers. */
static struct status check_answers(const struct infer_request *request)
{
    const struct model *model = request->hold.model;
    if (!model->config->is_decoupled || request->is_streamed)
        return STATUS_IS_OK;
    return status_error(
        request->arena, STATUS_UNIMPLEMENTED,
        "model '%s' is decoupled: it gives any number of answers, but this request takes only one; use a stream",
        str_printable(request->arena, model->name));
}

static struct status check(struct infer_request *request)
{
    TRY(duties_check(request));
    TRY(check_answers(request));
    TRY(classify_check(request));
    return policy_read(request);
}

/* Chooses the requested outputs, in the requested order and form. */
static struct status choose_outputs(const struct running *running)
{
    const struct infer_request *request = running->request;
    const struct model *model = request->hold.model;
    for (size_t i = 0; i < request->requested_count; i++) {
        running->chosen[i] = running->execution.outputs[request->requested[i].spec - model->outputs];
        TRY(classify(&request->requested[i], model, request->answer_arena, &running->chosen[i]));
    }
    return STATUS_IS_OK;
}

static bool emit(struct execution *execution)
{
    struct running *running = execution->context;
    if (atomic_load_explicit(&running->is_cancelled, memory_order_relaxed))
        return false;
    struct infer_request *request = running->request;
    const struct model *model = request->hold.model;
    bool all = request->requested_count == 0;
    struct infer_response response = {
        .model = model,
        .outputs = all ? execution->outputs : running->chosen,
        .output_count = all ? model->output_count : request->requested_count,
        .parameters = execution->answer_parameters,
    };
    uint64_t began = clock_now();
    struct status status = choose_outputs(running);
    if (is_ok(status))
        status = request->emit(request, &response);
    running->emitted_at = clock_now();
    running->emitting_ns += running->emitted_at - began;
    if (is_ok(running->emitted))
        running->emitted = status;
    if (!is_ok(status))
        infer_cancel(request);
    bool goes_on = !request->is_full;
    request->is_full = false;
    return goes_on;
}

static void done(struct execution *execution, struct status status)
{
    struct running *running = execution->context;
    if (!is_ok(running->emitted))
        status = running->emitted;
    if (is_ok(status))
        succeed(running);
    else
        fail(running->request, status);
}

static bool is_awaited(const struct execution *execution)
{
    const struct running *running = execution->context;
    const struct infer_request *request = running->request;
    return !atomic_load(&running->is_cancelled) && (!request->is_awaited || request->is_awaited(request));
}

static void execute(struct running *running)
{
    struct model *model = running->request->hold.model;
    model->backend->execute(model, &running->execution);
}

static void refuse_late(struct infer_request *request)
{
    const char *name = str_printable(request->arena, request->hold.model->name);
    fail(request, status_error(request->arena, STATUS_UNAVAILABLE,
                               "the request waited for model '%s' for longer than its timeout", name));
}

/* Whether the client has gone. If the request has hardly waited, the transport is not asked, because over HTTP that
 * takes a system call. */
static bool is_abandoned(const struct running *running)
{
    bool has_waited = (uint64_t)running->execution.started - running->queued > ASKED_AFTER_NS;
    return atomic_load(&running->is_cancelled) || (has_waited && !is_awaited(&running->execution));
}

static void run_job(struct compute_job *job)
{
    struct running *running = (struct running *)job;
    running->execution.started = clock_now();
    if (turn_is_late(&job->turn))
        refuse_late(running->request);
    else if (is_abandoned(running))
        fail(running->request, status_plain(STATUS_CANCELLED, "nobody waits for the answer"));
    else
        execute(running);
}

/* A stream is not joined with others: its requests would wait for one another. */
static void start(struct running *running)
{
    const struct infer_request *request = running->request;
    const struct model *model = request->hold.model;
    running->execution.started = clock_now();
    running->queued = (uint64_t)running->execution.started;
    if (model->batcher && !request->is_streamed && request->batch > 0)
        batcher_execute(model->batcher, &running->execution, request->batch);
    else if (model->on_compute_thread)
        compute_submit(&running->job);
    else
        execute(running);
}

/* Adds the model's defaults (001, "ModelMetadataResponse") to the parameters of the request, its inputs and its
 * requested outputs, where these have no parameter of that name (SPEC_NOTES.md, note 31).
 * v2-rest.parameter-defaults v2-grpc.parameter-defaults */
static bool complete_parameters(const struct infer_request *request, struct execution *execution,
                                struct parameters *inputs, struct parameters *requested)
{
    const struct model *model = request->hold.model;
    bool is_done = parameters_complete(&execution->parameters, &model->parameters, request->arena);
    for (size_t i = 0; i < model->input_count && is_done; i++)
        is_done = parameters_complete(&inputs[i], &model->inputs[i].parameters, request->arena);
    for (size_t i = 0; i < model->output_count && is_done; i++)
        is_done = parameters_complete(&requested[i], &model->outputs[i].parameters, request->arena);
    return is_done;
}

/* Returns how many elements the batch of a request has: 1 if its model takes no batches. */
static uint64_t batch_of(const struct infer_request *request, const struct tensor *first)
{
    const struct model *model = request->hold.model;
    bool is_batched = model->config->max_batch_size > 0 && model->input_count > 0 && first->rank > 0;
    return is_batched ? (uint64_t)first->shape[0] : 1;
}

static struct running *prepare(struct infer_request *request)
{
    const struct model *model = request->hold.model;
    size_t in = model->input_count, out = model->output_count;
    struct running *running = arena_new_of(request->arena, struct running);
    struct tensor *inputs = arena_alloc_zero(request->arena, in, sizeof(*inputs));
    struct parameters *parameters = arena_alloc_zero(request->arena, in + out, sizeof(*parameters));
    struct model_output *outputs = arena_alloc_zero(request->arena, out + request->requested_count, sizeof(*outputs));
    if (!running || !inputs || !parameters || !outputs)
        return NULL;

    struct parameters *requested = parameters + in;
    for (size_t i = 0; i < request->input_count; i++) {
        size_t at = (size_t)(request->inputs[i].spec - model->inputs);
        inputs[at] = request->inputs[i].tensor;
        parameters[at] = request->inputs[i].parameters;
    }
    request->batch = batch_of(request, inputs);
    for (size_t i = 0; i < request->requested_count; i++)
        requested[request->requested[i].spec - model->outputs] = request->requested[i].parameters;
    for (size_t i = 0; i < out; i++) {
        outputs[i].tensor.name = model->outputs[i].name;
        outputs[i].tensor.datatype = model->outputs[i].datatype;
    }
    running->job = (struct compute_job){.turn = request->turn, .run = run_job};
    running->request = request;
    running->chosen = outputs + out;
    running->execution = (struct execution){
        .arena = request->arena,
        .parameters = request->parameters,
        .inputs = inputs,
        .input_parameters = parameters,
        .requested_parameters = requested,
        .turn = request->turn,
        .outputs = outputs,
        .emit = emit,
        .done = done,
        .is_awaited = is_awaited,
        .context = running,
    };
    return complete_parameters(request, &running->execution, parameters, requested) ? running : NULL;
}

void infer_resume(struct infer_request *request)
{
    const struct model *model = request->hold.model;
    if (request->running && model->backend->resume)
        model->backend->resume(&request->running->execution);
}

void infer_cancel(struct infer_request *request)
{
    const struct model *model = request->hold.model;
    if (request->running)
        atomic_store(&request->running->is_cancelled, true);
    if (request->running && model->backend->give_up)
        model->backend->give_up(&request->running->execution);
}

void infer(struct infer_request *request)
{
    request->hold = (struct model_hold){0};
    request->running = NULL;
    if (!request->answer_arena)
        request->answer_arena = request->arena;
    request->began = clock_now();
    if (atomic_load(&draining) && !request->admitted) {
        fail(request, status_plain(STATUS_UNAVAILABLE, "the server is shutting down"));
        return;
    }
    struct status status = check(request);
    struct running *running = is_ok(status) ? prepare(request) : NULL;
    request->running = running;
    if (!running)
        fail(request, is_ok(status) ? status_no_memory() : status);
    else
        start(running);
}
