/* A model in which requests wait. INPUT0 names a gate. A request waits at its gate until an opener comes: a request
 * with the parameter open: true and the same name. An opener lets one request pass, the one that has waited longest. It
 * passes at once itself, or, with patient: true, waits until there is a request to let pass. The parameter `released`
 * of its answer says how many requests it let pass: 0 or 1. OUTPUT0 is INPUT0. A request with the parameter see: true
 * lets nobody pass; it passes itself as soon as there is a request that waits.
 *
 * All models of this kind share their gates, so a request that waits in a model can pass while the model is being
 * unloaded: the opener comes through another one.
 *
 * Who waits goes with its client: a request or an opener whose client has left is met by nobody. */
#include "backends/builtin/builtin.h"

#include "tensor/raw.h"
#include <pthread.h>

enum role { WAITS, OPENS, SEES };

struct waiting {
    struct execution *execution;
    const struct model *model; /* in which it waits */
    enum role role;
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

/* Returns the place of the oldest of that role at the gate of that name; that of NULL if there is none. */
static struct waiting **find(struct str name, enum role role)
{
    struct waiting **at = &gates.first;
    while (*at && ((*at)->role != role || !str_equal(gate_name((*at)->execution), name)))
        at = &(*at)->next;
    return at;
}

/* Takes the oldest of that role at the gate of that name; NULL if there is none. Passes over those whose client has
 * left: these are taken too, and put before `*left`. */
static struct waiting *take_oldest(struct str name, enum role role, struct waiting **left)
{
    struct waiting *found;
    while ((found = take(find(name, role))) && !found->execution->is_awaited(found->execution)) {
        found->next = *left;
        *left = found;
    }
    return found;
}

/* Whether a request waits at the gate of that name. */
static bool is_waited_at(struct str name, struct waiting **left)
{
    struct waiting *oldest = take_oldest(name, WAITS, left);
    if (!oldest)
        return false;
    oldest->next = gates.first;
    gates.last = gates.first ? gates.last : &oldest->next;
    gates.first = oldest;
    return true;
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

static void stay(struct waiting *self)
{
    *gates.last = self;
    gates.last = &self->next;
}

/* Answers those who wanted to see that a request waits. */
static void answer_all(struct waiting *seeing)
{
    while (seeing) {
        struct execution *execution = seeing->execution;
        seeing = seeing->next;
        answer_opener(execution, 0);
    }
}

/* Lets an opener and the longest waiting request pass together, whichever comes last. If there is no partner,
 * `execution` stays; an opener that is not patient is answered at once instead. */
static void come(struct model *model, struct execution *execution, enum role role, bool stays)
{
    struct waiting *self = arena_new_of(execution->arena, struct waiting);
    if (!self) {
        execution->done(execution, status_no_memory());
        return;
    }
    *self = (struct waiting){.execution = execution, .model = model, .role = role};
    struct waiting *left = NULL, *other = NULL, *seeing = NULL, *one;
    struct str name = gate_name(execution);
    bool opens = role == OPENS;
    pthread_mutex_lock(&gates.mutex);
    if (role == SEES)
        stays = !is_waited_at(name, &left);
    else
        other = take_oldest(name, opens ? WAITS : OPENS, &left);
    while (!other && role == WAITS && (one = take_oldest(name, SEES, &left))) {
        one->next = seeing;
        seeing = one;
    }
    if (!other && stays)
        stay(self);
    pthread_mutex_unlock(&gates.mutex);
    fail_all(left, "waits for nobody whose client has left");
    answer_all(seeing);
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
    enum role role = is_set(execution, "see") ? SEES : is_set(execution, "open") ? OPENS : WAITS;
    come(model, execution, role, role != OPENS || is_set(execution, "patient"));
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
