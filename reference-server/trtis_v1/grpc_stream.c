/* "Stream Inference" of 002: a call with any number of InferRequests, each of which gets an InferResponse. The requests
 * are executed one after the other, so the answers come in their order, and a client that reads no answers sends no
 * further requests. A request that is refused ends nothing. */
#include "trtis_v1/grpc.h"

#include "grpc/course.h"

struct stream {
    struct rpc_course course; /* must be first */
    struct v1_infer asked;    /* the request that runs */
    struct arena arena;       /* of that request */
};

static void free_arena(struct rpc_course *course)
{
    arena_free(&((struct stream *)course)->arena);
}

/* --- A request --- */

/* Runs inside take_message, or later on another thread. trtis-v1-grpc.stream-order trtis-v1-grpc.stream-error-inside */
static void answer(struct v1_infer *asked)
{
    struct rpc_call *call = asked->request.context;
    struct stream *stream = call->own;
    size_t count;
    struct str *pieces = v1_grpc_pieces(asked, &count);
    struct rpc_course *course = rpc_course_enter(call);
    call->refused_by = asked->outcome.broken;
    if (!pieces)
        course->failure = status_no_memory();
    else if (rpc_send(call, pieces, count) == RPC_FULL)
        course->is_full = true; /* before take_writable, which waits for the mutex */
    course->running = 0;
    arena_reset(&stream->arena, stream->arena.budget);
    rpc_charge(call, 0);
    if (!course->is_full && !rpc_course_ends(course))
        rpc_next(call);
    rpc_course_leave(course);
}

/* --- What the call calls, on the thread of its loop --- */

static void take_message(struct rpc_call *call)
{
    struct stream *stream = call->own;
    struct wire_parts parts = {0};
    stream->asked = v1_grpc_asked(call, &stream->arena, answer);
    struct status status = v1_grpc_read_infer(call, &stream->asked, &parts);
    rpc_release_message(call);
    struct rpc_course *course = rpc_course_enter(call);
    course->running = is_ok(status);
    course->failure = status;
    rpc_course_leave(course);
    if (!is_ok(status))
        return;
    rpc_charge(call, stream->arena.budget - stream->arena.left);
    v1_grpc_run(&stream->asked, &parts);
}

static void take_writable(struct rpc_call *call)
{
    struct rpc_course *course = rpc_course_enter(call);
    if (course->is_full && !course->running && course->state < RPC_OVER)
        rpc_next(call);
    course->is_full = false;
    rpc_course_leave(course);
}

const struct rpc_stream v1_grpc_stream_calls = {
    .message = take_message,
    .half_closed = rpc_course_half_closed,
    .writable = take_writable,
    .cancelled = rpc_course_cancelled,
    .drained = rpc_course_drained,
};

/* trtis-v1-grpc.stream-answers trtis-v1-grpc.stream-empty trtis-v1-grpc.stream-open */
void v1_grpc_stream(struct rpc_call *call)
{
    struct stream *stream = rpc_course_begin(call, sizeof(*stream));
    if (!stream)
        return;
    stream->course.ended = free_arena;
    stream->arena = arena_new(call->arena->budget);
}
