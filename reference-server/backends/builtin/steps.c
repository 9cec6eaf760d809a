#include "backends/builtin/steps.h"

#include "base/clock.h"

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;     /* something is due earlier, or an execution is done */
    struct stepping *all;       /* that are not done */
    struct timers timers;       /* of all; of those that rest, or whose step is being done, NEVER */
    const struct model *ending; /* of the execution that is just being done */
    bool is_running;            /* the thread, which never ends */
} steps = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* --- All executions; the mutex is held --- */

/* Has an execution be stepped at that time. It always has a timer, so that this needs no memory. */
static void move(struct stepping *stepping, int64_t due)
{
    timer_set(&steps.timers, &stepping->timer, due);
    pthread_cond_broadcast(&steps.changed);
}

static void leave(struct stepping *stepping)
{
    timer_clear(&steps.timers, &stepping->timer);
    *stepping->link = stepping->next;
    if (stepping->next)
        stepping->next->link = stepping->link;
    stepping->execution->waits = NULL;
}

static void give_up(struct stepping *stepping, struct status why)
{
    if (!stepping->is_given_up)
        stepping->why = why;
    stepping->is_given_up = stepping->is_hurried = true;
    move(stepping, 0);
}

/* --- The thread --- */

static void end(struct stepping *stepping, struct status status)
{
    leave(stepping);
    steps.ending = stepping->model;
    pthread_mutex_unlock(&steps.mutex);
    stepping->execution->done(stepping->execution, status);
    pthread_mutex_lock(&steps.mutex);
    steps.ending = NULL;
    pthread_cond_broadcast(&steps.changed);
}

/* Does a step of an execution that is due. The mutex is released meanwhile. */
static void step(struct timer *timer)
{
    struct stepping *stepping = OWNER_OF(timer, struct stepping, timer);
    timer_set(&steps.timers, timer, NEVER);
    if (stepping->is_given_up) {
        end(stepping, stepping->why);
        return;
    }
    stepping->is_resumed = stepping->is_hurried = false;
    stepping->goes_on = true;
    pthread_mutex_unlock(&steps.mutex);
    int64_t due = stepping->step(stepping), now = clock_now();
    pthread_mutex_lock(&steps.mutex);
    if (due == STEPS_OVER) {
        end(stepping, stepping->status);
        return;
    }
    stepping->due = due > now && !stepping->is_hurried ? due : now; /* what is due at once comes after the others */
    if (stepping->goes_on || stepping->is_resumed || stepping->is_hurried)
        timer_set(&steps.timers, timer, stepping->due);
}

static void *run(void *unused)
{
    pthread_mutex_lock(&steps.mutex);
    for (;;) {
        int64_t next = timers_run(&steps.timers, clock_now());
        if (next > clock_now())
            clock_wait(&steps.changed, &steps.mutex, next);
    }
    return unused;
}

/* --- Executions --- */

bool steps_begin(struct stepping *stepping, int64_t due)
{
    stepping->timer.due = step;
    pthread_mutex_lock(&steps.mutex);
    bool is_begun = timer_set(&steps.timers, &stepping->timer, due);
    if (is_begun) {
        stepping->next = steps.all;
        stepping->link = &steps.all;
        if (steps.all)
            steps.all->link = &stepping->next;
        steps.all = stepping;
        stepping->execution->waits = stepping;
        pthread_cond_broadcast(&steps.changed);
    }
    pthread_mutex_unlock(&steps.mutex);
    return is_begun;
}

void steps_emit(struct stepping *stepping)
{
    stepping->goes_on = stepping->execution->emit(stepping->execution);
}

void steps_hurry(struct stepping *stepping, int64_t due)
{
    pthread_mutex_lock(&steps.mutex);
    stepping->is_hurried = true;
    move(stepping, due);
    pthread_mutex_unlock(&steps.mutex);
}

void steps_resume(struct execution *execution)
{
    pthread_mutex_lock(&steps.mutex);
    struct stepping *stepping = execution->waits;
    if (stepping && stepping->timer.at == NEVER)
        move(stepping, stepping->due);
    if (stepping)
        stepping->is_resumed = true;
    pthread_mutex_unlock(&steps.mutex);
}

void steps_give_up(struct execution *execution)
{
    pthread_mutex_lock(&steps.mutex);
    struct stepping *stepping = execution->waits;
    if (stepping)
        give_up(stepping, status_plain(STATUS_CANCELLED, "nobody waits for the answers"));
    pthread_mutex_unlock(&steps.mutex);
}

/* --- Models --- */

struct status steps_load(struct model *model)
{
    pthread_t thread;
    int fault = 0;
    pthread_mutex_lock(&steps.mutex);
    if (!steps.is_running) {
        clock_cond_init(&steps.changed);
        fault = pthread_create(&thread, NULL, run, NULL);
        steps.is_running = fault == 0;
        if (steps.is_running)
            pthread_detach(thread);
    }
    pthread_mutex_unlock(&steps.mutex);
    if (fault)
        return status_error(&model->arena, STATUS_RESOURCE_EXHAUSTED, "a model cannot start its thread: %s",
                            strerror(fault));
    model->implementation = &steps;
    return STATUS_IS_OK;
}

/* Has the executions of a model end. Returns whether some are still to end. Those that began since the last time stand
 * before the others. The mutex is held. */
static bool end_all(const struct model *model)
{
    const struct status why = {STATUS_UNAVAILABLE, STR("the model is being unloaded"), NULL};
    bool some = steps.ending == model;
    struct stepping *at = steps.all;
    for (; at && !(at->model == model && at->is_given_up); at = at->next) {
        if (at->model != model)
            continue;
        some = true;
        give_up(at, why);
    }
    return some || at;
}

void steps_unload(struct model *model)
{
    pthread_mutex_lock(&steps.mutex);
    while (end_all(model))
        pthread_cond_wait(&steps.changed, &steps.mutex);
    pthread_mutex_unlock(&steps.mutex);
}
