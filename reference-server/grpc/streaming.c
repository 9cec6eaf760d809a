/* Calls with many messages (rpc.h). Inwards: bytes that have come are put together to one message at a time, which is
 * lent to the handler until it asks for the next one. Bytes behind it wait in a backlog, and only what goes into a
 * message is given back to the window of the stream, so a client can fill that window and no more. Outwards: messages
 * wait in a queue, from which libnghttp2 fetches them frame by frame as the client lets it.
 *
 * All of it happens on the thread of the loop, except that any thread may queue a message and ask for the next one. It
 * then posts the call, unless it is posted or attended to already. The post outlives the stream if need be: a call that
 * is posted is left when its post is taken, and not before. */
#include "grpc/server.h"

#include <stdlib.h>

#define QUEUE_MAX    ((size_t)64 * 1024) /* bytes that may wait when one more message is queued */
#define QUEUE_LOW    (QUEUE_MAX / 2)     /* so few make a full queue writable again */
#define MESSAGE_COST (sizeof(struct queued) + MESSAGE_HEAD)

static void taken(struct loop *loop, struct post *post);

struct streaming *streaming_new(struct server_call *call)
{
    struct streaming *streaming = calloc(1, sizeof(*streaming));
    if (!streaming)
        return NULL;
    streaming->call = call;
    streaming->post.take = taken;
    streaming->arena = arena_new(call->loop->server->arena_budget);
    streaming->last = &streaming->first;
    pthread_mutex_init(&streaming->lock, NULL);
    return streaming;
}

static void free_queue(struct queued *first)
{
    for (struct queued *next; first; first = next) {
        next = first->next;
        free(first);
    }
}

void streaming_free(struct streaming *streaming)
{
    if (!streaming)
        return;
    free_queue(streaming->first);
    free(streaming->sending);
    arena_free(&streaming->arena);
    buf_free(&streaming->backlog);
    pthread_mutex_destroy(&streaming->lock);
    free(streaming);
}

/* The lock is held. */
static void wake(struct streaming *streaming)
{
    if (streaming->is_attended) {
        streaming->is_attended_again = true;
    } else if (!streaming->is_posted) {
        streaming->is_posted = true;
        loop_post(streaming->call->loop, &streaming->post);
    }
}

/* Says what the call holds of the budget, and whether its connection has taken its share. */
static void account(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    const struct message *message = &call->message;
    size_t inflated = message->inflation ? inflation_bytes(message->inflation).size : 0;
    size_t come = streaming->unread.size + (message->is_admitted ? message->size : 0) + inflated +
                  (streaming->arena.budget - streaming->arena.left);
    pthread_mutex_lock(&streaming->lock);
    call_hold(call, CALL_SIZE + come + streaming->queued + call->left + streaming->held_outside);
    streaming->is_laden = streaming->held_outside > 0;
    streaming->is_crowded = call->connection->held > purse_left(&call->loop->purse);
    pthread_mutex_unlock(&streaming->lock);
}

/* Says whether the handler may be told something. */
static bool is_handled(const struct server_call *call)
{
    return atomic_load(&call->phase) == PHASE_DEFERRED && !call->streaming->is_failed;
}

/* --- What goes --- */

/* Takes the next message out of the queue. */
static bool load_next(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    free(streaming->sending);
    pthread_mutex_lock(&streaming->lock);
    struct queued *next = streaming->first;
    if (next) {
        streaming->queued -= MESSAGE_COST + next->bytes.size;
        streaming->first = next->next;
        if (!streaming->first)
            streaming->last = &streaming->first;
    }
    if (streaming->is_full && streaming->queued <= QUEUE_LOW && !streaming->is_gone)
        wake(streaming);
    pthread_mutex_unlock(&streaming->lock);
    streaming->sending = next;
    if (next)
        answer_load(call, &next->bytes);
    account(call);
    return next != NULL;
}

/* Tells how long the next DATA frame shall be. */
static ssize_t next_frame(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t size, uint32_t *flags,
                          nghttp2_data_source *source, void *user)
{
    (void)session;
    (void)stream;
    (void)bytes;
    (void)user;
    struct server_call *call = source->ptr;
    struct streaming *streaming = call->streaming;
    *flags = NGHTTP2_DATA_FLAG_NO_COPY;
    size_t room = answer_room(call, size);
    if (call->left > 0 || load_next(call))
        return (ssize_t)(room < call->left ? room : call->left);
    if (!streaming->is_answered)
        return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    if (streaming->is_failed)
        answer_fail(call, &streaming->fault, &streaming->arena);
    else
        answer_end(call);
    return 0;
}

