/* A model in which requests wait. INPUT0 names a gate. A request waits at its gate until an opener comes: a request
 * with the parameter open: true and the same name. An opener lets `count` requests pass (1 if it does not say), in the
 * order of their turns (models/turn.h); the parameter `turn` of their answers says who passed first, from 1. It passes
 * at once itself, whoever is there, or, with patient: true, waits until there are as many requests to let pass. The
 * parameter `released` of its answer says how many requests it let pass. OUTPUT0 is INPUT0.
 *
 * Who waits goes with its client: a request or an opener whose client has left is met by nobody. Who waits for longer
 * than its timeout is refused, by a thread of the gate. */
#include "backends/builtin/builtin.h"

#include "tensor/raw.h"
#include <pthread.h>
#include <time.h>

struct waiting {
    struct turn turn; /* must be the first member */
    struct execution *execution;
    bool opens, is_patient;
    uint64_t count;       /* of an opener: how many it lets pass */
    struct waiting *next; /* in a list of those that were taken out of the line */
};

struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* the line has a deadline more, or the gate closes */
    struct line line;       /* each lies in the arena of its request */
    pthread_t clock;
    bool closes;
    struct model *model;
};

/* Those who were taken out of the line, in the order in which they were taken. */
struct taken {
    struct waiting *first, **end;
};

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

/* --- The line; the mutex of the gate is held --- */

static void take(struct gate *gate, struct waiting *waiting, struct taken *taken)
{
    line_leave(&gate->line, &waiting->turn);
    waiting->next = NULL;
    *taken->end = waiting;
    taken->end = &waiting->next;
}

/* Returns the first opener, or the first waiting request, behind `at` (NULL: of all) at the gate of that name. */
static struct waiting *find(const struct gate *gate, const struct waiting *at, struct str name, bool opens)
{
    struct turn *turn = at ? at->turn.next : gate->line.first;
    for (; turn; turn = turn->next) {
        struct waiting *waiting = (struct waiting *)turn;
        if (waiting->opens == opens && str_equal(gate_name(waiting->execution), name))
            return waiting;
    }
    return NULL;
}

/* Takes those whose client has left; `self`, who just came, is not asked. */
static void take_left(struct gate *gate, const struct waiting *self, bool opens, struct taken *left)
{
    struct str name = gate_name(self->execution);
    struct waiting *next = find(gate, NULL, name, opens);
    while (next) {
        struct waiting *waiting = next;
        next = find(gate, waiting, name, opens);
        if (waiting != self && !waiting->execution->is_awaited(waiting->execution))
            take(gate, waiting, left);
    }
}

/* Takes those who meet at the gate of that name: an opener, and behind it the requests that it lets pass. */
static void take_meeting(struct gate *gate, struct str name, struct taken *met)
{
    uint64_t present = 0;
    for (const struct waiting *each = NULL; (each = find(gate, each, name, false));)
        present++;
    struct waiting *opener = find(gate, NULL, name, true);
    while (opener && opener->is_patient && present < opener->count)
        opener = find(gate, opener, name, true);
    if (!opener)
        return;
    take(gate, opener, met);
    for (uint64_t i = 0; i < opener->count && i < present; i++)
        take(gate, find(gate, NULL, name, false), met);
}

static void take_late(struct gate *gate, struct taken *late)
{
    struct turn *next = gate->line.first;
    while (next) {
        struct turn *turn = next;
        next = turn->next;
        if (turn_is_late(turn))
            take(gate, (struct waiting *)turn, late);
    }
}

/* --- Answers; the mutex is not held, since an answer frees the request with its place in the line --- */

/* Fails all with UNAVAILABLE. */
static void fail_all(struct waiting *waiting, const struct gate *gate, const char *why)
{
    while (waiting) {
        struct execution *execution = waiting->execution;
        waiting = waiting->next;
        execution->done(execution, status_error(execution->arena, STATUS_UNAVAILABLE, "model '%s' %s",
                                                str_printable(execution->arena, gate->model->name), why));
    }
}

