#include "grpc/dispatch.h"

#include "base/search.h"
#include "grpc/answer.h"
#include "grpc/offload.h"
#include "grpc/queue.h"
#include "grpc/request.h"
#include "grpc/streaming.h"

#define RETRY_AFTER    (10 * 1000000) /* nanoseconds until calls that wait for memory are looked at again */
#define WINDOW_OF_SIZE 2              /* see admit */
#define WINDOW_MAX     ((size_t)INT32_MAX)

/* --- The answer, and who waits for it --- */

/* Sends the answer. Until it is written, the budget is charged for the arena of the call, and for its message if that
 * was kept. */
static void send_answer(struct server_call *call)
{
    call_charge(call, CALL_SIZE + (call->arena.budget - call->arena.left) + message_memory(&call->message));
    if (call->streaming)
        streaming_answer(call);
    else
        answer_send(call);
}

static void answered(struct post *post)
{
    struct server_call *call = OWNER_OF(post, struct server_call, answered);
    call->calls->handed_over--;
    call->is_handed_over = false;
    if (call->peer)
        send_answer(call);
    else if (!call->streaming || !streaming_is_posted(call))
        call_release(call);
}

/* --- Handling --- */

/* Returns the mount of the service in a path whose method does not exist; the first mount if the service does not
 * exist. */
static const struct rpc_mount *mount_named(const struct rpc_options *options, struct str path)
{
    const char *slash = path.size > 0 ? memrchr(path.data, '/', path.size) : NULL;
    struct str name = STR("");
    if (slash && slash > path.data)
        name = (struct str){path.data + 1, (size_t)(slash - path.data) - 1};
    return FIRST(i, options->mount_count, str_is(name, options->mounts[i].service->name), &options->mounts[i],
                 options->mounts);
}

/* Calls the handler, or refuses the call if the status is not OK. Later parts of its request are dropped. */
static void begin(struct server_call *call, struct status status)
{
    struct rpc_call *rpc = &call->rpc;
    const struct rpc_options *options = &call->calls->shared->options;
    const struct rpc_mount *mount = call->registered ? call->registered->mount : mount_named(options, rpc->path);
    call_go(call, CALL_BEGUN);
    call_wait_no_more(call);
    call_enter_flight(call);
    call->answered.take = answered;
    rpc->method = call->registered ? call->registered->method : NULL;
    rpc->service = mount->service;
    rpc->context = mount->context;
    if (options->arrive)
        options->arrive(rpc);
    if (options->begin)
        options->begin(rpc);
    if (is_ok(status) && rpc->method && offload_is_for(call)) {
        offload_handle(call);
        return;
    }
    queue_leave(call);
    if (is_ok(status) && rpc->method) {
        rpc->method->handle(rpc);
    } else {
        rpc->status = status;
        atomic_store(&call->phase, PHASE_ANSWERED);
    }
    enum call_phase phase = PHASE_HANDLING;
    if (atomic_load(&call->phase) == PHASE_HANDLING &&
        atomic_compare_exchange_strong(&call->phase, &phase, PHASE_DEFERRED))
        call_hand_over(call);
    else
        send_answer(call);
}

/* Begins a call with many messages. If its method takes only one request, `status` says whether that could be read. */
static void begin_stream(struct server_call *call, struct status status)
{
    begin(call, is_ok(status) && !streaming_open(call) ? status_no_memory() : status);
    if (!call->streaming)
        return;
    if (call->calls->is_draining)
        streaming_drain(call);
    streaming_attend(call);
}

/* Handles a call that takes one message, or refuses it if the status is not OK. */
static void handle(struct server_call *call, struct status status)
{
    call_show_message(call);
    if (call->registered->method->stream)
        begin_stream(call, status);
    else
        begin(call, status);
}

/* A message that was inflated is decoded before the next one is inflated, here or on the thread of offload.h. The
 * messages of a stream are an exception, because they wait until their handler asks for them. */
void dispatch_ready(struct server_call *call, struct status status)
{
    struct connection *connection = &call->peer->session.connection;
    if (call->streaming) {
        queue_leave(call);
        streaming_take_inflated(call, status);
    } else {
        handle(call, status);
    }
    connection_mark(connection);
}

