#include "grpc/outgoing.h"

#include "base/search.h"
#include "grpc/message.h"

#include <stdlib.h>

#define MESSAGE_COST (sizeof(struct outgoing_message) + MESSAGE_HEAD)

void outgoing_open(struct outgoing *outgoing)
{
    outgoing->last = &outgoing->first;
    outgoing->limit = OUTGOING_MAX;
    pthread_mutex_init(&outgoing->lock, NULL);
}

void outgoing_free(struct outgoing *outgoing)
{
    outgoing_drop(outgoing);
    pthread_mutex_destroy(&outgoing->lock);
}

struct outgoing_message *outgoing_copy(const struct str *pieces, size_t count)
{
    size_t size = SUM(i, count, pieces[i].size);
    struct outgoing_message *message = size <= INT32_MAX ? malloc(sizeof(*message) + size) : NULL;
    if (!message)
        return NULL;
    char *at = (char *)(message + 1);
    *message = (struct outgoing_message){NULL, {at, size}};
    for (size_t i = 0; i < count; i++)
        if (pieces[i].size > 0)
            at = mempcpy(at, pieces[i].data, pieces[i].size);
    return message;
}

/* The lock is held, and the state is OPEN or FULL. */
static enum outgoing_state append(struct outgoing *outgoing, struct outgoing_message *message)
{
    if (!message)
        return OUTGOING_LOST;
    *outgoing->last = message;
    outgoing->last = &message->next;
    outgoing->size += MESSAGE_COST + message->bytes.size;
    return outgoing->size > outgoing->limit ? OUTGOING_FULL : outgoing->state;
}

enum rpc_pace outgoing_add(struct outgoing *outgoing, struct outgoing_message *message)
{
    pthread_mutex_lock(&outgoing->lock);
    bool is_wanted = outgoing->state <= OUTGOING_FULL;
    if (is_wanted)
        outgoing->state = append(outgoing, message);
    enum outgoing_state state = outgoing->state;
    pthread_mutex_unlock(&outgoing->lock);
    if (!is_wanted)
        free(message);
    return state == OUTGOING_OPEN ? RPC_GO_ON : state == OUTGOING_FULL ? RPC_FULL : RPC_GONE;
}

struct outgoing_message *outgoing_take(struct outgoing *outgoing)
{
    pthread_mutex_lock(&outgoing->lock);
    struct outgoing_message *message = outgoing->first;
    if (message) {
        outgoing->size -= MESSAGE_COST + message->bytes.size;
        outgoing->first = message->next;
        if (!outgoing->first)
            outgoing->last = &outgoing->first;
    }
    pthread_mutex_unlock(&outgoing->lock);
    return message;
}

bool outgoing_is_low(const struct outgoing *outgoing)
{
    return outgoing->state == OUTGOING_FULL && outgoing->size <= outgoing->limit / 2;
}

bool outgoing_reopen(struct outgoing *outgoing)
{
    pthread_mutex_lock(&outgoing->lock);
    bool is_low = outgoing_is_low(outgoing);
    if (is_low)
        outgoing->state = OUTGOING_OPEN;
    pthread_mutex_unlock(&outgoing->lock);
    return is_low;
}

bool outgoing_close(struct outgoing *outgoing)
{
    pthread_mutex_lock(&outgoing->lock);
    bool was_closed = atomic_exchange(&outgoing->state, OUTGOING_CLOSED) == OUTGOING_CLOSED;
    pthread_mutex_unlock(&outgoing->lock);
    return !was_closed;
}

void outgoing_drop(struct outgoing *outgoing)
{
    for (struct outgoing_message *message; (message = outgoing_take(outgoing));)
        free(message);
}