static void pass(struct execution *execution, struct str name, uint64_t value)
{
    struct parameter *given = arena_new_of(execution->arena, struct parameter);
    if (!given) {
        execution->done(execution, status_no_memory());
        return;
    }
    *given = (struct parameter){.name = name, .kind = PARAMETER_INT64, .int64 = (int64_t)value};
    execution->answer_parameters = (struct parameters){given, 1};
    builtin_forward(execution, 0);
    execution->emit(execution);
    execution->done(execution, STATUS_IS_OK);
}

/* The opener is answered last. */
static void pass_all(struct waiting *opener)
{
    struct waiting *next = opener ? opener->next : NULL;
    uint64_t passed = 0;
    while (next) {
        struct waiting *waiting = next;
        next = waiting->next;
        pass(waiting->execution, STR("turn"), ++passed);
    }
    if (opener)
        pass(opener->execution, STR("released"), passed);
}

/* --- The thread that refuses who is late --- */

static void sleep_until(struct gate *gate, int64_t deadline)
{
    struct timespec until = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};
    if (deadline == TURN_NO_DEADLINE)
        pthread_cond_wait(&gate->changed, &gate->mutex);
    else
        pthread_cond_timedwait(&gate->changed, &gate->mutex, &until);
}

static void *refuse_late(void *own)
{
    struct gate *gate = own;
    pthread_mutex_lock(&gate->mutex);
    while (!gate->closes) {
        struct taken late = {NULL, &late.first};
        take_late(gate, &late);
        if (late.first) {
            pthread_mutex_unlock(&gate->mutex);
            fail_all(late.first, gate, "lets nobody wait for longer than its timeout");
            pthread_mutex_lock(&gate->mutex);
        } else {
            sleep_until(gate, line_deadline(&gate->line));
        }
    }
    pthread_mutex_unlock(&gate->mutex);
    return NULL;
}

/* --- The model --- */

static struct status load(struct model *model, void **own)
{
    struct gate *gate = arena_new_of(&model->arena, struct gate);
    pthread_condattr_t monotonic;
    if (!gate)
        return status_no_memory();
    gate->model = model;
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&gate->changed, &monotonic);
    int fault = pthread_create(&gate->clock, NULL, refuse_late, gate);
    if (fault)
        return status_error(&model->arena, STATUS_RESOURCE_EXHAUSTED, "a gate cannot start its thread: %s",
                            strerror(fault));
    *own = gate;
    return STATUS_IS_OK;
}

static bool is_set(const struct execution *execution, const char *name)
{
    const struct parameter *parameter = parameters_find(&execution->parameters, name);
    return parameter && parameter->kind == PARAMETER_BOOL && parameter->boolean;
}

static uint64_t count_of(const struct execution *execution)
{
    const struct parameter *count = parameters_find(&execution->parameters, "count");
    return count && count->kind == PARAMETER_INT64 && count->int64 > 0 ? (uint64_t)count->int64 : 1;
}

static void execute(struct model *model, void *own, struct execution *execution)
{
    struct gate *gate = own;
    struct waiting *self = arena_new_of(execution->arena, struct waiting);
    (void)model;
    if (!self) {
        execution->done(execution, status_no_memory());
        return;
    }
    *self = (struct waiting){.turn = execution->turn,
                             .execution = execution,
                             .opens = is_set(execution, "open"),
                             .is_patient = is_set(execution, "patient"),
                             .count = count_of(execution)};
    struct taken left = {NULL, &left.first}, met = {NULL, &met.first};
    pthread_mutex_lock(&gate->mutex);
    line_join(&gate->line, &self->turn);
    take_left(gate, self, !self->opens, &left);
    take_meeting(gate, gate_name(execution), &met);
    if (execution->turn.deadline != TURN_NO_DEADLINE)
        pthread_cond_signal(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
    fail_all(left.first, gate, "waits for nobody whose client has left");
    pass_all(met.first);
}

static void unload(struct model *model, void *own)
{
    struct gate *gate = own;
    struct taken rest = {NULL, &rest.first};
    (void)model;
    pthread_mutex_lock(&gate->mutex);
    gate->closes = true;
    while (gate->line.first)
        take(gate, (struct waiting *)gate->line.first, &rest);
    pthread_cond_signal(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
    pthread_join(gate->clock, NULL);
    fail_all(rest.first, gate, "is being unloaded");
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->mutex);
}

const struct builtin builtin_gate = {
    .kind = "gate", .check = check, .load = load, .execute = execute, .unload = unload};