static void handle_complete(struct session *session)
{
    struct peer *peer = (struct peer *)session;
    for (struct server_call *call; (call = peer->complete.first);) {
        call_list_leave(&peer->complete, call);
        call_go(call, CALL_DUE);
        struct status status = request_check_message(call);
        if (is_ok(status) && queue_is_for(call))
            queue_join(call);
        else
            handle(call, status);
    }
}

/* --- The end --- */

static void close_call(struct server_call *call)
{
    struct peer *peer = call->peer;
    *call->link = call->next;
    if (call->next)
        call->next->link = call->link;
    else
        peer->last = call->link;
    if (call->state == CALL_COMPLETE)
        call_list_leave(&peer->complete, call);
    queue_leave(call);
    timer_clear(&call->loop->timers, &call->deadline);
    call_go(call, CALL_CLOSED);
    if (!call->streaming || streaming_close(call))
        call_leave(call);
}

/* The deadline of a call (gRPC, "Timeout") has passed: nobody waits any longer. */
static void deadline_passed(struct timer *timer)
{
    struct server_call *call = OWNER_OF(timer, struct server_call, deadline);
    struct session *session = &call->peer->session;
    const struct status late = {.code = STATUS_DEADLINE_EXCEEDED,
                                .message = STR("the deadline of the call has passed")};
    if (call->rpc.delivery == RPC_HANG)
        return; /* a deviation */
    if (call->state < CALL_BEGUN) {
        begin(call, late);
    } else if (call->streaming) {
        streaming_fail(call, late);
    } else if (call->is_handed_over) {
        int32_t stream = call->stream;
        call->fault = late;
        session_forget(session, stream);
        close_call(call);
        answer_plainly(session, stream, late.code, late.message.data);
    } else {
        session_reset(session, call->stream, NGHTTP2_CANCEL);
    }
    connection_mark(&session->connection);
}

/* Whether the call has waited for its client since that time. */
static bool is_stalled(const struct server_call *call, int64_t since)
{
    if (call->progress_at >= since)
        return false;
    if (call->streaming)
        return streaming_is_stalled(call);
    if (call->state >= CALL_BEGUN)
        return call->left > 0 || call->answer == ANSWER_SENT;
    return call->intake != INTAKE_WAITS && call->intake != INTAKE_QUEUED;
}

static bool reset_stalled(struct session *session, int64_t since)
{
    const struct peer *peer = (const struct peer *)session;
    for (const struct server_call *call = peer->first; call; call = call->next)
        if (is_stalled(call, since))
            session_reset(session, call->stream, NGHTTP2_CANCEL);
    return peer->first;
}

/* --- The request --- */

static void refuse(struct session *session, int32_t stream)
{
    answer_plainly(session, stream, STATUS_RESOURCE_EXHAUSTED, "out of memory");
}

/* RFC 9113, 8.1.1: a malformed request is an error of its stream. Returns whether it is one. */
static bool reset_if_malformed(struct server_call *call)
{
    if (!(call->fields.malformed & ~call->calls->shared->options.takes_malformed))
        return false;
    if (call->state != CALL_RESET) {
        session_reset(&call->peer->session, call->stream, NGHTTP2_PROTOCOL_ERROR);
        call_go(call, CALL_RESET);
    }
    call_wait_no_more(call);
    return true;
}

/* RFC 9113, 8.1: a request has one head; further headers are trailers, which must end it. */
static void end_headers(struct server_call *call, bool is_end)
{
    if (call->fields.has_ended) {
        call->fields.malformed |= is_end ? 0 : MALFORMED_PSEUDO;
        reset_if_malformed(call);
        return;
    }
    request_end_head(&call->fields);
    if (reset_if_malformed(call))
        return;
    struct status status = request_check_headers(call);
    if (!is_ok(status)) {
        begin(call, status);
        return;
    }
    if (call->timeout >= 0 && call->timeout < NEVER - call->loop->now) {
        call->deadline.due = deadline_passed;
        timer_set(&call->loop->timers, &call->deadline, call->loop->now + call->timeout);
    }
    call->message.aligned = call->registered->method->aligned;
    if (call->registered->method->stream && call->registered->method->stream->message)
        begin_stream(call, STATUS_IS_OK);
}

