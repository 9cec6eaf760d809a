/* Built-in models, for what ONNX cannot express. `kind` in the parameters of config.pbtxt chooses one:
 *
 *   failing      fails every request with INTERNAL
 *   gate         a request waits at the gate that INPUT0 names until another one, with the parameter open: true and the
 *                same name, lets it pass: the one that waits longest. The opener passes at once, or, with patient:
 *                true, when there is one who waits; its answer's parameter `released` says how many it let pass, 0 or
 *                1. OUTPUT0 is INPUT0.
 *   parameters   gives back the parameters that it was given: the answer those of the request, OUTPUT0 those of INPUT0,
 *                OUTPUT1 those that are asked of it. OUTPUT0 and OUTPUT1 are INPUT0.
 *   never-loads  its load never ends
 */
#include "models/backends.h"
#include "tensor/raw.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct builtin;

struct kind {
    const char *name;
    struct status (*check)(const struct model *model); /* of its tensors; NULL: any */
    void (*execute)(struct builtin *builtin, struct model *model, struct execution *execution);
    bool never_loads;
};

struct waiting {
    struct execution *execution;
    bool opens;
    struct waiting *next;
};

struct builtin {
    const struct kind *kind;
    pthread_mutex_t mutex;
    struct waiting *first, **last; /* at the gate, oldest first; in the arenas of their requests */
};

/* An output that is the first input. */
static void forward_input(struct execution *execution, size_t output)
{
    struct str name = execution->outputs[output].name;
    execution->outputs[output] = execution->inputs[0];
    execution->outputs[output].name = name;
}

/* --- failing --- */

static void fail(struct builtin *builtin, struct model *model, struct execution *execution)
{
    (void)builtin;
    execution->status = status_error(execution->arena, STATUS_INTERNAL,
                                     "model '%s' failed: it fails every request, which is what it is for",
                                     str_printable(execution->arena, model->name));
    execution->done(execution);
}

/* --- gate --- */

static bool is_one_string(const struct tensor_spec *spec)
{
    return spec->datatype == DATATYPE_BYTES && spec->rank == 1 && spec->shape[0] == 1;
}

static struct status check_gate(const struct model *model)
{
    if (model->input_count == 1 && model->output_count == 1 && is_one_string(&model->inputs[0]) &&
        is_one_string(&model->outputs[0]))
        return STATUS_IS_OK;
    return (struct status){STATUS_INVALID_ARGUMENT, STR("a gate has one input and one output, both BYTES [1]"), NULL};
}

static struct str gate_name(const struct execution *execution)
{
    struct str name = {0};
    size_t offset = 0;
    raw_next_bytes(&execution->inputs[0], &offset, &name);
    return name;
}

static void pass(struct execution *execution)
{
    forward_input(execution, 0);
    execution->status = STATUS_IS_OK;
    execution->done(execution);
}

/* The one that is longest at the gate of that name, as one who opens it or as one who waits; NULL: nobody. */
static struct waiting *take_oldest(struct builtin *builtin, struct str gate, bool opens)
{
    struct waiting **at = &builtin->first;
    while (*at && ((*at)->opens != opens || !str_equal(gate_name((*at)->execution), gate)))
        at = &(*at)->next;
    struct waiting *found = *at;
    if (found) {
        *at = found->next;
        if (builtin->last == &found->next)
            builtin->last = at;
    }
    return found;
}

static bool is_set(const struct execution *execution, const char *name)
{
    const struct parameter *parameter = parameters_find(&execution->parameters, name);
    return parameter && parameter->kind == PARAMETER_BOOL && parameter->boolean;
}

static void answer_opener(struct execution *execution, int64_t count)
{
    struct parameter *released = arena_new_of(execution->arena, struct parameter);
    if (!released) {
        execution->status = status_no_memory();
        execution->done(execution);
        return;
    }
    *released = (struct parameter){.name = STR("released"), .kind = PARAMETER_INT64, .int64 = count};
    execution->answer_parameters = (struct parameters){released, 1};
    pass(execution);
}

/* Who opens meets the one who waits longest, and the other way round; else both but an impatient opener stay. */
static void come_to_gate(struct builtin *builtin, struct execution *execution, bool opens, bool stays)
{
    struct waiting *self = arena_new_of(execution->arena, struct waiting);
    if (!self) {
        execution->status = status_no_memory();
        execution->done(execution);
        return;
    }
    *self = (struct waiting){.execution = execution, .opens = opens};
    pthread_mutex_lock(&builtin->mutex);
    struct waiting *other = take_oldest(builtin, gate_name(execution), !opens);
    if (!other && stays) {
        *builtin->last = self;
        builtin->last = &self->next;
    }
    pthread_mutex_unlock(&builtin->mutex);
    if (other) {
        pass(opens ? other->execution : execution);
        answer_opener(opens ? execution : other->execution, 1);
    } else if (!stays) {
        answer_opener(execution, 0);
    }
}

static void execute_gate(struct builtin *builtin, struct model *model, struct execution *execution)
{
    (void)model;
    bool opens = is_set(execution, "open");
    come_to_gate(builtin, execution, opens, !opens || is_set(execution, "patient"));
}

/* --- parameters --- */

