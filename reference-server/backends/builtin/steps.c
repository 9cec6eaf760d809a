#include "backends/builtin/steps.h"

#include "base/clock.h"

#include <pthread.h>

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;        /* something is due earlier, or an execution is done */
    struct stepping *first, **end; /* in the order in which they wait */
    struct stepping *busy;         /* its step is being done; it is not in the list */
    const struct model *ending;    /* of the execution that is just being done */
    bool closes;

    pthread_mutex_t using; /* for what follows */
    size_t models;         /* that are loaded; the thread runs while there are any */
    pthread_t thread;
} steps = {.mutex = PTHREAD_MUTEX_INITIALIZER, .end = &steps.first, .using = PTHREAD_MUTEX_INITIALIZER};

/* --- The list; the mutex is held --- */

static void append(struct stepping *stepping)
{
    stepping->next = NULL;
    *steps.end = stepping;
    steps.end = &stepping->next;
}

static struct stepping *take(struct stepping **at)
{
    struct stepping *taken = *at;
    *at = taken->next;
    if (!taken->next)
        steps.end = at;
    return taken;
}

/* Returns the one that is due first, or NULL if all rest. Of several the one that waits longest comes first. */
static struct stepping **find_due(void)
{
    struct stepping **found = NULL;
    for (struct stepping **at = &steps.first; *at; at = &(*at)->next)
        if (!(*at)->is_resting && (!found || (*at)->due < (*found)->due))
            found = at;
    return found;
}

static struct stepping *find(const struct execution *execution)
{
    if (steps.busy && steps.busy->execution == execution)
        return steps.busy;
    struct stepping *at = steps.first;
    while (at && at->execution != execution)
        at = at->next;
    return at;
}

static void give_up(struct stepping *stepping, struct status why)
{
    if (!stepping->is_given_up)
        stepping->why = why;
    stepping->is_given_up = true;
    stepping->is_resting = false;
    stepping->due = 0;
    pthread_cond_broadcast(&steps.changed);
}

/* --- The thread --- */

/* Does a step of one that is due, which is not in the list. The mutex is released meanwhile. */
static void step(struct stepping *stepping)
{
    bool is_over = stepping->is_given_up;
    struct status status = stepping->why;
    stepping->is_resumed = false;
    stepping->goes_on = true;
    if (!is_over) {
        steps.busy = stepping;
        pthread_mutex_unlock(&steps.mutex);
        int64_t due = stepping->step(stepping), now = clock_now();
        pthread_mutex_lock(&steps.mutex);
        steps.busy = NULL;
        is_over = due == STEPS_OVER;
        status = stepping->status;
        stepping->due =
            due > now && !stepping->is_given_up ? due : now; /* who is due at once comes behind the others */
    }
    if (!is_over) {
        stepping->is_resting = !stepping->goes_on && !stepping->is_resumed && !stepping->is_given_up;
        append(stepping);
        return;
    }
    steps.ending = stepping->model;
    pthread_mutex_unlock(&steps.mutex);
    stepping->execution->done(stepping->execution, status);
    pthread_mutex_lock(&steps.mutex);
    steps.ending = NULL;
    pthread_cond_broadcast(&steps.changed);
}

static void *run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&steps.mutex);
    while (!steps.closes) {
        struct stepping **next = find_due();
        if (!next)
            pthread_cond_wait(&steps.changed, &steps.mutex);
        else if ((*next)->due > clock_now())
            clock_wait(&steps.changed, &steps.mutex, (*next)->due);
        else
            step(take(next));
    }
    pthread_mutex_unlock(&steps.mutex);
    return NULL;
}

/* --- Executions --- */

void steps_begin(struct stepping *stepping, int64_t due)
{
    stepping->due = due;
    pthread_mutex_lock(&steps.mutex);
    append(stepping);
    pthread_cond_broadcast(&steps.changed);
    pthread_mutex_unlock(&steps.mutex);
}

void steps_emit(struct stepping *stepping)
{
    stepping->goes_on = stepping->execution->emit(stepping->execution);
}

void steps_resume(struct execution *execution)
{
    pthread_mutex_lock(&steps.mutex);
    struct stepping *stepping = find(execution);
    if (stepping) {
        stepping->is_resumed = true;
        stepping->is_resting = false;
        pthread_cond_broadcast(&steps.changed);
    }
    pthread_mutex_unlock(&steps.mutex);
}

void steps_give_up(struct execution *execution)
{
    pthread_mutex_lock(&steps.mutex);
    struct stepping *stepping = find(execution);
    if (stepping)
        give_up(stepping, (struct status){STATUS_CANCELLED, STR("nobody waits for the answers"), NULL});
    pthread_mutex_unlock(&steps.mutex);
}

/* --- Models --- */

/* Returns 0, or why the thread cannot start. */
static int start_thread(void)
{
    clock_cond_init(&steps.changed);
    steps.closes = false;
    return pthread_create(&steps.thread, NULL, run, NULL);
}

static void stop_thread(void)
{
    pthread_mutex_lock(&steps.mutex);
    steps.closes = true;
    pthread_cond_broadcast(&steps.changed);
    pthread_mutex_unlock(&steps.mutex);
    pthread_join(steps.thread, NULL);
    pthread_cond_destroy(&steps.changed);
}

struct status steps_load(struct model *model, void **own)
{
    pthread_mutex_lock(&steps.using);
    int fault = steps.models == 0 ? start_thread() : 0;
    steps.models += fault == 0;
    pthread_mutex_unlock(&steps.using);
    *own = NULL;
    return fault ? status_error(&model->arena, STATUS_RESOURCE_EXHAUSTED, "a model cannot start its thread: %s",
                                strerror(fault))
                 : STATUS_IS_OK;
}

/* Has the executions of a model end. Returns whether some are still to end. The mutex is held. */
static bool end_all(const struct model *model)
{
    const struct status why = {STATUS_UNAVAILABLE, STR("the model is being unloaded"), NULL};
    bool some = steps.ending == model;
    if (steps.busy && steps.busy->model == model) {
        some = true;
        give_up(steps.busy, why);
    }
    for (struct stepping *at = steps.first; at; at = at->next) {
        if (at->model != model)
            continue;
        some = true;
        give_up(at, why);
    }
    return some;
}

void steps_unload(struct model *model, void *own)
{
    (void)own;
    pthread_mutex_lock(&steps.mutex);
    while (end_all(model))
        pthread_cond_wait(&steps.changed, &steps.mutex);
    pthread_mutex_unlock(&steps.mutex);
    pthread_mutex_lock(&steps.using);
    if (--steps.models == 0)
        stop_thread();
    pthread_mutex_unlock(&steps.using);
}
