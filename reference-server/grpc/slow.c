#include "grpc/slow.h"

#define SLOW_AT_LEAST ((size_t)1024 * 1024)
#define START         ((size_t)4096) /* of a message: behind it, raw data makes up the rest */

/* A message of raw data is used where it stands; of others, each byte is looked at, and most of them copied. */
bool slow_is_for(const struct server_call *call)
{
    struct str message = call->rpc.message;
    message_aligned *aligned = call->message.aligned;
    if (message.size < SLOW_AT_LEAST || call->rpc.method->stream)
        return false;
    message.size = START;
    return !aligned || aligned(message) == 0;
}

void slow_handle(struct server_call *call)
{
    struct slow *slow = call->calls->shared->slow;
    call_owe(call);
    call->ends_inflation = call->is_inflating;
    call->is_inflating = false;
    pthread_mutex_lock(&slow->lock);
    call_line_join(&slow->line, call);
    pthread_cond_signal(&slow->changed);
    pthread_mutex_unlock(&slow->lock);
}

/* Takes the next call out of the queue. Returns NULL when it is empty and no more will come. */
static struct server_call *next_call(struct slow *slow)
{
    pthread_mutex_lock(&slow->lock);
    while (!slow->line.first && !slow->is_stopping)
        pthread_cond_wait(&slow->changed, &slow->lock);
    struct server_call *call = slow->line.first;
    if (call)
        call_line_leave(&slow->line, call);
    pthread_mutex_unlock(&slow->lock);
    return call;
}

static void *run(void *argument)
{
    for (struct server_call *call; (call = next_call(argument));) {
        enum call_phase phase = PHASE_HANDLING;
        atomic_flag *ends_inflation = call->ends_inflation ? &call->calls->shared->is_inflating : NULL;
        call->rpc.method->handle(&call->rpc);
        if (!atomic_compare_exchange_strong(&call->phase, &phase, PHASE_DEFERRED))
            loop_post(call->loop, &call->answered);
        if (ends_inflation)
            atomic_flag_clear(ends_inflation);
    }
    return NULL;
}

bool slow_start(struct slow *slow)
{
    call_line_open(&slow->line);
    pthread_mutex_init(&slow->lock, NULL);
    pthread_cond_init(&slow->changed, NULL);
    slow->is_started = pthread_create(&slow->thread, NULL, run, slow) == 0;
    return slow->is_started;
}

void slow_stop(struct slow *slow)
{
    if (!slow->is_started)
        return;
    pthread_mutex_lock(&slow->lock);
    slow->is_stopping = true;
    pthread_cond_signal(&slow->changed);
    pthread_mutex_unlock(&slow->lock);
    pthread_join(slow->thread, NULL);
    pthread_mutex_destroy(&slow->lock);
    pthread_cond_destroy(&slow->changed);
}
