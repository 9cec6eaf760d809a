/* The course of a call with many messages: what its client and the server have done to it, and when it is to be
 * answered. For handlers whose requests are answered on other threads. It is the first member of the handler's own
 * struct, to which call->own points. */
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
    pthread_mutex_t mutex; /* guards all that follows, and the other members of the handler's struct. It is never
                              destroyed, because functions of struct rpc_stream may still be called after the answer */
    size_t running;        /* requests that are not answered in full; the call is not answered before */
    bool is_full;          /* the client takes no answers at the moment */
    enum rpc_course_state state;
    struct status failure; /* the status with which the call ends; OK if nothing has failed */
};

/* Begins the course of a call. Returns the handler's struct, of that size, which begins with the course; its other
 * members are zero. Returns NULL without memory; then the call has been refused. */
void *rpc_course_begin(struct rpc_call *call, size_t size);

/* Takes the mutex of a call's course, and returns the course. */
struct rpc_course *rpc_course_enter(struct rpc_call *call);

/* Releases the mutex, and answers the call if that is due. After the answer only functions of struct rpc_stream may use
 * the course, until the loop has noticed the answer. */
void rpc_course_leave(struct rpc_course *course);

/* rpc_course_is_silent: whether nothing may be sent any more. rpc_course_ends: whether rpc_course_leave would answer
 * the call; then no further message may be asked for. The mutex is held. */
bool rpc_course_is_silent(const struct rpc_course *course);
bool rpc_course_ends(const struct rpc_course *course);

/* For struct rpc_stream. */
void rpc_course_half_closed(struct rpc_call *call);
void rpc_course_cancelled(struct rpc_call *call);
void rpc_course_drained(struct rpc_call *call);
