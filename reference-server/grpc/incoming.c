#include "grpc/incoming.h"

#include "grpc/queue.h"

size_t incoming_memory(const struct incoming *incoming, const struct server_call *call)
{
    const struct message *message = &call->message;
    size_t inflated = message->inflation ? inflation_bytes(message->inflation).size : 0;
    return incoming->unread.size + (message->is_admitted ? message->size : 0) + inflated +
           (incoming->arena.budget - incoming->arena.left);
}

/* --- Bytes --- */

void incoming_add(struct incoming *incoming, struct str bytes)
{
    if (incoming->unread.size == 0) {
        incoming->unread = bytes;
        return;
    }
    size_t taken = incoming->backlog.size - incoming->unread.size;
    buf_append_str(&incoming->backlog, bytes);
    incoming->unread = str_from(buf_str(&incoming->backlog), taken);
}

struct status incoming_keep(struct incoming *incoming)
{
    struct str rest = incoming->unread;
    const struct buf *backlog = &incoming->backlog;
    bool is_kept = backlog->data && rest.data >= backlog->data && rest.data < backlog->data + backlog->size;
    if (backlog->failed)
        return status_no_memory(); /* bytes are missing after the rest */
    if (rest.size == 0) {
        buf_free(&incoming->backlog);
    } else if (!is_kept || backlog->size >= 2 * rest.size) { /* it goes to the front when what was taken is as long */
        buf_clear(&incoming->backlog);
        buf_append_str(&incoming->backlog, rest);
        incoming->unread = buf_str(&incoming->backlog);
    }
    return backlog->failed ? status_no_memory() : STATUS_IS_OK;
}

/* Takes bytes until the message is whole. */
static struct status take_bytes(struct incoming *incoming, struct server_call *call)
{
    struct message *message = &call->message;
    struct status status = STATUS_IS_OK;
    while (is_ok(status) && !message_is_whole(message) && call->intake != INTAKE_WAITS && incoming->unread.size > 0) {
        bool is_large = message->head_size == MESSAGE_HEAD && message->size > MESSAGE_IN_ARENA;
        if (is_large && !message->is_admitted && !call_admit(call)) {
            status = call_wait_for_memory(call);
            continue;
        }
        size_t wanted = message_wants(message), size = wanted < incoming->unread.size ? wanted : incoming->unread.size;
        status = message_take(message, (struct str){incoming->unread.data, size},
                              call->calls->shared->options.max_message, &incoming->arena);
        incoming->unread = str_from(incoming->unread, size);
        nghttp2_session_consume_stream(call->peer->session.nghttp2, call->stream, size);
    }
    return status;
}

/* --- Messages --- */

/* Takes the message back from the handler, if it wants the next one. */
static bool take_back(struct incoming *incoming, struct server_call *call)
{
    if (!atomic_exchange(&incoming->is_next_wanted, false))
        return false;
    rpc_release_message(&call->rpc);
    call->message = (struct message){0};
    call->intake = INTAKE_COMES;
    arena_reset(&incoming->arena, call->calls->shared->arena_budget);
    return true;
}

static bool may_deliver(struct incoming *incoming, struct server_call *call)
{
    return call->rpc.method->stream->message && call_is_handled(call) && incoming->client != CLIENT_END_TOLD &&
           incoming->has_share && call->intake != INTAKE_QUEUED &&
           (call->intake != INTAKE_LENT || take_back(incoming, call));
}

static void lend(struct server_call *call)
{
    const struct rpc_options *options = &call->calls->shared->options;
    call_show_message(call);
    call->intake = INTAKE_LENT;
    if (options->before_message && call->rpc.deviation)
        options->before_message(&call->rpc);
    call->rpc.method->stream->message(&call->rpc);
}

static struct status tell_end(struct incoming *incoming, struct server_call *call)
{
    const struct rpc_stream *stream = call->rpc.method->stream;
    if (call->message.head_size > 0)
        return status_plain(STATUS_INTERNAL, "the call ends in the middle of a message");
    incoming->client = CLIENT_END_TOLD;
    if (stream->half_closed)
        stream->half_closed(&call->rpc);
    return STATUS_IS_OK;
}

struct status incoming_deliver(struct incoming *incoming, struct server_call *call)
{
    while (may_deliver(incoming, call)) {
        TRY(take_bytes(incoming, call));
        if (!message_is_whole(&call->message)) {
            bool is_over = incoming->client == CLIENT_ENDED && incoming->unread.size == 0;
            return is_over ? tell_end(incoming, call) : STATUS_IS_OK;
        }
        if (call->message.is_compressed && call->intake != INTAKE_READY)
            queue_join(call);
        else
            lend(call);
    }
    return STATUS_IS_OK;
}
