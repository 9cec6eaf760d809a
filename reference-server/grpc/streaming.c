#include "grpc/streaming.h"

#include "grpc/answer.h"
#include "grpc/attention.h"
#include "grpc/incoming.h"
#include "grpc/outgoing.h"

#include <stdlib.h>

/* The additional state of a call with many messages. It belongs to the thread of the loop, except for atomic members,
 * and what attention.h, incoming.h and outgoing.h allow other threads. */
struct streaming {
    struct attention attention;
    struct server_call *call;
    struct incoming incoming;
    struct outgoing outgoing;
    struct outgoing_message *sending; /* the message that answer_put puts */
    atomic_size_t charged_outside;    /* bytes, as the handler says */
};

static void taken(struct post *post);
static bool load_next(struct server_call *call);

/* --- Memory --- */

static void free_streaming(struct streaming *streaming)
{
    outgoing_free(&streaming->outgoing);
    free(streaming->sending);
    arena_free(&streaming->incoming.arena);
    buf_free(&streaming->incoming.backlog);
    free(streaming);
}

bool streaming_open(struct server_call *call)
{
    struct streaming *streaming = call->streaming = calloc(1, sizeof(*streaming));
    if (!streaming)
        return false;
    call->free_streaming = free_streaming;
    call->load_next = load_next;
    streaming->call = call;
    streaming->attention.post.take = taken;
    streaming->attention.loop = call->loop;
    streaming->incoming.arena = arena_new(call->calls->shared->arena_budget);
    call->message_arena = &streaming->incoming.arena; /* the handler uses the arena of the call, on any thread */
    outgoing_open(&streaming->outgoing);
    return true;
}

/* Charges the budget for what the call holds. If the connection has used its share, no message should wait to be sent,
 * and the handler gets no further message. */
static void account(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    call_charge(call, CALL_SIZE + incoming_memory(&streaming->incoming, call) + streaming->outgoing.size + call->left +
                          streaming->charged_outside);
    bool is_crowded = call->peer->charged > lease_left(&call->calls->lease);
    streaming->outgoing.limit = is_crowded ? 0 : OUTGOING_MAX;
    /* charged_outside is read after the limit is set, because rpc_charge changes it first, and then checks whether the
     * limit is 0. */
    streaming->incoming.has_share = !is_crowded || streaming->charged_outside == 0;
}

/* --- Sending --- */

static bool load_next(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    free(streaming->sending);
    streaming->sending = outgoing_take(&streaming->outgoing);
    if (streaming->sending)
        answer_load(call, &streaming->sending->bytes);
    if (outgoing_is_low(&streaming->outgoing))
        attention_ask(&streaming->attention);
    account(call);
    return streaming->sending;
}

/* Nothing will be added to the answer. */
static void give_answer(struct server_call *call)
{
    if (call->answer == ANSWER_NONE)
        answer_begin(call);
    answer_go(call, ANSWER_GIVEN);
}

/* Lets libnghttp2 send what is queued. */
static void send_some(struct server_call *call)
{
    if (call->answer > ANSWER_NONE)
        nghttp2_session_resume_data(call->peer->session.nghttp2, call->stream);
    else if (call->streaming->outgoing.size > 0)
        answer_begin(call);
    account(call);
    connection_mark(&call->peer->session.connection);
}

/* --- What handlers call, on any thread --- */

static struct streaming *streaming_of(struct rpc_call *rpc)
{
    return ((struct server_call *)rpc)->streaming;
}

/* Lets the message be altered. Returns false if it shall not be sent. */
static bool alter(struct server_call *call, struct outgoing_message **message)
{
    const struct call_shared *shared = call->calls->shared;
    if (!shared->options.alter || !call->rpc.deviation || !*message)
        return true;
    struct arena arena = arena_new(shared->arena_budget);
    struct str bytes = (*message)->bytes;
    shared->options.alter(&call->rpc, &arena, &bytes);
    struct outgoing_message *altered = bytes.data ? outgoing_copy(&bytes, 1) : NULL;
    arena_free(&arena);
    free(*message);
    *message = altered;
    return bytes.data != NULL;
}

enum rpc_pace rpc_send(struct rpc_call *rpc, const struct str *pieces, size_t count)
{
    struct streaming *streaming = streaming_of(rpc);
    struct outgoing_message *message = outgoing_copy(pieces, count);
    if (!alter(streaming->call, &message))
        return RPC_GO_ON;
    enum rpc_pace pace = outgoing_add(&streaming->outgoing, message);
    attention_ask(&streaming->attention);
    return pace;
}

