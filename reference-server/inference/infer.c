/* infer: duties, execution, outputs. All that a request needs is one allocation in its arena; the only shared memory
 * that it writes are the counter below and its model's. */
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

static atomic_size_t in_flight;
static atomic_bool draining;

size_t infer_in_flight(void)
{
    return atomic_load(&in_flight);
}

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
    atomic_fetch_sub(&in_flight, 1);
}

static struct status check_duties(struct infer_request *request)
{
    for (const struct duty *duty = infer_duties; duty < infer_duties + infer_duty_count; duty++) {
        struct status status = STATUS_IS_OK;
        if (!duty_is_off(request->switches, duty->slug)) {
            status = duty->check(request, duty);
        } else if (duty->amend) {
            request->status = STATUS_IS_OK;
            duty->amend(request);
            status = request->status;
        }
        if (!is_ok(status))
            return status;
    }
    return STATUS_IS_OK;
}

static size_t output_position(const struct model *model, struct str name)
{
    size_t i = 0;
    while (!str_equal(model->outputs[i].name, name))
        i++;
    return i;
}

/* The outputs that were asked for, in that order; all of the model's if none was. */
static void answer_outputs(struct infer_request *request, const struct running *running)
{
    const struct model *model = request->model;
    request->outputs = running->outputs;
    if (request->requested_count == 0) {
        request->output_count = model->output_count;
        for (size_t i = 0; i < model->output_count; i++)
            request->outputs[i].tensor = running->execution.outputs[i];
    } else {
        request->output_count = request->requested_count;
        for (size_t i = 0; i < request->requested_count; i++)
            request->outputs[i].tensor = running->execution.outputs[output_position(model, request->requested[i].name)];
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

static const struct infer_input *input_named(const struct infer_request *request, struct str name)
{
    for (size_t i = 0; i < request->input_count; i++)
        if (str_equal(request->inputs[i].tensor.name, name))
            return &request->inputs[i];
    return NULL;
}

static struct running *prepare(struct infer_request *request)
{
    const struct model *model = request->model;
    size_t answered = request->requested_count ? request->requested_count : model->output_count;
    struct running *running = arena_new_of(request->arena, struct running);
    struct tensor *tensors =
        arena_alloc_zero(request->arena, model->input_count + model->output_count, sizeof(*tensors));
    struct infer_output *outputs = arena_alloc_zero(request->arena, answered, sizeof(*outputs));
    if (!running || !tensors || !outputs)
        return NULL;

    for (size_t i = 0; i < model->input_count; i++) {
        /* Mostly the inputs come in the model's order. */
        const struct infer_input *input =
            i < request->input_count && str_equal(request->inputs[i].tensor.name, model->inputs[i].name)
                ? &request->inputs[i]
                : input_named(request, model->inputs[i].name);
        if (input) /* always, after the duties */
            tensors[i] = input->tensor;
    }
    struct tensor *results = tensors + model->input_count;
    for (size_t i = 0; i < model->output_count; i++) {
        results[i].name = model->outputs[i].name;
        results[i].datatype = model->outputs[i].datatype;
    }
    running->job.run = run_job;
    running->request = request;
    running->outputs = outputs;
    running->execution = (struct execution){
        .arena = request->arena,
        .parameters = &request->parameters,
        .inputs = tensors,
        .outputs = results,
        .output_parameters = &request->output_parameters,
        .done = executed,
        .context = running,
    };
    return running;
}

void infer(struct infer_request *request)
{
    atomic_fetch_add(&in_flight, 1); /* before the look at `draining`: who drains waits for it */
    request->model = NULL;
    request->outputs = NULL;
    request->output_count = 0;
    request->output_parameters = (struct parameters){0};
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

void infer_release(struct infer_request *request)
{
    if (request->model)
        model_release(request->model);
    request->model = NULL;
}
