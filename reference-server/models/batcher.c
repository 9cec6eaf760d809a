#include "models/batcher.h"

#include "base/clock.h"
#include "base/search.h"
#include "models/compute.h"
#include "models/config.h"
#include "models/joint.h"
#include <stdlib.h>

/* While requests wait, the job of the batcher is queued, so that a compute thread looks at the line in time. A thread
 * that has taken the job uses the batcher only while it holds the mutex. Afterwards it uses only the requests that it
 * took; they hold the model, which owns the batcher. */
struct batcher {
    struct compute_job job; /* must be the first member */
    struct model *model;
    const struct config_batching *config;
    int64_t delay_ns;
    uint64_t size_max, preferred_max; /* elements of a batch */

    pthread_mutex_t mutex; /* for what follows; it is taken before that of the compute threads */
    pthread_cond_t looked; /* signalled when is_queued becomes false */
    struct line line;
    size_t count;   /* requests in the line */
    bool is_queued; /* the job is queued: a thread will look at the line at `look_at` */
    int64_t look_at;
    bool hurries;
};

/* --- The front of the line; the mutex is held --- */

/* The batch to take next: how many requests, and when. */
struct choice {
    size_t count;
    int64_t time;
};

static bool is_preferred(const struct batcher *batcher, uint64_t size)
{
    return ANY(i, batcher->config->preferred_count, (uint64_t)batcher->config->preferred[i] == size);
}

static bool fits(const struct batcher *batcher, const struct joined *first, uint64_t size, const struct joined *next)
{
    return size + next->size <= batcher->size_max && joint_agrees(batcher->model, first, next);
}

/* Chooses as Triton does: a preferred size is taken at once, unless the delay is over; then as many as fit are. */
static struct choice choose(const struct batcher *batcher, int64_t now)
{
    const struct joined *first = (const struct joined *)batcher->line.first, *next = first;
    uint64_t size = 0;
    size_t count = 0, best = 0;
    int64_t oldest = INT64_MAX;
    for (; next && (count == 0 || fits(batcher, first, size, next)); next = (const struct joined *)next->turn.next) {
        if (best == 0 && size + next->size > batcher->preferred_max)
            best = count;
        size += next->size;
        count++;
        if (next->came < oldest)
            oldest = next->came;
        if (is_preferred(batcher, size))
            best = count;
    }
    bool is_late =
        batcher->hurries || !compute_delays_jobs() || (batcher->delay_ns > 0 && now - oldest >= batcher->delay_ns);
    if (best > 0 && !is_late)
        return (struct choice){best, now};
    if (is_late || batcher->delay_ns == 0 || next || size >= batcher->preferred_max)
        return (struct choice){count, now};
    int64_t end = oldest < INT64_MAX - batcher->delay_ns ? oldest + batcher->delay_ns : INT64_MAX;
    int64_t deadline = line_deadline(&batcher->line);
    return (struct choice){0, deadline < end ? deadline : end};
}

/* Has a compute thread look at the line when its next batch is complete. Returns false if there are none. */
static bool call_thread(struct batcher *batcher)
{
    int64_t now = clock_now();
    if (!batcher->line.first || (batcher->is_queued && batcher->look_at <= now))
        return true;
    int64_t time = choose(batcher, now).time;
    if (batcher->is_queued && batcher->look_at <= time)
        return true;
    uint64_t priority = batcher->line.first->priority;
    batcher->look_at = time;
    if (batcher->is_queued)
        compute_reschedule(&batcher->job, priority, time);
    else
        batcher->is_queued = compute_submit_at(&batcher->job, priority, time);
    return batcher->is_queued;
}

static void take(struct batcher *batcher, struct turn *turn, struct joined ***end)
{
    struct joined *taken = (struct joined *)turn;
    line_leave(&batcher->line, turn);
    batcher->count--;
    **end = taken;
    *end = &taken->next;
}

/* Takes the requests that shall not be executed out of the front of the line, as far as a batch can reach. */
static void take_gone(struct batcher *batcher, struct joined ***end)
{
    uint64_t size = 0;
    for (struct turn *next, *turn = batcher->line.first; turn && size < batcher->size_max; turn = next) {
        const struct joined *joined = (const struct joined *)turn;
        next = turn->next;
        if (turn_is_late(turn) || !joined->execution->is_awaited(joined->execution))
            take(batcher, turn, end);
        else
            size += joined->size;
    }
}

static struct joined *take_batch(struct batcher *batcher)
{
    struct joined *batch = NULL, **end = &batch;
    size_t count = batcher->line.first ? choose(batcher, clock_now()).count : 0;
    for (size_t i = 0; i < count; i++)
        take(batcher, batcher->line.first, &end);
    return batch;
}

struct taken {
    struct joined *gone, *batches;
};

/* Takes the next batch if it is complete, and has a compute thread come for the others. If there are none, it takes all
 * of them. */
