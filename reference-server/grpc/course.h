/* The course of a call with many messages: what its client and the server have done to it, and when it is to be
 * answered. For handlers whose requests are answered on other threads. It stands first in what the handler keeps of the
 * call, to which call->own points. */
#pragma once

#include "grpc/rpc.h"

#include <pthread.h>

/* What has happened to a call. Each takes the place of an earlier one in this list, and never of a later one. */
enum rpc_course_state {
    RPC_GOES_ON,
    RPC_DRAINED,
    RPC_HALF_CLOSED,
    RPC_CANCELLED,
    RPC_OVER, /* somebody answers the call, or has */
};

struct rpc_course {
    struct rpc_call *call;
    void (*ended)(struct rpc_course *course); /* called before the call is answered; may be NULL */
    pthread_mutex_t mutex; /* for what follows and what else the handler keeps of the call. It is not destroyed, because
                              a function of the call may still come late */
    size_t running;        /* requests that are not answered in full; the call is not answered before */
    bool is_full;          /* the client takes no answers at the moment */
    enum rpc_course_state state;
    struct status failure; /* with which the call ends; OK: there is none */
};

/* Begins the course of a call. Returns what the handler keeps of the call, which has that size and begins with the
 * course; all else in it is zero. Returns NULL without memory: the call has been refused then. */
void *rpc_course_begin(struct rpc_call *call, size_t size);

/* Takes the mutex of a call's course, and returns the course. */
struct rpc_course *rpc_course_enter(struct rpc_call *call);

/* Releases the mutex, and answers the call if it can be. Afterwards only the thread of the call's loop may use the
 * course, since the loop has not taken the answer yet. */
void rpc_course_leave(struct rpc_course *course);

/* Whether nothing is to be sent any more, and whether rpc_course_leave would answer the call: then no further message
 * may be asked for. The mutex is held. */
bool rpc_course_is_silent(const struct rpc_course *course);
bool rpc_course_ends(const struct rpc_course *course);

/* For struct rpc_stream. */
void rpc_course_half_closed(struct rpc_call *call);
void rpc_course_cancelled(struct rpc_call *call);
void rpc_course_drained(struct rpc_call *call);