static void send_some(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    pthread_mutex_lock(&streaming->lock);
    bool is_queued = streaming->first != NULL;
    pthread_mutex_unlock(&streaming->lock);
    if (streaming->has_begun) {
        nghttp2_session_resume_data(call->connection->session, call->stream);
    } else if (is_queued || streaming->is_answered) {
        nghttp2_data_provider provider = {.source.ptr = call, .read_callback = next_frame};
        answer_begin(call, &provider);
        streaming->has_begun = true;
    }
    account(call);
    connection_mark(call->connection);
}

static void tell_writable(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    const struct rpc_stream *stream = call->rpc.method->stream;
    pthread_mutex_lock(&streaming->lock);
    bool is_writable = streaming->is_full && streaming->queued <= (streaming->is_crowded ? 0 : QUEUE_LOW);
    if (is_writable)
        streaming->is_full = false;
    pthread_mutex_unlock(&streaming->lock);
    if (is_writable && stream->writable && is_handled(call))
        stream->writable(&call->rpc);
}

/* Returns NULL without memory, and for a message above 2 GiB. */
static struct queued *copy(const struct str *pieces, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += pieces[i].size;
    struct queued *queued = size <= INT32_MAX ? malloc(sizeof(*queued) + size) : NULL;
    if (!queued)
        return NULL;
    char *at = (char *)(queued + 1);
    *queued = (struct queued){NULL, {at, size}};
    for (size_t i = 0; i < count; i++)
        if (pieces[i].size > 0)
            at = mempcpy(at, pieces[i].data, pieces[i].size);
    return queued;
}

/* Lets the message be altered. Returns false if it shall not be sent. */
static bool alter(struct server_call *call, struct queued **queued)
{
    const struct rpc_server *server = call->loop->server;
    if (!server->options.alter || !call->rpc.deviation || !*queued)
        return true;
    struct arena arena = arena_new(server->arena_budget);
    struct str message = (*queued)->bytes;
    server->options.alter(&call->rpc, &arena, &message);
    struct queued *altered = message.data ? copy(&message, 1) : NULL;
    arena_free(&arena);
    free(*queued);
    *queued = altered;
    return message.data != NULL;
}

enum rpc_pace rpc_send(struct rpc_call *rpc, const struct str *pieces, size_t count)
{
    struct server_call *call = (struct server_call *)rpc;
    struct streaming *streaming = call->streaming;
    struct queued *queued = copy(pieces, count);
    if (!alter(call, &queued))
        return RPC_GO_ON;
    pthread_mutex_lock(&streaming->lock);
    enum rpc_pace pace = RPC_GONE;
    if (!streaming->is_gone) {
        streaming->is_short_of_memory |= !queued;
        if (queued) {
            *streaming->last = queued;
            streaming->last = &queued->next;
            streaming->queued += MESSAGE_COST + queued->bytes.size;
        }
        pace = streaming->is_crowded || streaming->queued > QUEUE_MAX ? RPC_FULL : RPC_GO_ON;
        streaming->is_full |= pace == RPC_FULL;
        wake(streaming);
        queued = NULL;
    }
    pthread_mutex_unlock(&streaming->lock);
    free(queued);
    return pace;
}

/* --- What comes --- */

void rpc_next(struct rpc_call *rpc)
{
    struct server_call *call = (struct server_call *)rpc;
    struct streaming *streaming = call->streaming;
    pthread_mutex_lock(&streaming->lock);
    streaming->is_next_wanted = true;
    if (!streaming->is_gone)
        wake(streaming);
    pthread_mutex_unlock(&streaming->lock);
}

void rpc_hold(struct rpc_call *rpc, size_t size)
{
    struct streaming *streaming = ((struct server_call *)rpc)->streaming;
    pthread_mutex_lock(&streaming->lock);
    bool is_less = size < streaming->held_outside;
    streaming->held_outside = size;
    if (is_less && streaming->is_crowded && !streaming->is_gone)
        wake(streaming);
    pthread_mutex_unlock(&streaming->lock);
}

