/* The course of a call with many messages: what its client and the server have done to it, and when it is to be
 * answered. For handlers whose requests are answered on other threads. */
#pragma once

#include "grpc/rpc.h"

#include <pthread.h>

struct rpc_course {
    struct rpc_call *call;
    pthread_mutex_t mutex; /* for what follows and what else the handler keeps of the call. It is not destroyed, because
                              a function of the call may still come late */
    size_t running;        /* requests that are not answered in full; the call is not answered before */
    bool is_full;          /* the client takes no answers at the moment */
    bool is_half_closed, is_drained, is_cancelled;
    bool is_over;          /* somebody answers the call, or has */
    struct status failure; /* with which the call ends; OK: there is none */
};

/* Begins the course of a call. All of it must be zero. */
void rpc_course_begin(struct rpc_course *course, struct rpc_call *call);

/* Whether nothing is to be sent any more. The mutex is held. */
bool rpc_course_is_silent(const struct rpc_course *course);

/* Whether the call can be answered; if so, sets its status. Whoever gets true answers it, without the mutex, which is
 * held here. */
bool rpc_course_ends(struct rpc_course *course);

/* Sets one of the flags above. Returns the same as rpc_course_ends. The mutex is not held. */
bool rpc_course_note(struct rpc_course *course, bool *flag);
