/* A model in which requests wait. INPUT0 names a gate. A request waits at its gate until an opener comes: a request
 * with the parameter open: true and the same name. An opener lets one request pass, the one that has waited longest. It
 * passes at once itself, or, with patient: true, waits until there is a request to let pass. The parameter `released`
 * of its answer says how many requests it let pass: 0 or 1. OUTPUT0 is INPUT0.
 *
 * All models of this kind share their gates, so a request that waits in a model can pass while the model is being
 * unloaded: the opener comes through another one.
 *
 * Who waits goes with its client: a request or an opener whose client has left is met by nobody. */
#include "backends/builtin/builtin.h"

#include "tensor/raw.h"
#include <pthread.h>

struct waiting {
    struct execution *execution;
    const struct model *model; /* in which it waits */
    bool opens;
    struct waiting *next;
};

static struct {
    pthread_mutex_t mutex;
    struct waiting *first, **last; /* oldest first; each lies in the arena of its request */
} gates = {.mutex = PTHREAD_MUTEX_INITIALIZER, .last = &gates.first};

static bool is_one_string(const struct tensor_spec *spec)
{
    return spec->datatype == DATATYPE_BYTES && spec->rank == 1 && spec->shape[0] == 1;
}

static struct status check(const struct model *model)
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
    builtin_forward(execution, 0);
    execution->emit(execution);
    execution->done(execution, STATUS_IS_OK);
}

static struct waiting *take(struct waiting **at)
{
    struct waiting *found = *at;
    if (found) {
        *at = found->next;
        if (gates.last == &found->next)
            gates.last = at;
    }
    return found;
}

/* Takes the oldest opener, or the oldest waiting request, at the gate of that name. Returns NULL if there is none. */
static struct waiting *take_any(struct str name, bool opens)
{
    struct waiting **at = &gates.first;
    while (*at && ((*at)->opens != opens || !str_equal(gate_name((*at)->execution), name)))
        at = &(*at)->next;
    return take(at);
}

/* As take_any, but passes over those whose client has left. These are taken too, and put before `*left`. */
static struct waiting *take_oldest(struct str name, bool opens, struct waiting **left)
{
    struct waiting *found;
    while ((found = take_any(name, opens)) && !found->execution->is_awaited(found->execution)) {
        found->next = *left;
        *left = found;
    }
    return found;
}

/* Fails all in the list with UNAVAILABLE. Each entry is freed with its request. */
static void fail_all(struct waiting *waiting, const char *why)
{
    while (waiting) {
        struct execution *execution = waiting->execution;
        const struct model *model = waiting->model;
        waiting = waiting->next;
        execution->done(execution, status_error(execution->arena, STATUS_UNAVAILABLE, "model '%s' %s",
                                                str_printable(execution->arena, model->name), why));
    }
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
        execution->done(execution, status_no_memory());
        return;
    }
    *released = (struct parameter){.name = STR("released"), .kind = PARAMETER_INT64, .int64 = count};
    execution->answer_parameters = (struct parameters){released, 1};
    pass(execution);
}

/* Lets an opener and the longest waiting request pass together, whichever comes last. If there is no partner,
 * `execution` stays; an opener that is not patient is answered at once instead. */
static void come(struct model *model, struct execution *execution, bool opens, bool stays)
{
    struct waiting *self = arena_new_of(execution->arena, struct waiting);
    if (!self) {
        execution->done(execution, status_no_memory());
        return;
    }
    *self = (struct waiting){.execution = execution, .model = model, .opens = opens};
    struct waiting *left = NULL;
    pthread_mutex_lock(&gates.mutex);
    struct waiting *other = take_oldest(gate_name(execution), !opens, &left);
    if (!other && stays) {
        *gates.last = self;
        gates.last = &self->next;
    }
    pthread_mutex_unlock(&gates.mutex);
    fail_all(left, "waits for nobody whose client has left");
    if (other) {
        pass(opens ? other->execution : execution);
        answer_opener(opens ? execution : other->execution, 1);
    } else if (!stays) {
        answer_opener(execution, 0);
    }
}

static void execute(struct model *model, void *own, struct execution *execution)
{
    (void)own;
    bool opens = is_set(execution, "open");
    come(model, execution, opens, !opens || is_set(execution, "patient"));
}

static void unload(struct model *model, void *own)
{
    (void)own;
    struct waiting *left = NULL;
    pthread_mutex_lock(&gates.mutex);
    for (struct waiting **at = &gates.first; *at;) {
        if ((*at)->model != model) {
            at = &(*at)->next;
            continue;
        }
        struct waiting *found = take(at);
        found->next = left;
        left = found;
    }
    pthread_mutex_unlock(&gates.mutex);
    fail_all(left, "is being unloaded");
}

const struct builtin builtin_gate = {.kind = "gate", .check = check, .execute = execute, .unload = unload};