static struct status check_parameters(const struct model *model)
{
    if (model->input_count == 1 && model->output_count == 2 &&
        model->outputs[0].datatype == model->inputs[0].datatype &&
        model->outputs[1].datatype == model->inputs[0].datatype)
        return STATUS_IS_OK;
    return (struct status){STATUS_INVALID_ARGUMENT,
                           STR("a model of parameters has one input and two outputs, all of one datatype"), NULL};
}

static void give_back(struct builtin *builtin, struct model *model, struct execution *execution)
{
    (void)builtin, (void)model;
    forward_input(execution, 0);
    forward_input(execution, 1);
    execution->answer_parameters = execution->parameters;
    execution->output_parameters[0] = execution->input_parameters[0];
    execution->output_parameters[1] = execution->requested_parameters[1];
    execution->status = STATUS_IS_OK;
    execution->done(execution);
}

/* --- never-loads --- */

static pthread_mutex_t load_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t load_cancelled = PTHREAD_COND_INITIALIZER;

static void load_forever(struct model *model)
{
    pthread_mutex_lock(&load_mutex);
    while (atomic_load(&model->state) == MODEL_LOADING)
        pthread_cond_wait(&load_cancelled, &load_mutex);
    pthread_mutex_unlock(&load_mutex);
}

static void cancel(struct model *model)
{
    (void)model;
    pthread_mutex_lock(&load_mutex);
    pthread_cond_broadcast(&load_cancelled);
    pthread_mutex_unlock(&load_mutex);
}

/* --- The backend --- */

static const struct kind kinds[] = {
    {.name = "failing", .execute = fail},
    {.name = "gate", .check = check_gate, .execute = execute_gate},
    {.name = "parameters", .check = check_parameters, .execute = give_back},
    {.name = "never-loads", .execute = fail, .never_loads = true},
};

static const struct kind *kind_named(struct str name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (str_is(name, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static struct status read_specs(struct model *model, const struct config_tensor *tensors, size_t count,
                                struct tensor_spec **specs)
{
    struct arena *arena = &model->arena;
    size_t batch = model->config->max_batch_size > 0;
    *specs = arena_alloc_zero(arena, count, sizeof(**specs));
    if (!*specs)
        return status_no_memory();
    for (size_t i = 0; i < count; i++) {
        struct tensor_spec *spec = &(*specs)[i];
        int64_t *shape = arena_alloc_zero(arena, tensors[i].rank + batch, sizeof(*shape));
        if (!shape)
            return status_no_memory();
        if (tensors[i].datatype == DATATYPE_NONE || tensors[i].name.size == 0)
            return status_error(arena, STATUS_INVALID_ARGUMENT,
                                "config.pbtxt: tensor '%s' needs a name and a data_type",
                                str_printable(arena, tensors[i].name));
        if (batch)
            shape[0] = -1;
        for (size_t j = 0; j < tensors[i].rank; j++)
            shape[batch + j] = tensors[i].dims[j] < 0 ? -1 : tensors[i].dims[j];
        *spec = (struct tensor_spec){
            .name = tensors[i].name, .datatype = tensors[i].datatype, .shape = shape, .rank = tensors[i].rank + batch};
    }
    return STATUS_IS_OK;
}

static struct status load(struct model *model)
{
    const struct model_config *config = model->config;
    const struct parameter *named = parameters_find(&model->settings, "kind");
    const struct kind *kind = named ? kind_named(named->string) : NULL;
    if (!kind)
        return status_error(&model->arena, STATUS_INVALID_ARGUMENT,
                            "config.pbtxt: backend \"oip\" needs the parameter \"kind\": \"failing\", \"gate\", "
                            "\"parameters\" or \"never-loads\", not \"%s\"",
                            named ? str_printable(&model->arena, named->string) : "");

    struct status status = read_specs(model, config->inputs, config->input_count, &model->inputs);
    if (is_ok(status))
        status = read_specs(model, config->outputs, config->output_count, &model->outputs);
    if (!is_ok(status))
        return status;
    model->input_count = config->input_count;
    model->output_count = config->output_count;
    model->platform = STR("oip_builtin");
    if (kind->check)
        status = kind->check(model);
    if (!is_ok(status))
        return status;

    struct builtin *builtin = arena_new_of(&model->arena, struct builtin);
    if (!builtin)
        return status_no_memory();
    builtin->kind = kind;
    builtin->last = &builtin->first;
    pthread_mutex_init(&builtin->mutex, NULL);
    model->implementation = builtin;
    if (kind->never_loads)
        load_forever(model);
    return STATUS_IS_OK;
}

static void execute(struct model *model, struct execution *execution)
{
    struct builtin *builtin = model->implementation;
    builtin->kind->execute(builtin, model, execution);
}

static void unload(struct model *model)
{
    struct builtin *builtin = model->implementation;
    if (!builtin)
        return;
    pthread_mutex_lock(&builtin->mutex);
    struct waiting *waiting = builtin->first;
    builtin->first = NULL;
    builtin->last = &builtin->first;
    pthread_mutex_unlock(&builtin->mutex);
    while (waiting) {
        struct execution *execution = waiting->execution;
        waiting = waiting->next;
        execution->status = status_error(execution->arena, STATUS_UNAVAILABLE, "model '%s' is being unloaded",
                                         str_printable(execution->arena, model->name));
        execution->done(execution);
    }
    pthread_mutex_destroy(&builtin->mutex);
}

const struct backend backend_oip = {
    .name = "oip", .load = load, .execute = execute, .unload = unload, .cancel = cancel};
