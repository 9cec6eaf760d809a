/* A model whose load does not end before it is cancelled. */
#include "backends/builtin/builtin.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cancelled = PTHREAD_COND_INITIALIZER;

static struct status load(struct model *model)
{
    pthread_mutex_lock(&mutex);
    while (atomic_load(&model->state) == MODEL_LOADING)
        pthread_cond_wait(&cancelled, &mutex);
    pthread_mutex_unlock(&mutex);
    return status_plain(STATUS_UNAVAILABLE, "its load was cancelled");
}

void builtin_cancel_loads(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&cancelled);
    pthread_mutex_unlock(&mutex);
}

const struct builtin builtin_never_loads = {.kind = "never-loads", .backend = {.load = load}};
