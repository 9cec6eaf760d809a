#include "models/compute.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS_MAX ((size_t)4) /* if the user does not say */

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct line line;  /* of jobs */
    struct line later; /* of jobs whose time has not come; their deadlines are these times */
    pthread_t *threads;
    size_t thread_count;
    size_t running; /* jobs that threads have taken and not ended */
    bool stopping;
    atomic_bool delays_jobs;
} compute = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* --- The lines; the mutex is held --- */

static void join(struct line *line, struct compute_job *job)
{
    job->line = line;
    line_join(line, &job->turn);
}

static struct compute_job *leave(struct turn *turn)
{
    struct compute_job *job = (struct compute_job *)turn;
    line_leave(job->line, turn);
    job->line = NULL;
    return job;
}

/* Queues the job for that time. A new earliest time wakes all threads that sleep, because they may sleep too long. */
static void join_at(struct compute_job *job, uint64_t priority, int64_t time)
{
    bool waits = atomic_load(&compute.delays_jobs) && time > clock_now();
    job->turn.priority = priority;
    job->turn.deadline = time;
    join(waits ? &compute.later : &compute.line, job);
    if (waits)
        pthread_cond_broadcast(&compute.changed);
    else
        pthread_cond_signal(&compute.changed);
}

/* Moves the jobs whose time has come into the line. */
static void queue_due_jobs(void)
{
    int64_t now = compute.later.first ? clock_now() : 0;
    bool delays_jobs = atomic_load(&compute.delays_jobs);
    for (struct turn *next, *turn = compute.later.first; turn; turn = next) {
        next = turn->next;
        if (!delays_jobs || turn->deadline <= now)
            join(&compute.line, leave(turn));
    }
}

/* --- Jobs --- */

static bool takes_jobs(void)
{
    return compute.thread_count > 0 && !compute.stopping;
}

void compute_submit(struct compute_job *job)
{
    pthread_mutex_lock(&compute.mutex);
    bool queued = takes_jobs();
    if (queued) {
        join(&compute.line, job);
        pthread_cond_signal(&compute.changed);
    }
    pthread_mutex_unlock(&compute.mutex);
    if (!queued)
        job->run(job);
}

bool compute_submit_at(struct compute_job *job, uint64_t priority, int64_t time)
{
    pthread_mutex_lock(&compute.mutex);
    bool queued = takes_jobs();
    if (queued)
        join_at(job, priority, time);
    pthread_mutex_unlock(&compute.mutex);
    return queued;
}

void compute_reschedule(struct compute_job *job, uint64_t priority, int64_t time)
{
    pthread_mutex_lock(&compute.mutex);
    if (job->line)
        join_at(leave(&job->turn), priority, time);
    pthread_mutex_unlock(&compute.mutex);
}

bool compute_withdraw(struct compute_job *job)
{
    pthread_mutex_lock(&compute.mutex);
    bool is_queued = job->line;
    if (is_queued)
        leave(&job->turn);
    pthread_mutex_unlock(&compute.mutex);
    return is_queued;
}

bool compute_is_alone(void)
{
    pthread_mutex_lock(&compute.mutex);
    bool is_alone = compute.running == 1 && !compute.line.first;
    pthread_mutex_unlock(&compute.mutex);
    return is_alone;
}

void compute_hurry(void)
{
    pthread_mutex_lock(&compute.mutex);
    atomic_store(&compute.delays_jobs, false);
    if (compute.thread_count > 0)
        pthread_cond_broadcast(&compute.changed);
    pthread_mutex_unlock(&compute.mutex);
}

bool compute_delays_jobs(void)
{
    return atomic_load(&compute.delays_jobs);
}

/* --- Threads --- */

/* Takes the next job. Returns NULL when the queue is empty and no more jobs will come. */
static struct compute_job *take_job(void)
{
    pthread_mutex_lock(&compute.mutex);
    queue_due_jobs();
    while (!compute.line.first && !compute.stopping) {
        clock_wait(&compute.changed, &compute.mutex, line_deadline(&compute.later));
        queue_due_jobs();
    }
    struct compute_job *job = compute.line.first ? leave(compute.line.first) : NULL;
    compute.running += job != NULL;
    pthread_mutex_unlock(&compute.mutex);
    return job;
}

static void *work(void *)
{
    struct compute_job *job;
    while ((job = take_job())) {
        job->run(job);
        pthread_mutex_lock(&compute.mutex);
        compute.running--;
        pthread_mutex_unlock(&compute.mutex);
    }
    return NULL;
}

struct status compute_start(size_t threads, struct arena *arena)
{
    if (threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores < 1 ? 1 : (size_t)cores;
        if (threads > THREADS_MAX)
            threads = THREADS_MAX;
    }
    pthread_t *started = calloc(threads, sizeof(*started));
    NEED(started);
    clock_cond_init(&compute.changed);
    compute.threads = started;
    compute.line = compute.later = (struct line){0};
    compute.stopping = false;
    for (size_t i = 0; i < threads; i++) {
        int fault = pthread_create(&started[i], NULL, work, NULL);
        if (fault) {
            compute_stop();
            return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "cannot start compute thread %zu of %zu: %s", i + 1,
                                threads, strerror(fault));
        }
        pthread_mutex_lock(&compute.mutex);
        compute.thread_count++;
        pthread_mutex_unlock(&compute.mutex);
    }
    atomic_store(&compute.delays_jobs, true);
    return STATUS_IS_OK;
}

void compute_stop(void)
{
    if (!compute.threads)
        return;
    pthread_mutex_lock(&compute.mutex);
    compute.stopping = true;
    atomic_store(&compute.delays_jobs, false);
    pthread_cond_broadcast(&compute.changed);
    pthread_mutex_unlock(&compute.mutex);
    for (size_t i = 0; i < compute.thread_count; i++)
        pthread_join(compute.threads[i], NULL);
    pthread_cond_destroy(&compute.changed);
    free(compute.threads);
    compute.threads = NULL;
    compute.thread_count = 0;
}
