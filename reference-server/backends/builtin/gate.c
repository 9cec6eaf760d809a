/* A model in which requests wait. INPUT0 names a gate. A request waits at its gate until an opener comes: a request
 * with the parameter open: true and the same name. An opener lets `count` requests pass (1 if it does not say), in the
 * order of their turns (models/turn.h); the parameter `turn` of their answers says who passed first, from 1. It passes
 * at once itself, whoever is there, or, with patient: true, waits until there are as many requests to let pass. The
 * parameter `released` of its answer says how many requests it let pass. OUTPUT0 is INPUT0. A request with the
 * parameter see: true lets nobody pass; it passes itself as soon as there is a request that waits. Where a protocol has
 * no parameters, INPUT0 says it: "see:NAME" is a request that sees, "open:NAME" an opener, "meet:NAME" a patient one.
 *
 * All models of this kind share their gates, so a request that waits in a model can pass while the model is being
 * unloaded: the opener comes through another one.
 *
 * A request or an opener whose client has left waits no longer, and is met by no other. A thread of the gates looks for
 * those, and refuses who waits for longer than its timeout. Only so many wait at a time, since each one that comes
 * looks at all. */
#include "backends/builtin/builtin.h"

#include "base/clock.h"
#include "tensor/raw.h"
#include <pthread.h>

#define WAITING_MAX 1024 /* at all gates together */
#define GLANCE      (CLOCK_SECOND / 4)

enum role { WAITS, OPENS, SEES };

struct waiting {
    struct turn turn; /* must be the first member */
    struct execution *execution;
    const struct model *model; /* in which it waits */
    struct str name;           /* of the gate */
    enum role role;
    bool is_patient;
    uint64_t count;       /* of an opener: how many it lets pass */
    struct waiting *next; /* in a list of those that were taken out of the line */
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* the line is no longer empty, or has a deadline more, or the last model is unloaded */
    struct line line;       /* each lies in the arena of its request */
    size_t count;           /* of those in the line */
    bool closes;

    pthread_mutex_t using; /* for what follows */
    size_t models;         /* that are loaded; the thread runs while there are any */
    pthread_t clock;
} gates = {.mutex = PTHREAD_MUTEX_INITIALIZER, .using = PTHREAD_MUTEX_INITIALIZER};

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
    return status_plain(STATUS_INVALID_ARGUMENT, "a gate has one input and one output, both BYTES [1]");
}

/* What INPUT0 says of the request, before the name of the gate. */
static const struct said {
    const char *prefix;
    enum role role;
    bool is_patient;
} said_of[] = {{"see:", SEES, false}, {"open:", OPENS, false}, {"meet:", OPENS, true}, {"", WAITS, false}};

static const struct said *read_input(const struct execution *execution, struct str *name)
{
    const struct said *said = said_of;
    struct str text = {0};
    size_t offset = 0;
    raw_next_bytes(&execution->inputs[0], &offset, &text);
    while (!str_starts(text, str_of(said->prefix)))
        said++;
    *name = str_from(text, strlen(said->prefix));
    return said;
}

/* --- The line; the mutex of the gates is held --- */

static void take(struct waiting *waiting, struct taken *taken)
{
    line_leave(&gates.line, &waiting->turn);
    gates.count--;
    waiting->next = NULL;
    *taken->end = waiting;
    taken->end = &waiting->next;
}

/* Returns the first of that role behind `at` (NULL: of all) at the gate of that name. */
static struct waiting *find(const struct waiting *at, struct str name, enum role role)
{
    struct turn *turn = at ? at->turn.next : gates.line.first;
    for (; turn; turn = turn->next) {
        struct waiting *waiting = (struct waiting *)turn;
        if (waiting->role == role && str_equal(waiting->name, name))
            return waiting;
    }
    return NULL;
}

/* Takes the requests whose client has left; `self`, which just came, is not asked. */
static void take_left(const struct waiting *self, enum role role, struct taken *left)
{
    struct waiting *next = find(NULL, self->name, role);
    while (next) {
        struct waiting *waiting = next;
        next = find(waiting, self->name, role);
        if (waiting != self && !waiting->execution->is_awaited(waiting->execution))
            take(waiting, left);
    }
}

/* Takes what meets at the gate of that name: an opener, and behind it the requests that it lets pass. */
static void take_meeting(struct str name, struct taken *met)
{
    uint64_t present = 0;
    for (const struct waiting *each = NULL; (each = find(each, name, WAITS));)
        present++;
    struct waiting *opener = find(NULL, name, OPENS);
    while (opener && opener->is_patient && present < opener->count)
        opener = find(opener, name, OPENS);
    if (!opener)
        return;
    take(opener, met);
    struct waiting *next = find(NULL, name, WAITS);
    for (uint64_t i = 0; i < opener->count && next; i++) {
        struct waiting *waiting = next;
        next = find(waiting, name, WAITS);
        take(waiting, met);
    }
}

/* Takes the requests that want to see that a request waits at the gate of that name, if one does. */
static void take_seeing(struct str name, struct taken *seeing)
{
    struct waiting *one;
    while (find(NULL, name, WAITS) && (one = find(NULL, name, SEES)))
        take(one, seeing);
}

