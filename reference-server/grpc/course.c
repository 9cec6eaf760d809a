#include "grpc/course.h"

void rpc_course_begin(struct rpc_course *course, struct rpc_call *call)
{
    course->call = call;
    pthread_mutex_init(&course->mutex, NULL);
}

bool rpc_course_is_silent(const struct rpc_course *course)
{
    return course->is_cancelled || !is_ok(course->failure);
}

bool rpc_course_ends(struct rpc_course *course)
{
    bool is_ending = course->is_half_closed || course->is_drained || rpc_course_is_silent(course);
    if (course->is_over || course->running > 0 || !is_ending)
        return false;
    course->is_over = true;
    if (!is_ok(course->failure))
        course->call->status = course->failure;
    else if (course->is_cancelled)
        course->call->status = (struct status){STATUS_CANCELLED, STR("the call was cancelled"), NULL};
    else if (!course->is_half_closed)
        course->call->status = (struct status){STATUS_UNAVAILABLE, STR("the server is shutting down"), NULL};
    return true;
}

bool rpc_course_note(struct rpc_course *course, bool *flag)
{
    pthread_mutex_lock(&course->mutex);
    *flag = true;
    bool is_over = rpc_course_ends(course);
    pthread_mutex_unlock(&course->mutex);
    return is_over;
}