/* Admits the whole message, if afterwards the connection holds no more than what is left for all others. The window of
 * the stream becomes twice the message's size, because padding counts too, and libnghttp2 gives the window back only
 * when half of it is used. An admitted message can always be completed, so calls never wait for each other. */
static bool admit(struct server_call *call)
{
    size_t claim = call->message.size;
    if (!call_admit(call))
        return false;
    call_charge(call, CALL_SIZE + claim);
    size_t window = claim < WINDOW_MAX / WINDOW_OF_SIZE ? claim * WINDOW_OF_SIZE : WINDOW_MAX;
    if (window > STREAM_WINDOW)
        nghttp2_session_set_local_window_size(call->peer->session.nghttp2, NGHTTP2_FLAG_NONE, call->stream,
                                              (int32_t)window);
    return true;
}

/* Admits messages that wait for memory. Returns whether some still wait. */
static bool admit_all(const struct peer *peer)
{
    bool some_wait = false;
    for (struct server_call *call = peer->first; call; call = call->next)
        some_wait |= call->intake == INTAKE_WAITS && !(call->streaming ? streaming_admit(call) : admit(call));
    return some_wait;
}

void dispatch_retry(struct timer *timer)
{
    struct calls *calls = OWNER_OF(timer, struct calls, retry);
    struct connections *connections = &calls->sessions.connections;
    bool some_wait = false;
    for (struct connection *connection = connections->first; connection; connection = connection->next) {
        some_wait |= admit_all((const struct peer *)connection);
        connection_mark(connection);
    }
    if (some_wait)
        timer_set(&connections->loop.timers, timer, connections->loop.now + RETRY_AFTER);
}

static void take_data(struct server_call *call, struct str bytes)
{
    request_take_content(&call->fields, bytes.size);
    if (reset_if_malformed(call))
        return;
    if (call->state >= CALL_BEGUN) {
        if (call->streaming)
            streaming_take_data(call, bytes);
        else
            answer_drop(call, bytes.size);
        return;
    }
    call->progress_at = call->loop->now;
    struct status status = message_take(&call->message, bytes, call->calls->shared->options.max_message, &call->arena);
    bool is_large = call->message.size > MESSAGE_IN_ARENA; /* the arena of a call is held anyway */
    if (is_ok(status) && is_large && !call->message.is_admitted && !admit(call))
        status = call_wait_for_memory(call);
    if (!is_ok(status))
        begin(call, status);
}

static void end_request(struct server_call *call)
{
    request_end(&call->fields);
    if (reset_if_malformed(call))
        return;
    if (call->state == CALL_ARRIVES) {
        call_go(call, CALL_COMPLETE);
        call_list_join(&call->peer->complete, call);
    } else if (call->streaming) {
        streaming_take_end(call);
    }
}

/* --- The connection --- */

static void open_peer(struct session *session)
{
    struct peer *peer = (struct peer *)session;
    peer->last = &peer->first;
    call_list_open(&peer->complete);
}

static void close_peer(struct session *session)
{
    const struct peer *peer = (const struct peer *)session;
    while (peer->first)
        close_call(peer->first);
}

void dispatch_drain(struct peer *peer)
{
    if (peer->session.is_draining || peer->session.connection.state == CONNECTION_ENDING)
        return;
    for (struct server_call *call = peer->first; call; call = call->next)
        if (call->streaming)
            streaming_drain(call);
    session_drain(&peer->session);
}

const struct session_handler dispatch_handler = {
    .open = open_peer,
    .close = close_peer,
    .begin = call_new,
    .refuse = refuse,
    .take_header = request_take_header,
    .end_headers = end_headers,
    .take_data = take_data,
    .end = end_request,
    .frames_taken = handle_complete,
    .put = answer_put,
    .sent = answer_sent,
    .close_stream = close_call,
    .tick = reset_stalled,
};