static void take_gone(struct taken *late, struct taken *left)
{
    struct turn *next = gates.line.first;
    while (next) {
        struct turn *turn = next;
        struct waiting *waiting = (struct waiting *)turn;
        next = turn->next;
        if (turn_is_late(turn))
            take(waiting, late);
        else if (!waiting->execution->is_awaited(waiting->execution))
            take(waiting, left);
    }
}

/* --- Answers; the mutex is not held, since an answer frees the request with its place in the line --- */

/* Fails all with UNAVAILABLE. */
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

static void show_all(struct waiting *seeing)
{
    while (seeing) {
        struct execution *execution = seeing->execution;
        seeing = seeing->next;
        pass(execution, STR("released"), 0);
    }
}

/* --- The thread that looks who waits no longer --- */

static void fail_left(struct waiting *left)
{
    fail_all(left, "waits for nobody whose client has left");
}

static void sleep_a_while(void)
{
    int64_t glance = clock_now() + GLANCE, deadline = line_deadline(&gates.line);
    if (gates.line.first)
        clock_wait(&gates.changed, &gates.mutex, deadline < glance ? deadline : glance);
    else
        pthread_cond_wait(&gates.changed, &gates.mutex);
}

static void *refuse_gone(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&gates.mutex);
    while (!gates.closes) {
        struct taken late = {NULL, &late.first}, left = {NULL, &left.first};
        take_gone(&late, &left);
        if (late.first || left.first) {
            pthread_mutex_unlock(&gates.mutex);
            fail_all(late.first, "does not let a request wait for longer than its timeout");
            fail_left(left.first);
            pthread_mutex_lock(&gates.mutex);
        } else {
            sleep_a_while();
        }
    }
    pthread_mutex_unlock(&gates.mutex);
    return NULL;
}

/* Returns 0, or why the thread cannot start. */
static int start_clock(void)
{
    clock_cond_init(&gates.changed);
    gates.closes = false;
    return pthread_create(&gates.clock, NULL, refuse_gone, NULL);
}

static void stop_clock(void)
{
    pthread_mutex_lock(&gates.mutex);
    gates.closes = true;
    pthread_cond_signal(&gates.changed);
    pthread_mutex_unlock(&gates.mutex);
    pthread_join(gates.clock, NULL);
    pthread_cond_destroy(&gates.changed);
}

/* --- The model --- */

static struct status load(struct model *model, void **own)
{
    pthread_mutex_lock(&gates.using);
    int fault = gates.models == 0 ? start_clock() : 0;
    gates.models += fault == 0;
    pthread_mutex_unlock(&gates.using);
    *own = NULL;
    return fault ? status_error(&model->arena, STATUS_RESOURCE_EXHAUSTED, "a gate cannot start its thread: %s",
                                strerror(fault))
                 : STATUS_IS_OK;
}

static uint64_t count_of(const struct execution *execution)
{
    const struct parameter *count = parameters_find(&execution->parameters, "count");
    return count && count->kind == PARAMETER_INT64 && count->int64 > 0 ? (uint64_t)count->int64 : 1;
}

static enum role role_of(const struct execution *execution, enum role said)
{
    return parameters_say(&execution->parameters, "see")    ? SEES
           : parameters_say(&execution->parameters, "open") ? OPENS
                                                            : said;
}

static void execute(struct model *model, void *own, struct execution *execution)
{
    struct waiting *self = arena_new_of(execution->arena, struct waiting);
    struct str name;
    const struct said *said = read_input(execution, &name);
    (void)own;
    if (!self) {
        execution->done(execution, status_no_memory());
        return;
    }
    *self = (struct waiting){.turn = execution->turn,
                             .execution = execution,
                             .model = model,
                             .name = name,
                             .role = role_of(execution, said->role),
                             .is_patient = parameters_say(&execution->parameters, "patient") || said->is_patient,
                             .count = count_of(execution)};
    struct taken left = {NULL, &left.first}, met = {NULL, &met.first}, seeing = {NULL, &seeing.first};
    struct taken refused = {NULL, &refused.first};
    pthread_mutex_lock(&gates.mutex);
    line_join(&gates.line, &self->turn);
    gates.count++;
    take_left(self, self->role == WAITS ? OPENS : WAITS, &left);
    take_meeting(name, &met);
    take_seeing(name, &seeing);
    if (gates.count > WAITING_MAX)
        take(self, &refused);
    if (gates.count == 1 || self->turn.deadline != TURN_NO_DEADLINE)
        pthread_cond_signal(&gates.changed);
    pthread_mutex_unlock(&gates.mutex);
    fail_all(refused.first, "lets no more requests wait");
    fail_left(left.first);
    pass_all(met.first);
    show_all(seeing.first);
}

static void unload(struct model *model, void *own)
{
    struct taken rest = {NULL, &rest.first};
    (void)own;
    pthread_mutex_lock(&gates.mutex);
    for (struct turn *turn = gates.line.first, *next; turn; turn = next) {
        next = turn->next;
        if (((struct waiting *)turn)->model == model)
            take((struct waiting *)turn, &rest);
    }
    pthread_mutex_unlock(&gates.mutex);
    fail_all(rest.first, "is being unloaded");
    pthread_mutex_lock(&gates.using);
    if (--gates.models == 0)
        stop_clock();
    pthread_mutex_unlock(&gates.using);
}

const struct builtin builtin_gate = {
    .kind = "gate", .check = check, .load = load, .execute = execute, .unload = unload};
