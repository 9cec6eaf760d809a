#include "grpc/course.h"

void *rpc_course_begin(struct rpc_call *call, size_t size)
{
    struct rpc_course *course = arena_alloc_zero(call->arena, 1, size);
    if (!course) {
        rpc_refuse(call, status_no_memory());
        return NULL;
    }
    call->own = course;
    course->call = call;
    pthread_mutex_init(&course->mutex, NULL);
    return course;
}

struct rpc_course *rpc_course_enter(struct rpc_call *call)
{
    struct rpc_course *course = call->own;
    pthread_mutex_lock(&course->mutex);
    return course;
}

bool rpc_course_is_silent(const struct rpc_course *course)
{
    return course->state >= RPC_CANCELLED || !is_ok(course->failure);
}

bool rpc_course_ends(const struct rpc_course *course)
{
    bool is_ending = course->state > RPC_GOES_ON || !is_ok(course->failure);
    return is_ending && course->state < RPC_OVER && course->running == 0;
}

/* Sets the status with which the call ends. */
static void set_outcome(struct rpc_course *course)
{
    struct status *status = &course->call->status;
    if (!is_ok(course->failure))
        *status = course->failure;
    else if (course->state == RPC_CANCELLED)
        *status = status_plain(STATUS_CANCELLED, "the call was cancelled");
    else if (course->state == RPC_DRAINED)
        *status = status_plain(STATUS_UNAVAILABLE, "the server is shutting down");
    course->state = RPC_OVER;
}

void rpc_course_leave(struct rpc_course *course)
{
    bool ends = rpc_course_ends(course);
    if (ends)
        set_outcome(course);
    pthread_mutex_unlock(&course->mutex);
    if (ends && course->ended)
        course->ended(course);
    if (ends)
        rpc_answer(course->call);
}

static void note(struct rpc_call *call, enum rpc_course_state state)
{
    struct rpc_course *course = rpc_course_enter(call);
    if (course->state < state)
        course->state = state;
    rpc_course_leave(course);
}

void rpc_course_half_closed(struct rpc_call *call)
{
    note(call, RPC_HALF_CLOSED);
}

void rpc_course_cancelled(struct rpc_call *call)
{
    note(call, RPC_CANCELLED);
}

void rpc_course_drained(struct rpc_call *call)
{
    note(call, RPC_DRAINED);
}