/* Takes the message back from the handler, if it wants the next one. */
static bool take_back(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    pthread_mutex_lock(&streaming->lock);
    bool is_wanted = streaming->is_next_wanted;
    streaming->is_next_wanted = false;
    pthread_mutex_unlock(&streaming->lock);
    if (!is_wanted)
        return false;
    rpc_release_message(&call->rpc);
    call->message = (struct message){0};
    call->is_inflated = false;
    arena_reset(&streaming->arena, call->loop->server->arena_budget);
    streaming->is_lent = false;
    return true;
}

/* Lets a whole large message come, by the rule of shares (base/budget.h). */
static bool admit(struct server_call *call)
{
    if (!call_may_claim(call, call->message.size))
        return false;
    call->message.is_admitted = true;
    call->is_waiting = false;
    call->progress_at = call->loop->now;
    account(call);
    return true;
}

bool streaming_admit(struct server_call *call)
{
    if (!admit(call))
        return false;
    streaming_attend(call);
    return true;
}

/* Takes bytes until the message is whole. */
static struct status take_bytes(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    struct message *message = &call->message;
    struct str *unread = &streaming->unread;
    struct status status = STATUS_IS_OK;
    while (is_ok(status) && !message_is_whole(message) && !call->is_waiting && unread->size > 0) {
        bool is_large = message->head_size == MESSAGE_HEAD && message->size > MESSAGE_IN_ARENA;
        if (is_large && !message->is_admitted && !admit(call)) {
            status = call_wait_for_memory(call);
            continue;
        }
        size_t wanted = message_wants(message), size = wanted < unread->size ? wanted : unread->size;
        status = message_take(message, (struct str){unread->data, size}, call->loop->server->options.max_message,
                              &streaming->arena);
        *unread = str_from(*unread, size);
        nghttp2_session_consume_stream(call->connection->session, call->stream, size);
    }
    return status;
}

static void tell_end(struct server_call *call)
{
    const struct rpc_stream *stream = call->rpc.method->stream;
    if (call->message.head_size > 0) {
        streaming_fail(call, (struct status){STATUS_INTERNAL, STR("the call ends in the middle of a message"), NULL});
        return;
    }
    call->streaming->is_end_told = true;
    if (stream->half_closed)
        stream->half_closed(&call->rpc);
}

/* Says whether the handler may get more to hold. */
static bool has_share(const struct streaming *streaming)
{
    return !streaming->is_crowded || !streaming->is_laden;
}

/* Hands over what has come, until the handler is busy with a message. */
static void deliver(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    const struct rpc_stream *stream = call->rpc.method->stream;
    while (stream->message && is_handled(call) && !streaming->is_end_told && has_share(streaming) &&
           !call->heavy_link && (!streaming->is_lent || take_back(call))) {
        struct status status = take_bytes(call);
        bool is_whole = message_is_whole(&call->message);
        if (is_ok(status) && is_whole && call->message.is_compressed && !call->is_inflated) {
            heavy_join(call);
            return;
        }
        if (is_whole)
            call_show_message(call);
        if (!is_ok(status)) {
            streaming_fail(call, status);
        } else if (is_whole) {
            streaming->is_lent = true;
            if (call->loop->server->options.hear && call->rpc.deviation)
                call->loop->server->options.hear(&call->rpc);
            stream->message(&call->rpc);
        } else {
            if (streaming->is_ended && streaming->unread.size == 0)
                tell_end(call);
            return;
        }
    }
}

void streaming_take_inflated(struct server_call *call, struct status status)
{
    if (!is_ok(status))
        streaming_fail(call, status);
    streaming_attend(call);
}

/* Has what the handler has not taken yet wait. */
static struct status keep_backlog(struct streaming *streaming)
{
    struct str rest = streaming->unread;
    bool is_kept = rest.size == 0 || (streaming->backlog.data && rest.data >= streaming->backlog.data &&
                                      rest.data < streaming->backlog.data + streaming->backlog.size);
    if (!is_kept) {
        buf_clear(&streaming->backlog);
        buf_append_str(&streaming->backlog, rest);
        streaming->unread = buf_str(&streaming->backlog);
    } else if (rest.size == 0) {
        buf_free(&streaming->backlog);
    }
    return streaming->backlog.failed ? status_no_memory() : STATUS_IS_OK;
}

