#include "backends/builtin/steps.h"

#include "base/clock.h"

#include <pthread.h>

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;     /* something is due earlier, or an execution is done */
    struct stepping *all;       /* that are not done */
    struct stepping *heap;      /* those that do not rest: the one that is due first, with the others below it */
    struct stepping *busy;      /* its step is being done; it is not in the heap */
    const struct model *ending; /* of the execution that is just being done */
    uint64_t turns;
    bool closes;

    pthread_mutex_t using; /* for what follows */
    size_t models;         /* that are loaded; the thread runs while there are any */
    pthread_t thread;
} steps = {.mutex = PTHREAD_MUTEX_INITIALIZER, .using = PTHREAD_MUTEX_INITIALIZER};

/* --- All executions, and a pairing heap of those that have a next step; the mutex is held --- */

static void enter(struct stepping *stepping)
{
    stepping->next = steps.all;
    stepping->link = &steps.all;
    if (steps.all)
        steps.all->link = &stepping->next;
    steps.all = stepping;
    stepping->execution->waits = stepping;
}

static void leave(struct stepping *stepping)
{
    *stepping->link = stepping->next;
    if (stepping->next)
        stepping->next->link = stepping->link;
    stepping->execution->waits = NULL;
}

static bool comes_before(const struct stepping *one, const struct stepping *other)
{
    return one->due < other->due || (one->due == other->due && one->turn < other->turn);
}

/* Puts a heap at that place, which points to nothing else then. */
static void put(struct stepping **place, struct stepping *heap)
{
    *place = heap;
    if (heap)
        heap->held = place;
}

/* Makes one heap of two, of which either may be NULL. The result has no sibling. */
static struct stepping *meld(struct stepping *one, struct stepping *other)
{
    if (!one || !other)
        return one ? one : other;
    struct stepping *first = comes_before(other, one) ? other : one, *second = first == one ? other : one;
    put(&second->sibling, first->child);
    put(&first->child, second);
    return first;
}

/* Makes one heap of siblings: first pairs, and then one of these. */
static struct stepping *meld_all(struct stepping *siblings)
{
    struct stepping *pairs = NULL, *heap = NULL;
    while (siblings) {
        struct stepping *one = siblings, *other = one->sibling;
        siblings = other ? other->sibling : NULL;
        one->sibling = NULL;
        if (other)
            other->sibling = NULL;
        one = meld(one, other);
        one->sibling = pairs;
        pairs = one;
    }
    while (pairs) {
        struct stepping *one = pairs;
        pairs = one->sibling;
        one->sibling = NULL;
        heap = meld(heap, one);
    }
    return heap;
}

static bool is_in_heap(const struct stepping *stepping)
{
    return stepping->held != NULL;
}

static void add(struct stepping *stepping)
{
    stepping->turn = steps.turns++;
    put(&steps.heap, meld(steps.heap, stepping));
}

static void take(struct stepping *stepping)
{
    put(stepping->held, stepping->sibling);
    struct stepping *below = meld_all(stepping->child);
    stepping->held = NULL;
    stepping->child = stepping->sibling = NULL;
    put(&steps.heap, meld(steps.heap, below));
}

/* Has an execution that waits, or rests, be stepped at that time. */
static void move(struct stepping *stepping, int64_t due)
{
    if (is_in_heap(stepping))
        take(stepping);
    stepping->due = due;
    add(stepping);
    pthread_cond_broadcast(&steps.changed);
}

static void give_up(struct stepping *stepping, struct status why)
{
    if (!stepping->is_given_up)
        stepping->why = why;
    stepping->is_given_up = true;
    if (stepping != steps.busy)
        move(stepping, 0);
}

/* --- The thread --- */

/* Does a step of one that is due, which is not in the heap. The mutex is released meanwhile. */
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
            due > now && !stepping->is_given_up ? due : now; /* what is due at once comes behind the others */
    }
    if (!is_over) {
        if (stepping->goes_on || stepping->is_resumed || stepping->is_given_up)
            add(stepping);
        return;
    }
    leave(stepping);
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
        struct stepping *next = steps.heap;
        if (!next) {
            pthread_cond_wait(&steps.changed, &steps.mutex);
        } else if (next->due > clock_now()) {
            clock_wait(&steps.changed, &steps.mutex, next->due);
        } else {
            take(next);
            step(next);
        }
    }
    pthread_mutex_unlock(&steps.mutex);
    return NULL;
}

/* --- Executions --- */

void steps_begin(struct stepping *stepping, int64_t due)
{
    pthread_mutex_lock(&steps.mutex);
    enter(stepping);
    move(stepping, due);
    pthread_mutex_unlock(&steps.mutex);
}

void steps_emit(struct stepping *stepping)
{
    stepping->goes_on = stepping->execution->emit(stepping->execution);
}

void steps_resume(struct execution *execution)
{
    pthread_mutex_lock(&steps.mutex);
    struct stepping *stepping = execution->waits;
    if (stepping) {
        stepping->is_resumed = true;
        if (stepping != steps.busy && !is_in_heap(stepping))
            move(stepping, stepping->due);
    }
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
