/* Handlers of requests that take long to decode run on a thread of their own, one after the other: a loop has others to
 * serve, and two such requests at a time would take twice the memory.
 *
 * To its loop, such a call looks as if its handler had not answered yet. While the handler runs, the phase of the call
 * is PHASE_HANDLING. Afterwards either the call is posted to its loop, because it is answered, or its phase is
 * PHASE_DEFERRED and any thread may answer it. */
#pragma once

#include "grpc/call.h"

struct offload {
    pthread_t thread;
    bool is_started;

    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t changed;
    bool is_stopping;
    struct call_list list;
};

bool offload_start(struct offload *offload);
void offload_stop(struct offload *offload); /* when the loops have ended */

/* Whether the handler of a call would block its loop for too long. The message of the call is ready. */
bool offload_is_for(const struct server_call *call);

/* Lets the handler run on the other thread. The call counts as handed over from now on. */
void offload_handle(struct server_call *call);
