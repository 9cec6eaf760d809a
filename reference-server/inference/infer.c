/* infer: duties, execution, outputs. A request writes no memory but its own. */
#include "inference/infer.h"

#include "inference/compute.h"
#include "inference/duties.h"
#include "models/repository.h"
#include <stdatomic.h>

/* One execution on its way through a backend. */
struct running {
    struct compute_job job;
    struct execution execution;
    struct infer_request *request;
    struct infer_output *outputs; /* room for the answer's */
};

static atomic_bool draining;

void infer_drain(void)
{
    atomic_store(&draining, true);
}

bool infer_draining(void)
{
    return atomic_load(&draining);
}

static void finish(struct infer_request *request, struct status status)
{
    request->status = status;
    request->done(request);
}

static struct status check_duties(struct infer_request *request)
{
    for (const struct duty *duty = infer_duties; duty < infer_duties + infer_duty_count; duty++) {
        struct status status;
        if (!duty_is_off(request->switches, duty->slug) || !duty->amend) {
            status = duty->check(request, duty);
        } else {
            request->status = STATUS_IS_OK;
            duty->amend(request);
            status = request->status;
        }
        if (!is_ok(status))
            return status;
    }
    return STATUS_IS_OK;
}

/* The outputs that were asked for, in that order; all of the model's if none was. */
static void answer_outputs(struct infer_request *request, const struct running *running)
{
    const struct model *model = request->model;
    const struct execution *execution = &running->execution;
    request->answer_parameters = execution->answer_parameters;
    request->outputs = running->outputs;
    request->output_count = request->requested_count ? request->requested_count : model->output_count;
    for (size_t i = 0; i < request->output_count; i++) {
        size_t at = request->requested_count ? (size_t)(request->requested[i].spec - model->outputs) : i;
        request->outputs[i] = (struct infer_output){execution->outputs[at], execution->output_parameters[at]};
    }
}

static void executed(struct execution *execution)
{
    struct running *running = execution->context;
    if (is_ok(execution->status))
        answer_outputs(running->request, running);
    finish(running->request, execution->status);
}

static void run_job(struct compute_job *job)
{
    struct running *running = (struct running *)job;
    struct model *model = running->request->model;
    model->backend->execute(model, &running->execution);
}

/* Where the request has no parameters, the model's defaults (001, "ModelMetadataResponse").
 * v2-rest.parameter-defaults v2-grpc.parameter-defaults */
static bool complete_parameters(const struct infer_request *request, struct execution *execution,
                                struct parameters *inputs, struct parameters *requested)
{
    const struct model *model = request->model;
    if (duty_is_off(request->switches, "parameter-defaults"))
        return true;
    bool done = parameters_complete(&execution->parameters, &model->parameters, request->arena);
    for (size_t i = 0; i < model->input_count && done; i++)
        done = parameters_complete(&inputs[i], &model->inputs[i].parameters, request->arena);
    for (size_t i = 0; i < model->output_count && done; i++)
        done = parameters_complete(&requested[i], &model->outputs[i].parameters, request->arena);
    return done;
}

static struct running *prepare(struct infer_request *request)
{
    const struct model *model = request->model;
    size_t in = model->input_count, out = model->output_count;
    struct running *running = arena_new_of(request->arena, struct running);
    struct tensor *tensors = arena_alloc_zero(request->arena, in + out, sizeof(*tensors));
    struct parameters *parameters = arena_alloc_zero(request->arena, in + 2 * out, sizeof(*parameters));
    struct infer_output *outputs =
        arena_alloc_zero(request->arena, request->requested_count ? request->requested_count : out, sizeof(*outputs));
    if (!running || !tensors || !parameters || !outputs)
        return NULL;

    struct parameters *requested = parameters + in;
    for (size_t i = 0; i < request->input_count; i++) {
        size_t at = (size_t)(request->inputs[i].spec - model->inputs);
        tensors[at] = request->inputs[i].tensor;
        parameters[at] = request->inputs[i].parameters;
    }
    for (size_t i = 0; i < request->requested_count; i++)
        requested[request->requested[i].spec - model->outputs] = request->requested[i].parameters;
    struct tensor *results = tensors + in;
    for (size_t i = 0; i < out; i++) {
        results[i].name = model->outputs[i].name;
        results[i].datatype = model->outputs[i].datatype;
    }
    running->job.run = run_job;
    running->request = request;
    running->outputs = outputs;
    running->execution = (struct execution){
        .arena = request->arena,
        .parameters = request->parameters,
        .inputs = tensors,
        .input_parameters = parameters,
        .requested_parameters = requested,
        .outputs = results,
        .output_parameters = requested + out,
        .done = executed,
        .context = running,
    };
    return complete_parameters(request, &running->execution, parameters, requested) ? running : NULL;
}

void infer(struct infer_request *request)
{
    request->model = NULL;
    request->outputs = NULL;
    request->output_count = 0;
    request->answer_parameters = (struct parameters){0};
    if (atomic_load(&draining) && !request->admitted) {
        finish(request, (struct status){STATUS_UNAVAILABLE, STR("the server is shutting down"), NULL});
        return;
    }
    struct status status = check_duties(request);
    struct running *running = is_ok(status) && request->model ? prepare(request) : NULL;
    if (!running)
        finish(request, is_ok(status) ? status_no_memory() : status);
    else if (request->model->heavy)
        compute_submit(&running->job);
    else
        run_job(&running->job);
}