void streaming_take_data(struct server_call *call, struct str bytes)
{
    struct streaming *streaming = call->streaming;
    call->progress_at = call->loop->now;
    if (!is_handled(call)) {
        call->dropped += bytes.size;
        session_ask_to_stop(call);
        return;
    }
    if (streaming->unread.size > 0) {
        size_t taken = streaming->backlog.size - streaming->unread.size;
        buf_append_str(&streaming->backlog, bytes);
        streaming->unread = str_from(buf_str(&streaming->backlog), taken);
    } else {
        streaming->unread = bytes;
    }
    streaming_attend(call);
}

void streaming_take_end(struct server_call *call)
{
    call->streaming->is_ended = true;
    streaming_attend(call);
}

/* --- The whole --- */

void streaming_attend(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    bool again = true;
    pthread_mutex_lock(&streaming->lock);
    streaming->is_attended = true;
    while (again) {
        bool is_short = streaming->is_short_of_memory;
        streaming->is_attended_again = false;
        pthread_mutex_unlock(&streaming->lock);
        if (is_short)
            streaming_fail(call, status_no_memory());
        account(call);
        deliver(call);
        tell_writable(call);
        pthread_mutex_lock(&streaming->lock);
        again = streaming->is_attended_again;
    }
    streaming->is_attended = false;
    pthread_mutex_unlock(&streaming->lock);
    struct status status = keep_backlog(streaming);
    if (!is_ok(status))
        streaming_fail(call, status);
    send_some(call);
}

static void taken(struct loop *loop, struct post *post)
{
    struct streaming *streaming = (struct streaming *)((char *)post - offsetof(struct streaming, post));
    struct server_call *call = streaming->call;
    (void)loop;
    pthread_mutex_lock(&streaming->lock);
    streaming->is_posted = false;
    pthread_mutex_unlock(&streaming->lock);
    if (call->is_closed)
        call_leave(call);
    else
        streaming_attend(call);
}

/* Sends nothing more of what is queued, and tells the handler. */
static void cancel(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    const struct rpc_stream *stream = call->rpc.method->stream;
    pthread_mutex_lock(&streaming->lock);
    bool is_news = !streaming->is_gone;
    struct queued *dropped = streaming->first;
    streaming->is_gone = true;
    streaming->first = NULL;
    streaming->last = &streaming->first;
    streaming->queued = 0;
    pthread_mutex_unlock(&streaming->lock);
    free_queue(dropped);
    if (is_news && stream->cancelled && atomic_load(&call->phase) == PHASE_DEFERRED)
        stream->cancelled(&call->rpc);
}

void streaming_answer(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    struct rpc_call *rpc = &call->rpc;
    pthread_mutex_lock(&streaming->lock);
    streaming->is_gone = true;
    pthread_mutex_unlock(&streaming->lock);
    if (streaming->is_failed)
        return;
    rpc->piece_count = 0;
    if (call->loop->server->options.finish)
        call->loop->server->options.finish(rpc);
    call->progress_at = call->loop->now;
    if (rpc->fate == RPC_RESET)
        nghttp2_submit_rst_stream(call->connection->session, NGHTTP2_FLAG_NONE, call->stream, NGHTTP2_CANCEL);
    streaming->is_answered = rpc->fate == RPC_SEND;
    send_some(call);
}

void streaming_fail(struct server_call *call, struct status status)
{
    struct streaming *streaming = call->streaming;
    if (streaming->is_answered && !streaming->is_failed)
        nghttp2_submit_rst_stream(call->connection->session, NGHTTP2_FLAG_NONE, call->stream, NGHTTP2_CANCEL);
    if (streaming->is_answered)
        return;
    streaming->is_failed = streaming->is_answered = true;
    streaming->fault = status;
    cancel(call);
    send_some(call);
}

bool streaming_close(struct server_call *call)
{
    cancel(call);
    call_hold(call, 0);
    call->connection = NULL;
    return !streaming_is_posted(call);
}

bool streaming_is_posted(struct server_call *call)
{
    pthread_mutex_lock(&call->streaming->lock);
    bool is_posted = call->streaming->is_posted;
    pthread_mutex_unlock(&call->streaming->lock);
    return is_posted;
}

bool streaming_is_stalled(const struct server_call *call)
{
    const struct streaming *streaming = call->streaming;
    bool waits_here = call->is_waiting || call->heavy_link;
    bool is_in_message = call->message.head_size > 0 && !streaming->is_lent && !waits_here;
    return streaming->is_answered || is_in_message;
}

void streaming_drain(struct server_call *call)
{
    const struct rpc_stream *stream = call->rpc.method->stream;
    if (stream->drained && is_handled(call))
        stream->drained(&call->rpc);
}
