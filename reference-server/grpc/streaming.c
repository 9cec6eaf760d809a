#include "grpc/streaming.h"

#include "base/search.h"
#include "grpc/answer.h"
#include "grpc/heavy.h"

#include <stdlib.h>

#define QUEUE_MAX    ((size_t)64 * 1024) /* bytes that may wait when one more message is queued */
#define QUEUE_LOW    (QUEUE_MAX / 2)     /* so few make a full queue writable again */
#define MESSAGE_COST (sizeof(struct queued) + MESSAGE_HEAD)

/* Each goes on to the next one: what is behind the last message of the client. */
enum client_state {
    CLIENT_SENDS,
    CLIENT_ENDED,
    CLIENT_END_TOLD, /* to the handler */
};

/* RESTS ---> ATTENDED ---> RESTS, by way of AGAIN if something has changed meanwhile */
enum attention {
    ATTENTION_RESTS,
    ATTENTION_ATTENDED, /* the loop does all that is to be done */
    ATTENTION_AGAIN,    /* it does, and must once more */
};

/* A message that waits to be sent. */
struct queued {
    struct queued *next;
    struct str bytes; /* behind this struct */
};

/* What a call with many messages has beside a server_call. The messages come one after another into call->message.
 * Those that go are queued here by any thread. A thread that has changed something posts the call to its loop, which
 * then attends to all that is to be done. */
struct streaming {
    struct post post;
    struct server_call *call;
    struct queued *sending; /* the message that answer_put puts */
    struct arena arena;     /* of the message */
    struct buf backlog;
    struct str unread; /* bytes behind the message; they lie in the backlog, or where libnghttp2 has them */
    enum client_state client;
    bool is_laden; /* the handler holds memory for requests */

    pthread_mutex_t lock; /* for what follows */
    struct queued *first, **last;
    size_t queued, held_outside; /* bytes */
    bool is_next_wanted, is_full, is_crowded, is_short_of_memory;
    bool is_gone;   /* the handler was told, or has answered: nothing is sent any more */
    bool is_posted; /* the loop will attend */
    enum attention attention;
};

static void taken(struct post *post);

/* --- Memory --- */

static void free_queue(struct queued *first)
{
    for (struct queued *next; first; first = next) {
        next = first->next;
        free(first);
    }
}

static void free_streaming(struct streaming *streaming)
{
    free_queue(streaming->first);
    free(streaming->sending);
    arena_free(&streaming->arena);
    buf_free(&streaming->backlog);
    pthread_mutex_destroy(&streaming->lock);
    free(streaming);
}

bool streaming_open(struct server_call *call)
{
    struct streaming *streaming = call->streaming = calloc(1, sizeof(*streaming));
    if (!streaming)
        return false;
    call->free_streaming = free_streaming;
    streaming->call = call;
    streaming->post.take = taken;
    streaming->arena = arena_new(call->calls->shared->arena_budget);
    streaming->last = &streaming->first;
    pthread_mutex_init(&streaming->lock, NULL);
    return true;
}

