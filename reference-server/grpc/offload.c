#include "grpc/offload.h"

#define OFFLOAD_AT_LEAST ((size_t)1024 * 1024)
#define START            ((size_t)4096) /* of a message: after it, raw data makes up the rest */

/* A message of raw data is used where it stands; of others, each byte is looked at, and most of them copied. */
bool offload_is_for(const struct server_call *call)
{
    struct str message = call->rpc.message;
    message_aligned *aligned = call->message.aligned;
    if (message.size < OFFLOAD_AT_LEAST || call->rpc.method->stream)
        return false;
    message.size = START;
    return !aligned || aligned(message) == 0;
}

void offload_handle(struct server_call *call)
{
    struct offload *offload = call->calls->shared->offload;
    call_hand_over(call);
    call->ends_inflation = call->is_inflating;
    call->is_inflating = false;
    pthread_mutex_lock(&offload->lock);
    call_list_join(&offload->list, call);
    pthread_cond_signal(&offload->changed);
    pthread_mutex_unlock(&offload->lock);
}

/* Takes the next call out of the queue. Returns NULL when it is empty and no more will come. */
static struct server_call *next_call(struct offload *offload)
{
    pthread_mutex_lock(&offload->lock);
    while (!offload->list.first && !offload->is_stopping)
        pthread_cond_wait(&offload->changed, &offload->lock);
    struct server_call *call = offload->list.first;
    if (call)
        call_list_leave(&offload->list, call);
    pthread_mutex_unlock(&offload->lock);
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

bool offload_start(struct offload *offload)
{
    call_list_open(&offload->list);
    pthread_mutex_init(&offload->lock, NULL);
    pthread_cond_init(&offload->changed, NULL);
    offload->is_started = pthread_create(&offload->thread, NULL, run, offload) == 0;
    return offload->is_started;
}

void offload_stop(struct offload *offload)
{
    if (!offload->is_started)
        return;
    pthread_mutex_lock(&offload->lock);
    offload->is_stopping = true;
    pthread_cond_signal(&offload->changed);
    pthread_mutex_unlock(&offload->lock);
    pthread_join(offload->thread, NULL);
    pthread_mutex_destroy(&offload->lock);
    pthread_cond_destroy(&offload->changed);
}
