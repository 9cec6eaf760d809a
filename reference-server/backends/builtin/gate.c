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
 * A request or an opener whose client has left waits no longer, and is met by no other. Each execution is one in steps
 * (steps.h): a step looks whether its client is still there, and whether it has waited for longer than its timeout.
 * Only so many wait at a time, since each one that comes looks at all. */
#include "backends/builtin/steps.h"

#include "base/clock.h"
#include "tensor/raw.h"
#include <pthread.h>

#define WAITING_MAX 1024 /* at all gates together */
#define GLANCE      (CLOCK_SECOND / 4)

enum role { WAITS, OPENS, SEES };

struct waiting {
    struct stepping stepping; /* must be the first member */
    struct turn turn;
    struct str name; /* of the gate */
    enum role role;
    bool is_patient;
    uint64_t count; /* of an opener: how many it lets pass */

    /* When it has left the line: the parameter of its answer, or why it is refused. */
    struct parameter answer;
    const char *refusal;
};

static struct {
    pthread_mutex_t mutex;
    struct line line; /* each lies in the arena of its request */
    size_t count;     /* of those in the line */
} gates = {.mutex = PTHREAD_MUTEX_INITIALIZER};

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

/* --- The line; the mutex of the gates is held. Who has left the line is answered in its next step --- */

static struct waiting *waiting_of(struct turn *turn)
{
    return OWNER_OF(turn, struct waiting, turn);
}

static void leave(struct waiting *waiting)
{
    line_leave(&gates.line, &waiting->turn);
    gates.count--;
}

static void refuse(struct waiting *waiting, const char *why)
{
    leave(waiting);
    waiting->refusal = why;
    steps_hurry(&waiting->stepping, 0);
}

/* Lets one pass, after those who passed before. */
static void pass(struct waiting *waiting, struct str name, uint64_t value, uint64_t before)
{
    leave(waiting);
    waiting->answer = (struct parameter){.name = name, .kind = PARAMETER_INT64, .int64 = (int64_t)value};
    steps_hurry(&waiting->stepping, (int64_t)before);
}

/* Returns the first of that role after `at` (NULL: of all) at the gate of that name. */
static struct waiting *find(const struct waiting *at, struct str name, enum role role)
{
    struct turn *turn = at ? at->turn.next : gates.line.first;
    for (; turn; turn = turn->next)
        if (waiting_of(turn)->role == role && str_equal(waiting_of(turn)->name, name))
            return waiting_of(turn);
    return NULL;
}

static bool is_left(const struct waiting *waiting)
{
    return !waiting->stepping.execution->is_awaited(waiting->stepping.execution);
}

/* Refuses those at the gate whose client has left. */
static void refuse_left(struct str name, enum role role)
{
    struct waiting *next = find(NULL, name, role);
    while (next) {
        struct waiting *waiting = next;
        next = find(waiting, name, role);
        if (is_left(waiting))
            refuse(waiting, "waits for nobody whose client has left");
    }
}

/* Lets an opener at the gate of that name pass, if there is one that is not too patient, after the requests that it
 * lets pass. */
static void meet(struct str name)
{
    uint64_t present = 0, passed = 0;
    for (const struct waiting *each = NULL; (each = find(each, name, WAITS));)
        present++;
    struct waiting *opener = find(NULL, name, OPENS), *waiting;
    while (opener && opener->is_patient && present < opener->count)
        opener = find(opener, name, OPENS);
    for (; opener && passed < opener->count && (waiting = find(NULL, name, WAITS)); passed++)
        pass(waiting, STR("turn"), passed + 1, passed);
    if (opener)
        pass(opener, STR("released"), passed, passed);
}

/* Lets the requests pass that want to see that a request waits at the gate of that name, if one does. */
static void show(struct str name)
{
    struct waiting *one;
    while (find(NULL, name, WAITS) && (one = find(NULL, name, SEES)))
        pass(one, STR("released"), 0, 0);
}

/* --- The model --- */

/* Returns when the next look is due. */
static int64_t next_look(const struct waiting *waiting)
{
    int64_t glance = clock_now() + GLANCE;
    return waiting->turn.deadline < glance ? waiting->turn.deadline : glance;
}

static bool is_in_line(const struct waiting *waiting)
{
    return waiting->answer.name.size == 0 && !waiting->refusal;
}

static int64_t step(struct stepping *stepping)
{
    struct waiting *self = (struct waiting *)stepping;
    struct execution *execution = stepping->execution;
    pthread_mutex_lock(&gates.mutex);
    if (is_in_line(self) && turn_is_late(&self->turn))
        refuse(self, "does not let a request wait for longer than its timeout");
    else if (is_in_line(self) && is_left(self))
        refuse(self, "waits for nobody whose client has left");
    bool still_waits = is_in_line(self);
    pthread_mutex_unlock(&gates.mutex);
    if (still_waits)
        return next_look(self);
    if (self->refusal) {
        stepping->status = status_error(execution->arena, STATUS_UNAVAILABLE, "model '%s' %s",
                                        str_printable(execution->arena, stepping->model->name), self->refusal);
        return STEPS_OVER;
    }
    execution->answer_parameters = (struct parameters){&self->answer, 1};
    builtin_forward(execution, 0);
    steps_emit(stepping);
    return STEPS_OVER;
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

static void execute(struct model *model, struct execution *execution)
{
    struct waiting *self = arena_new_of(execution->arena, struct waiting);
    struct str name;
    const struct said *said = read_input(execution, &name);
    if (!self) {
        execution->done(execution, status_no_memory());
        return;
    }
    *self = (struct waiting){.stepping = {.execution = execution, .model = model, .step = step},
                             .turn = execution->turn,
                             .name = name,
                             .role = role_of(execution, said->role),
                             .is_patient = parameters_say(&execution->parameters, "patient") || said->is_patient,
                             .count = count_of(execution)};
    pthread_mutex_lock(&gates.mutex);
    bool is_begun = steps_begin(&self->stepping, next_look(self));
    if (is_begun) {
        line_join(&gates.line, &self->turn);
        gates.count++;
        refuse_left(name, self->role == WAITS ? OPENS : WAITS);
        meet(name);
        show(name);
        if (gates.count > WAITING_MAX)
            refuse(self, "lets no more requests wait");
    }
    pthread_mutex_unlock(&gates.mutex);
    if (!is_begun)
        execution->done(execution, status_no_memory());
}

static void unload(struct model *model)
{
    pthread_mutex_lock(&gates.mutex);
    for (struct turn *turn = gates.line.first, *next; turn; turn = next) {
        next = turn->next;
        if (waiting_of(turn)->stepping.model == model)
            refuse(waiting_of(turn), "is being unloaded");
    }
    pthread_mutex_unlock(&gates.mutex);
    steps_unload(model);
}

const struct builtin builtin_gate = {
    .kind = "gate",
    .check = check,
    .backend = {.name = BUILTIN_NAME, .load = steps_load, .execute = execute, .unload = unload},
};