/* The lock is held. */
static void wake(struct streaming *streaming)
{
    if (streaming->attention != ATTENTION_RESTS) {
        streaming->attention = ATTENTION_AGAIN;
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
    streaming->is_crowded = call->peer->held > lease_left(&call->calls->lease);
    pthread_mutex_unlock(&streaming->lock);
}

/* Says whether the handler may be told something. */
static bool is_handled(const struct server_call *call)
{
    return atomic_load(&call->phase) == PHASE_DEFERRED && is_ok(call->fault);
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
static ssize_t next_frame(nghttp2_session *nghttp2, int32_t stream, uint8_t *bytes, size_t size, uint32_t *flags,
                          nghttp2_data_source *source, void *user)
{
    (void)nghttp2;
    (void)stream;
    (void)bytes;
    (void)user;
    struct server_call *call = source->ptr;
    *flags = NGHTTP2_DATA_FLAG_NO_COPY;
    size_t room = answer_room(call, size);
    if (call->left > 0 || load_next(call))
        return (ssize_t)(room < call->left ? room : call->left);
    if (call->answer < ANSWER_GIVEN)
        return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    answer_end(call, &call->streaming->arena);
    return 0;
}

static void begin_answer(struct server_call *call)
{
    nghttp2_data_provider provider = {.source.ptr = call, .read_callback = next_frame};
    answer_begin(call, &provider);
}

/* Nothing will be added to the answer. */
static void give_answer(struct server_call *call)
{
    if (call->answer == ANSWER_NONE)
        begin_answer(call);
    answer_go(call, ANSWER_GIVEN);
}

/* Has what there is sent. */
static void send_some(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    pthread_mutex_lock(&streaming->lock);
    bool is_queued = streaming->first != NULL;
    pthread_mutex_unlock(&streaming->lock);
    if (call->answer > ANSWER_NONE)
        nghttp2_session_resume_data(call->peer->session.nghttp2, call->stream);
    else if (is_queued)
        begin_answer(call);
    account(call);
    connection_mark(&call->peer->session.connection);
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
    size_t size = SUM(i, count, pieces[i].size);
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
    const struct call_shared *shared = call->calls->shared;
    if (!shared->options.alter || !call->rpc.deviation || !*queued)
        return true;
    struct arena arena = arena_new(shared->arena_budget);
    struct str message = (*queued)->bytes;
    shared->options.alter(&call->rpc, &arena, &message);
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
    call->intake = INTAKE_COMES;
    arena_reset(&streaming->arena, call->calls->shared->arena_budget);
    return true;
}

bool streaming_admit(struct server_call *call)
{
    bool is_admitted = call_admit(call);
    if (is_admitted)
        streaming_attend(call);
    return is_admitted;
}

/* Takes bytes until the message is whole. */
static struct status take_bytes(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    struct message *message = &call->message;
    struct str *unread = &streaming->unread;
    struct status status = STATUS_IS_OK;
    while (is_ok(status) && !message_is_whole(message) && call->intake != INTAKE_WAITS && unread->size > 0) {
        bool is_large = message->head_size == MESSAGE_HEAD && message->size > MESSAGE_IN_ARENA;
        if (is_large && !message->is_admitted && !call_admit(call)) {
            status = call_wait_for_memory(call);
            continue;
        }
        size_t wanted = message_wants(message), size = wanted < unread->size ? wanted : unread->size;
        status = message_take(message, (struct str){unread->data, size}, call->calls->shared->options.max_message,
                              &streaming->arena);
        *unread = str_from(*unread, size);
        nghttp2_session_consume_stream(call->peer->session.nghttp2, call->stream, size);
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
    call->streaming->client = CLIENT_END_TOLD;
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
    while (stream->message && is_handled(call) && streaming->client != CLIENT_END_TOLD && has_share(streaming) &&
           call->intake != INTAKE_IN_LINE && (call->intake != INTAKE_LENT || take_back(call))) {
        struct status status = take_bytes(call);
        bool is_whole = message_is_whole(&call->message);
        if (is_ok(status) && is_whole && call->message.is_compressed && call->intake != INTAKE_READY) {
            heavy_join(call);
            return;
        }
        if (is_whole)
            call_show_message(call);
        if (!is_ok(status)) {
            streaming_fail(call, status);
        } else if (is_whole) {
            call->intake = INTAKE_LENT;
            if (call->calls->shared->options.hear && call->rpc.deviation)
                call->calls->shared->options.hear(&call->rpc);
            stream->message(&call->rpc);
        } else {
            if (streaming->client == CLIENT_ENDED && streaming->unread.size == 0)
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
        answer_drop(call, bytes.size);
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
    call->streaming->client = CLIENT_ENDED;
    streaming_attend(call);
}

/* --- The whole --- */

void streaming_attend(struct server_call *call)
{
    struct streaming *streaming = call->streaming;
    bool again = true;
    pthread_mutex_lock(&streaming->lock);
    while (again) {
        bool is_short = streaming->is_short_of_memory;
        streaming->attention = ATTENTION_ATTENDED;
        pthread_mutex_unlock(&streaming->lock);
        if (is_short)
            streaming_fail(call, status_no_memory());
        account(call);
        deliver(call);
        tell_writable(call);
        pthread_mutex_lock(&streaming->lock);
        again = streaming->attention == ATTENTION_AGAIN;
    }
    streaming->attention = ATTENTION_RESTS;
    pthread_mutex_unlock(&streaming->lock);
    struct status status = keep_backlog(streaming);
    if (!is_ok(status))
        streaming_fail(call, status);
    send_some(call);
}

static void taken(struct post *post)
{
    struct streaming *streaming = OWNER_OF(post, struct streaming, post);
    struct server_call *call = streaming->call;
    pthread_mutex_lock(&streaming->lock);
    streaming->is_posted = false;
    pthread_mutex_unlock(&streaming->lock);
    if (call->state == CALL_CLOSED)
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
    if (!is_ok(call->fault))
        return;
    rpc->piece_count = 0;
    if (call->calls->shared->options.finish)
        call->calls->shared->options.finish(rpc);
    call->progress_at = call->loop->now;
    if (rpc->fate == RPC_RESET)
        session_reset(&call->peer->session, call->stream, NGHTTP2_CANCEL);
    else if (rpc->fate == RPC_SEND)
        give_answer(call);
    send_some(call);
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

bool streaming_close(struct server_call *call)
{
    cancel(call);
    call_hold(call, 0);
    call->peer = NULL;
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
    bool is_client_due = call->intake == INTAKE_COMES || call->intake == INTAKE_READY;
    return call->answer >= ANSWER_GIVEN || (call->message.head_size > 0 && is_client_due);
}

void streaming_drain(struct server_call *call)
{
    const struct rpc_stream *stream = call->rpc.method->stream;
    if (stream->drained && is_handled(call))
        stream->drained(&call->rpc);
}
