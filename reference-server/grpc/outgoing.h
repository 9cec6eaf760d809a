/* The messages of a call that wait to be sent, in order. Any thread adds them, and the loop takes them.
 *
 *     OPEN <---> FULL        from both to LOST, and from all three to CLOSED */
#pragma once

#include "grpc/rpc.h"

#include <pthread.h>
#include <stdatomic.h>

#define OUTGOING_MAX ((size_t)64 * 1024) /* bytes that may wait when one more message is added */

enum outgoing_state {
    OUTGOING_OPEN,
    OUTGOING_FULL,   /* the handler should add nothing until `writable` is called */
    OUTGOING_LOST,   /* there was no memory for a message, so the call fails */
    OUTGOING_CLOSED, /* nothing is added any more: the handler was told, or has answered */
};

struct outgoing_message {
    struct outgoing_message *next;
    struct str bytes; /* after this struct */
};

struct outgoing {
    atomic_size_t limit;  /* OUTGOING_MAX, or 0 if nothing should wait; the loop sets it */
    pthread_mutex_t lock; /* for changes of what follows; state and size may be read without it */
    _Atomic enum outgoing_state state;
    atomic_size_t size; /* bytes that the messages take */
    struct outgoing_message *first, **last;
};

void outgoing_open(struct outgoing *outgoing);
void outgoing_free(struct outgoing *outgoing);

/* Returns a copy of the pieces in order. Returns NULL without memory, and for a message above 2 GiB. */
struct outgoing_message *outgoing_copy(const struct str *pieces, size_t count);

/* Adds a message, or drops it if nobody waits for it. NULL means that there was no memory for the message: the call
 * fails. */
enum rpc_pace outgoing_add(struct outgoing *outgoing, struct outgoing_message *message);

/* Takes the next message, which belongs to the caller then; NULL if none waits. */
struct outgoing_message *outgoing_take(struct outgoing *outgoing);

/* outgoing_is_low: whether it is FULL, but has room again. outgoing_reopen then makes it OPEN and returns true; the
 * caller tells the handler. */
bool outgoing_is_low(const struct outgoing *outgoing);
bool outgoing_reopen(struct outgoing *outgoing);

/* Closes it. Returns false if it was closed before. outgoing_drop frees what waits. */
bool outgoing_close(struct outgoing *outgoing);
void outgoing_drop(struct outgoing *outgoing);
