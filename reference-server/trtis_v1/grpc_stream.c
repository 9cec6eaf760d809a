/* "Stream Inference" of 002: a call with any number of InferRequests, each of which gets an InferResponse. The requests
 * are executed one after the other, so the answers come in their order, and a client that reads no answers sends no
 * further requests. A request that is refused ends nothing. */
#include "trtis_v1/grpc.h"

#include "grpc/course.h"

struct stream {
    struct v1_infer asked; /* must be first: the request that runs */
    struct arena arena;    /* of that request */
    struct rpc_course course;
};

static void end(struct stream *stream)
{
    arena_free(&stream->arena);
    rpc_answer(stream->course.call);
}

static void note(struct stream *stream, bool *flag)
{
    if (rpc_course_note(&stream->course, flag))
        end(stream);
}

/* --- A request --- */

/* Runs inside take_message, or later on another thread. trtis-v1-grpc.stream-order trtis-v1-grpc.stream-error-inside */
static void answer(struct v1_infer *asked)
{
    struct stream *stream = (struct stream *)asked;
    size_t count;
    struct str *pieces = v1_grpc_pieces(asked, &count);
    stream->course.call->refused_by = asked->outcome.broken;
    enum rpc_pace pace = pieces ? rpc_send(stream->course.call, pieces, count) : RPC_GO_ON;
    pthread_mutex_lock(&stream->course.mutex);
    if (!pieces)
        stream->course.failure = status_no_memory();
    stream->course.running = 0;
    stream->course.is_full |= pace == RPC_FULL;
    arena_reset(&stream->arena, stream->arena.budget);
    rpc_hold(stream->course.call, 0);
    bool is_over = rpc_course_ends(&stream->course), goes_on = !stream->course.is_over && !stream->course.is_full;
    struct rpc_call *call = stream->course.call;
    pthread_mutex_unlock(&stream->course.mutex);
    if (is_over)
        end(stream);
    else if (goes_on)
        rpc_next(call);
}

static bool is_awaited(const struct infer_request *request)
{
    return rpc_is_awaited(((const struct stream *)request)->course.call);
}

/* --- What the call calls, on the thread of its loop --- */

static struct status read_message(struct rpc_call *call, struct stream *stream, struct wire_parts *parts)
{
    struct rpc_call own = *call;
    own.arena = &stream->arena;
    stream->asked = (struct v1_infer){
        .request = {.arena = &stream->arena, .is_awaited = is_awaited}, .v1 = call->context, .answer = answer};
    struct status status = v1_grpc_read_infer(&own, &stream->asked, parts);
    rpc_release_message(call);
    return status;
}

static void take_message(struct rpc_call *call)
{
    struct stream *stream = call->own;
    struct wire_parts parts = {0};
    struct status status = read_message(call, stream, &parts);
    pthread_mutex_lock(&stream->course.mutex);
    stream->course.running = is_ok(status);
    stream->course.failure = status;
    bool is_over = rpc_course_ends(&stream->course);
    pthread_mutex_unlock(&stream->course.mutex);
    if (is_over) {
        end(stream);
    } else {
        rpc_hold(call, stream->arena.budget - stream->arena.left);
        v1_grpc_run(&stream->asked, &parts);
    }
}

static void take_writable(struct rpc_call *call)
{
    struct stream *stream = call->own;
    pthread_mutex_lock(&stream->course.mutex);
    bool goes_on = stream->course.is_full && !stream->course.running && !stream->course.is_over;
    stream->course.is_full = false;
    pthread_mutex_unlock(&stream->course.mutex);
    if (goes_on)
        rpc_next(call);
}

static void take_half_close(struct rpc_call *call)
{
    struct stream *stream = call->own;
    note(stream, &stream->course.is_half_closed);
}

static void take_cancel(struct rpc_call *call)
{
    struct stream *stream = call->own;
    note(stream, &stream->course.is_cancelled);
}

static void take_drain(struct rpc_call *call)
{
    struct stream *stream = call->own;
    note(stream, &stream->course.is_drained);
}

const struct rpc_stream v1_grpc_stream_calls = {
    .message = take_message,
    .half_closed = take_half_close,
    .writable = take_writable,
    .cancelled = take_cancel,
    .drained = take_drain,
};

/* trtis-v1-grpc.stream-answers trtis-v1-grpc.stream-empty trtis-v1-grpc.stream-open */
void v1_grpc_stream(struct rpc_call *call)
{
    struct stream *stream = arena_new_of(call->arena, struct stream);
    if (!stream) {
        rpc_refuse(call, status_no_memory());
        return;
    }
    rpc_course_begin(&stream->course, call);
    stream->arena = arena_new(call->arena->budget);
    call->own = stream;
}