static struct taken take_next(struct batcher *batcher)
{
    struct taken taken = {0};
    struct joined **end = &taken.gone, **last = &taken.batches;
    do {
        take_gone(batcher, &end);
        *last = take_batch(batcher);
        if (*last)
            last = &(*last)->following;
    } while (!call_thread(batcher));
    return taken;
}

/* --- What was taken out of the line; the mutex is not held, since an answer frees the request with its place --- */

static void refuse(struct execution *execution, const struct model *model, const char *why)
{
    execution->done(execution, status_error(execution->arena, STATUS_UNAVAILABLE, "model '%s' %s",
                                            str_printable(execution->arena, model->name), why));
}

static void refuse_gone(struct joined *gone, const struct model *model)
{
    while (gone) {
        struct execution *execution = gone->execution;
        bool is_late = turn_is_late(&gone->turn);
        gone = gone->next;
        if (is_late)
            refuse(execution, model, "does not let a request wait for longer than its timeout");
        else
            execution->done(execution, status_plain(STATUS_CANCELLED, "nobody waits for the answer"));
    }
}

static void finish(struct model *model, struct taken taken)
{
    refuse_gone(taken.gone, model);
    while (taken.batches) {
        struct joined *batch = taken.batches;
        taken.batches = batch->following;
        joint_execute(model, batch);
    }
}

static void run(struct compute_job *job)
{
    struct batcher *batcher = (struct batcher *)job;
    struct model *model = batcher->model;
    pthread_mutex_lock(&batcher->mutex);
    batcher->is_queued = false;
    pthread_cond_signal(&batcher->looked);
    struct taken taken = take_next(batcher);
    pthread_mutex_unlock(&batcher->mutex);
    finish(model, taken);
}

/* --- The batcher --- */

static bool is_wanted(const struct model *model)
{
    const struct model_config *config = model->config;
    return config->batching.is_wanted && config->max_batch_size > 1 && !config->is_decoupled &&
           model->input_count > 0 && model->backend->is_rowwise;
}

struct status batcher_open(struct model *model, struct batcher **batcher)
{
    const struct config_batching *config = &model->config->batching;
    *batcher = NULL;
    if (!is_wanted(model))
        return STATUS_IS_OK;
    struct batcher *opened = calloc(1, sizeof(*opened));
    NEED(opened);
    opened->job.run = run;
    opened->model = model;
    opened->config = config;
    opened->delay_ns = config->delay_us < INT64_MAX / 1000 ? (int64_t)config->delay_us * 1000 : INT64_MAX;
    opened->size_max = (uint64_t)model->config->max_batch_size;
    for (size_t i = 0; i < config->preferred_count; i++)
        if ((uint64_t)config->preferred[i] > opened->preferred_max)
            opened->preferred_max = (uint64_t)config->preferred[i];
    if (config->preferred_count == 0)
        opened->preferred_max = opened->size_max;
    pthread_mutex_init(&opened->mutex, NULL);
    pthread_cond_init(&opened->looked, NULL);
    *batcher = opened;
    return STATUS_IS_OK;
}

void batcher_execute(struct batcher *batcher, struct execution *execution, uint64_t size)
{
    struct joined *joined = arena_new_of(execution->arena, struct joined);
    if (!joined) {
        execution->done(execution, status_no_memory());
        return;
    }
    struct model *model = batcher->model;
    struct taken taken = {0};
    *joined = (struct joined){.turn = execution->turn, .execution = execution, .size = size, .came = clock_now()};
    pthread_mutex_lock(&batcher->mutex);
    bool is_full = batcher->config->queue_max > 0 && batcher->count >= batcher->config->queue_max;
    if (!is_full) {
        line_join(&batcher->line, &joined->turn);
        batcher->count++;
        if (!call_thread(batcher))
            taken = take_next(batcher);
    }
    pthread_mutex_unlock(&batcher->mutex);
    if (is_full)
        refuse(execution, model, "does not let more requests wait than its max_queue_size");
    finish(model, taken);
}

void batcher_hurry(struct batcher *batcher)
{
    if (!batcher)
        return;
    pthread_mutex_lock(&batcher->mutex);
    batcher->hurries = true;
    call_thread(batcher);
    pthread_mutex_unlock(&batcher->mutex);
}

void batcher_close(struct batcher *batcher)
{
    if (!batcher)
        return;
    struct joined *rest = NULL, **end = &rest;
    pthread_mutex_lock(&batcher->mutex);
    while (batcher->line.first)
        take(batcher, batcher->line.first, &end);
    if (batcher->is_queued && compute_withdraw(&batcher->job))
        batcher->is_queued = false;
    while (batcher->is_queued)
        pthread_cond_wait(&batcher->looked, &batcher->mutex);
    pthread_mutex_unlock(&batcher->mutex);
    while (rest) {
        struct execution *execution = rest->execution;
        rest = rest->next;
        refuse(execution, batcher->model, "is being unloaded");
    }
    pthread_mutex_destroy(&batcher->mutex);
    pthread_cond_destroy(&batcher->looked);
    free(batcher);
}
