/* "Stream Inference" of 002: a call with any number of InferRequests, each of which gets an InferResponse. The requests
 * are executed one after the other, so the answers come in their order, and a client that reads no answers sends no
 * further requests. A request that is refused ends nothing. */
#include "trtis_v1/grpc.h"

#include <pthread.h>

struct stream {
    struct v1_infer asked; /* must be first: the request that runs */
    struct arena arena;    /* of that request */
    struct rpc_call *call;

    pthread_mutex_t mutex; /* for what follows; it is not destroyed, because a function of the call may come late */
    bool is_running, is_full, is_half_closed, is_drained, is_cancelled, is_over;
    struct status failure; /* with which the stream ends; OK: there is none */
};

/* --- The course of a stream; the mutex is held --- */

/* Says whether the call can be answered, and sets its status. Whoever gets true answers it, without the mutex. */
static bool comes_to_its_end(struct stream *stream)
{
    bool is_ending = stream->is_half_closed || stream->is_drained || stream->is_cancelled || !is_ok(stream->failure);
    if (stream->is_over || stream->is_running || !is_ending)
        return false;
    stream->is_over = true;
    if (!is_ok(stream->failure))
        stream->call->status = stream->failure;
    else if (stream->is_cancelled)
        stream->call->status = (struct status){STATUS_CANCELLED, STR("the call was cancelled"), NULL};
    else if (!stream->is_half_closed)
        stream->call->status = (struct status){STATUS_UNAVAILABLE, STR("the server is shutting down"), NULL};
    return true;
}

static void end(struct stream *stream)
{
    arena_free(&stream->arena);
    rpc_answer(stream->call);
}

/* Notes what has happened to the stream. */
static void note(struct stream *stream, bool *what)
{
    pthread_mutex_lock(&stream->mutex);
    *what = true;
    bool is_over = comes_to_its_end(stream);
    pthread_mutex_unlock(&stream->mutex);
    if (is_over)
        end(stream);
}

/* --- A request --- */

/* Runs inside take_message, or later on another thread. trtis-v1-grpc.stream-order trtis-v1-grpc.stream-error-inside */
static void answer(struct v1_infer *asked)
{
    struct stream *stream = (struct stream *)asked;
    size_t count;
    struct str *pieces = v1_grpc_pieces(asked, &count);
    stream->call->refused_by = asked->outcome.broken;
    enum rpc_pace pace = pieces ? rpc_send(stream->call, pieces, count) : RPC_GO_ON;
    pthread_mutex_lock(&stream->mutex);
    if (!pieces)
        stream->failure = status_no_memory();
    stream->is_running = false;
    stream->is_full |= pace == RPC_FULL;
    arena_reset(&stream->arena, stream->arena.budget);
    rpc_hold(stream->call, 0);
    bool is_over = comes_to_its_end(stream), goes_on = !stream->is_over && !stream->is_full;
    struct rpc_call *call = stream->call;
    pthread_mutex_unlock(&stream->mutex);
    if (is_over)
        end(stream);
    else if (goes_on)
        rpc_next(call);
}

static bool is_awaited(const struct infer_request *request)
{
    return rpc_is_awaited(((const struct stream *)request)->call);
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
    pthread_mutex_lock(&stream->mutex);
    stream->is_running = is_ok(status);
    stream->failure = status;
    bool is_over = comes_to_its_end(stream);
    pthread_mutex_unlock(&stream->mutex);
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
    pthread_mutex_lock(&stream->mutex);
    bool goes_on = stream->is_full && !stream->is_running && !stream->is_over;
    stream->is_full = false;
    pthread_mutex_unlock(&stream->mutex);
    if (goes_on)
        rpc_next(call);
}

static void take_half_close(struct rpc_call *call)
{
    struct stream *stream = call->own;
    note(stream, &stream->is_half_closed);
}

static void take_cancel(struct rpc_call *call)
{
    struct stream *stream = call->own;
    note(stream, &stream->is_cancelled);
}

static void take_drain(struct rpc_call *call)
{
    struct stream *stream = call->own;
    note(stream, &stream->is_drained);
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
        v1_grpc_fail(call, status_no_memory());
        return;
    }
    stream->call = call;
    stream->arena = arena_new(call->arena->budget);
    pthread_mutex_init(&stream->mutex, NULL);
    call->own = stream;
}