void rpc_next(struct rpc_call *rpc)
{
    struct streaming *streaming = streaming_of(rpc);
    streaming->incoming.is_next_wanted = true;
    attention_ask(&streaming->attention);
}

void rpc_charge(struct rpc_call *rpc, size_t size)
{
    struct streaming *streaming = streaming_of(rpc);
    size_t before = atomic_exchange(&streaming->charged_outside, size);
    if (size < before && streaming->outgoing.limit == 0)
        attention_ask(&streaming->attention);
}

/* --- What the loop does --- */

/* Drops the messages that wait to be sent, and tells the handler. */
static void cancel(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    const struct rpc_stream *stream = call->rpc.method->stream;
    bool is_news = outgoing_close(&streaming->outgoing);
    outgoing_drop(&streaming->outgoing);
    if (is_news && stream->cancelled && atomic_load(&call->phase) == PHASE_DEFERRED)
        stream->cancelled(&call->rpc);
}

void streaming_fail(struct server_call *call, struct status status)
{
    if (call->answer >= ANSWER_GIVEN) {
        if (is_ok(call->fault))
            session_reset(&call->peer->session, call->stream, NGHTTP2_CANCEL);
        return;
    }
    call->fault = status;
    give_answer(call);
    cancel(call);
    send_some(call);
}

static void fail_unless_ok(struct server_call *call, struct status status)
{
    if (!is_ok(status))
        streaming_fail(call, status);
}

static void fail_if_lost(struct server_call *call)
{
    if (call->streaming->outgoing.state == OUTGOING_LOST)
        streaming_fail(call, status_no_memory());
}

static void tell_writable(struct server_call *call)
{
    const struct rpc_stream *stream = call->rpc.method->stream;
    if (outgoing_reopen(&call->streaming->outgoing) && stream->writable && call_is_handled(call))
        stream->writable(&call->rpc);
}

void streaming_attend(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    attention_enter(&streaming->attention);
    do {
        fail_if_lost(call);
        account(call);
        fail_unless_ok(call, incoming_deliver(&streaming->incoming, call));
        tell_writable(call);
    } while (!attention_leave(&streaming->attention));
    fail_unless_ok(call, incoming_keep(&streaming->incoming));
    send_some(call);
}

static void taken(struct post *post)
{
    struct streaming *streaming = OWNER_OF(post, struct streaming, attention.post);
    struct server_call *call = streaming->call;
    attention_taken(&streaming->attention);
    if (call->state != CALL_CLOSED)
        streaming_attend(call);
    else if (attention_end(&streaming->attention))
        call_leave(call);
}

bool streaming_admit(struct server_call *call)
{
    bool is_admitted = call_admit(call);
    if (is_admitted)
        streaming_attend(call);
    return is_admitted;
}

void streaming_take_inflated(struct server_call *call, struct status status)
{
    fail_unless_ok(call, status);
    streaming_attend(call);
}

void streaming_take_data(struct server_call *call, struct str bytes)
{
    call->progress_at = call->loop->now;
    if (!call_is_handled(call)) {
        answer_drop(call, bytes.size);
        return;
    }
    incoming_add(&call->streaming->incoming, bytes);
    streaming_attend(call);
}

void streaming_take_end(struct server_call *call)
{
    call->streaming->incoming.client = CLIENT_ENDED;
    streaming_attend(call);
}

/* --- The end --- */

void streaming_answer(struct server_call *call)
{
    struct rpc_call *rpc = &call->rpc;
    fail_if_lost(call);
    outgoing_close(&call->streaming->outgoing);
    if (!is_ok(call->fault))
        return;
    rpc->piece_count = 0;
    if (call->calls->shared->options.finish)
        call->calls->shared->options.finish(rpc);
    call->progress_at = call->loop->now;
    if (rpc->delivery == RPC_RESET)
        session_reset(&call->peer->session, call->stream, NGHTTP2_CANCEL);
    else if (rpc->delivery == RPC_SEND)
        give_answer(call);
    send_some(call);
}

bool streaming_close(struct server_call *call)
{
    cancel(call);
    call_leave_peer(call);
    return attention_end(&call->streaming->attention);
}

bool streaming_is_posted(struct server_call *call)
{
    return call->streaming->attention.state == ATTENTION_POSTED;
}

bool streaming_is_stalled(const struct server_call *call)
{
    bool has_begun = call->intake == INTAKE_COMES && call->message.head_size > 0;
    return call->answer >= ANSWER_GIVEN || (has_begun && call->streaming->incoming.unread.size == 0);
}

void streaming_drain(struct server_call *call)
{
    const struct rpc_stream *stream = call->rpc.method->stream;
    if (stream->drained && call_is_handled(call))
        stream->drained(&call->rpc);
}
