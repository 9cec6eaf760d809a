#include "inference/compute.h"

#include "inference/infer.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS_MAX ((size_t)4) /* if the user does not say */

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct line line; /* of jobs */
    pthread_t *threads;
    size_t thread_count;
    bool stopping;
} compute = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

void compute_submit(struct compute_job *job)
{
    pthread_mutex_lock(&compute.mutex);
    bool queued = compute.thread_count > 0 && !compute.stopping;
    if (queued) {
        line_join(&compute.line, &job->turn);
        pthread_cond_signal(&compute.changed);
    }
    pthread_mutex_unlock(&compute.mutex);
    if (!queued)
        job->run(job);
}

/* Takes the next job. Returns NULL when the queue is empty and no more jobs will come. */
static struct compute_job *take_job(void)
{
    pthread_mutex_lock(&compute.mutex);
    while (!compute.line.first && !compute.stopping)
        pthread_cond_wait(&compute.changed, &compute.mutex);
    struct turn *turn = compute.line.first;
    if (turn)
        line_leave(&compute.line, turn);
    pthread_mutex_unlock(&compute.mutex);
    return (struct compute_job *)turn;
}

static void *work(void *unused)
{
    (void)unused;
    struct compute_job *job;
    while ((job = take_job()))
        job->run(job);
    return NULL;
}

struct status infer_start_compute(size_t threads, struct arena *arena)
{
    if (threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores < 1 ? 1 : (size_t)cores;
        if (threads > THREADS_MAX)
            threads = THREADS_MAX;
    }
    pthread_t *started = calloc(threads, sizeof(*started));
    if (!started)
        return status_no_memory();
    compute.threads = started;
    compute.line = (struct line){0};
    compute.stopping = false;
    for (size_t i = 0; i < threads; i++) {
        int fault = pthread_create(&started[i], NULL, work, NULL);
        if (fault) {
            infer_stop_compute();
            return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "cannot start compute thread %zu of %zu: %s", i + 1,
                                threads, strerror(fault));
        }
        pthread_mutex_lock(&compute.mutex);
        compute.thread_count++;
        pthread_mutex_unlock(&compute.mutex);
    }
    return STATUS_IS_OK;
}

void infer_stop_compute(void)
{
    pthread_mutex_lock(&compute.mutex);
    compute.stopping = true;
    pthread_cond_broadcast(&compute.changed);
    pthread_mutex_unlock(&compute.mutex);
    for (size_t i = 0; i < compute.thread_count; i++)
        pthread_join(compute.threads[i], NULL);
    free(compute.threads);
    compute.threads = NULL;
    compute.thread_count = 0;
}
