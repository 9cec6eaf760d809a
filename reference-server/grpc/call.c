/* The way of a call. Its headers come, then its message in DATA frames, then the end of the request. It is handled at
 * that moment, on the thread of its loop. If the handler answers at once, the answer goes into the same write as the
 * other answers of this turn. Otherwise the answer, which any thread may give, is posted to the loop.
 *
 * Three may be interested in a call: its stream, the handler that has not answered yet, and the output that still has
 * parts of its answer. The loop frees it when all three are done. If the stream ends while the handler still has the
 * call (the client gave up, or its time is over), both try to change `phase`. If the loop is first, the call belongs to
 * the handler, which frees it with its answer, without touching the loop, which may be gone by then. */
#include "grpc/headers.h"
#include "grpc/server.h"

#include <stdlib.h>

#define CALLS_KEPT     256 /* by a loop, for the next calls */
#define LARGE_PART     3   /* a message above this part of the common budget has another one */
#define WINDOW_OF_SIZE 2   /* see admit */
#define WINDOW_MAX     ((size_t)INT32_MAX)
#define FIELD_OVERHEAD 32 /* RFC 9113, 6.5.2 */

static struct tally in_flight;

size_t rpc_in_flight(void)
{
    return tally_sum(&in_flight);
}

/* --- Memory --- */

void call_hold(struct server_call *call, size_t size)
{
    if (size > call->held)
        purse_spend(call->purse, size - call->held);
    else
        purse_return(call->purse, call->held - size);
    if (call->connection && call->purse == &call->loop->purse)
        call->connection->held += size - call->held;
    call->held = size;
}

struct server_call *call_new(struct connection *connection, int32_t stream)
{
    struct loop *loop = connection->loop;
    if (connection->held > purse_left(&loop->purse))
        return NULL;
    struct server_call *call = loop->free_calls;
    struct arena arena = call ? call->arena : arena_new(0);
    if (call) {
        loop->free_calls = call->next;
        loop->free_call_count--;
    } else if (!(call = malloc(sizeof(*call)))) {
        return NULL;
    }
    memset(call, 0, offsetof(struct server_call, arena));
    call->arena = arena;
    call->arena.budget = call->arena.left = loop->server->arena_budget;
    call->rpc.arena = &call->arena;
    call->loop = loop;
    call->connection = connection;
    call->purse = &loop->purse;
    call->stream = stream;
    call->last_metadata = &call->metadata;
    call->fields.known_path = connection->last_registered ? connection->last_registered->path : STR("");
    call->timeout = -1;
    call->progress_at = loop->now;
    call->link = connection->last_call;
    *connection->last_call = call;
    connection->last_call = &call->next;
    call_hold(call, CALL_SIZE);
    return call;
}

void call_free(struct server_call *call)
{
    message_free(&call->message);
    streaming_free(call->streaming);
    arena_free(&call->arena);
    free(call);
}

void calls_free(struct loop *loop)
{
    for (struct server_call *next, *call = loop->free_calls; call; call = next) {
        next = call->next;
        call_free(call);
    }
}

/* The call is over, with that status. */
static void leave_flight(struct server_call *call, enum status_code code)
{
    const struct rpc_options *options = &call->loop->server->options;
    if (!call->place)
        return;
    tally_leave(call->place);
    call->place = NULL;
    if (options->leave)
        options->leave(&call->rpc, code, call->sent);
}

/* Returns what became of a call that its handler does not have any more. */
static enum status_code outcome_of(const struct server_call *call)
{
    const struct streaming *streaming = call->streaming;
    if (streaming && streaming->is_failed)
        return streaming->fault.code;
    return call->left > 0 || (streaming && !streaming->is_answered) ? STATUS_CANCELLED : call->rpc.status.code;
}

/* The same of one that its handler still has, and whose answer nobody waits for. */
static enum status_code outcome_of_owed(const struct server_call *call)
{
    if (call->streaming && call->streaming->is_failed)
        return call->streaming->fault.code;
    return call->is_late ? STATUS_DEADLINE_EXCEEDED : STATUS_CANCELLED;
}

static void release(struct server_call *call)
{
    struct loop *loop = call->loop;
    call_hold(call, 0);
    leave_flight(call, outcome_of(call));
    message_free(&call->message);
    if (call->streaming)
        streaming_free(call->streaming);
    call->streaming = NULL;
    if (loop->free_call_count == CALLS_KEPT) {
        call_free(call);
        return;
    }
    arena_reset(&call->arena, 0);
    call->next = loop->free_calls;
    loop->free_calls = call;
    loop->free_call_count++;
}

/* The call is handled now, or its stream was reset. */
static void leave_complete(struct server_call *call)
{
    struct connection *connection = call->connection;
    struct server_call **link = &connection->complete;
    while (*link != call)
        link = &(*link)->next_complete;
    *link = call->next_complete;
    call->next_complete = NULL;
    call->is_complete = false;
    if (!*link)
        connection->last_complete = link;
}

void call_close(struct server_call *call)
{
    struct connection *connection = call->connection;
    *call->link = call->next;
    if (call->next)
        call->next->link = call->link;
    else
        connection->last_call = call->link;
    if (connection->arriving == call)
        connection->arriving = NULL;
    if (call->is_complete)
        leave_complete(call);
    heavy_leave(call);
    timer_clear(&call->loop->timers, &call->deadline);
    call->is_closed = true;
    if (!call->streaming || streaming_close(call))
        call_leave(call);
}

void call_leave(struct server_call *call)
{
    if (!call->is_owed) {
        if (call->unwritten == 0)
            release(call);
        return;
    }
    call_hold(call, 0);
    leave_flight(call, outcome_of_owed(call));
    call->connection = NULL;
    struct loop *loop = call->loop;
    enum phase phase = PHASE_DEFERRED;
    if (atomic_compare_exchange_strong(&call->phase, &phase, PHASE_ABANDONED))
        loop->owed--; /* otherwise it is answered, and the post is on its way */
}

void call_part_written(struct server_call *call)
{
    if (--call->unwritten == 0 && call->is_closed)
        release(call);
}

/* --- The answer, and who waits for it --- */

/* Sends the answer. Until it is written, the call holds what lies in its arena, and its message if that was kept. */
static void send_answer(struct server_call *call)
{
    call_hold(call, CALL_SIZE + (call->arena.budget - call->arena.left) + message_held(&call->message));
    answer_send(call);
}

static void answered(struct loop *loop, struct post *post)
{
    struct server_call *call = (struct server_call *)((char *)post - offsetof(struct server_call, answered));
    loop->owed--;
    call->is_owed = false;
    if (call->connection)
        send_answer(call);
    else if (!call->streaming || !streaming_is_posted(call))
        release(call);
}

void rpc_answer(struct rpc_call *rpc)
{
    struct server_call *call = (struct server_call *)rpc;
    enum phase phase = PHASE_HANDLING;
    if (atomic_compare_exchange_strong(&call->phase, &phase, PHASE_ANSWERED))
        return; /* it is sent when the handler has returned */
    if (phase == PHASE_DEFERRED && atomic_compare_exchange_strong(&call->phase, &phase, PHASE_ANSWERED))
        loop_post(call->loop, &call->answered);
    else
        call_free(call);
}

bool rpc_is_awaited(const struct rpc_call *rpc)
{
    const struct server_call *call = (const struct server_call *)rpc;
    return atomic_load(&call->phase) != PHASE_ABANDONED;
}

void rpc_trailing_metadata(struct rpc_call *rpc, const char *key, struct str value)
{
    struct server_call *call = (struct server_call *)rpc;
    struct trailer trailer = {arena_copy(rpc->arena, str_of(key)), arena_copy(rpc->arena, value)};
    if (trailer.key.data && header_is_binary(trailer.key))
        trailer.value = header_base64(rpc->arena, value);
    if (call->trailing_count == TRAILING_MAX || !trailer.key.data || !trailer.value.data ||
        !header_name_is_legal(trailer.key) || !header_value_is_legal(trailer.value))
        return;
    call->trailing[call->trailing_count++] = trailer;
}

struct str rpc_metadata(const struct rpc_call *rpc, const char *key)
{
    const struct server_call *call = (const struct server_call *)rpc;
    for (const struct metadata_row *row = call->metadata; row; row = row->next)
        if (str_is(row->key, key))
            return header_is_binary(row->key) ? header_from_base64(rpc->arena, row->value) : row->value;
    return (struct str){0};
}

void rpc_each_metadata(const struct rpc_call *rpc, void (*take)(void *to, struct str key, struct str value), void *to)
{
    const struct server_call *call = (const struct server_call *)rpc;
    for (const struct metadata_row *row = call->metadata; row; row = row->next)
        take(to, row->key, row->value);
}

void rpc_release_message(struct rpc_call *rpc)
{
    struct server_call *call = (struct server_call *)rpc;
    message_free(&call->message);
    rpc->message = (struct str){0};
}

/* --- Handling --- */

/* Says whether the only message of a call has come. */
static struct status check_message(struct server_call *call)
{
    struct rpc_call *rpc = &call->rpc;
    if (call->message.head_size == 0)
        return status_error(rpc->arena, STATUS_UNIMPLEMENTED, "the call to '%s' carries no message; it takes one",
                            str_printable(rpc->arena, rpc->path));
    if (!message_is_whole(&call->message))
        return status_error(rpc->arena, STATUS_INTERNAL, "the call to '%s' carries no complete message",
                            str_printable(rpc->arena, rpc->path));
    return STATUS_IS_OK;
}

void call_show_message(struct server_call *call)
{
    struct rpc_call *rpc = &call->rpc;
    const struct message *message = &call->message;
    rpc->message = message->inflation ? inflation_bytes(message->inflation) : message->bytes;
}

/* Returns the mount of the service in a path whose method does not exist; the first mount if the service does not
 * exist. */
static const struct rpc_mount *mount_named(const struct rpc_options *options, struct str path)
{
    const char *slash = path.size > 0 ? memrchr(path.data, '/', path.size) : NULL;
    struct str name = STR("");
    if (slash && slash > path.data)
        name = (struct str){path.data + 1, (size_t)(slash - path.data) - 1};
    for (size_t i = 0; i < options->mount_count; i++)
        if (str_is(name, options->mounts[i].service->name))
            return &options->mounts[i];
    return options->mounts;
}

/* Has the call handled, or refused if the status is not OK. What of it comes later is dropped. */
static void begin(struct server_call *call, struct status status)
{
    struct rpc_call *rpc = &call->rpc;
    const struct rpc_options *options = &call->loop->server->options;
    const struct rpc_mount *mount = call->registered ? call->registered->mount : mount_named(options, rpc->path);
    call->is_begun = true;
    call->is_waiting = false;
    call->place = tally_enter(&in_flight);
    call->answered.take = answered;
    rpc->method = call->registered ? call->registered->method : NULL;
    rpc->service = mount->service;
    rpc->context = mount->context;
    if (options->arrive)
        options->arrive(rpc);
    if (options->begin)
        options->begin(rpc);
    if (is_ok(status) && rpc->method && slow_is_for(call)) {
        slow_handle(call);
        return;
    }
    heavy_leave(call);
    if (is_ok(status) && rpc->method) {
        rpc->method->handle(rpc);
    } else {
        rpc->status = status;
        atomic_store(&call->phase, PHASE_ANSWERED);
    }
    enum phase phase = PHASE_HANDLING;
    if (atomic_load(&call->phase) == PHASE_HANDLING &&
        atomic_compare_exchange_strong(&call->phase, &phase, PHASE_DEFERRED)) {
        call->is_owed = true;
        call->loop->owed++;
    } else {
        send_answer(call);
    }
}

/* Has a call with many messages handled: `status` says whether its only request could be read, if it takes only one. */
static void begin_stream(struct server_call *call, struct status status)
{
    call->streaming = is_ok(status) ? streaming_new(call) : NULL;
    begin(call, is_ok(status) && !call->streaming ? status_no_memory() : status);
    if (!call->streaming)
        return;
    if (call->loop->is_draining)
        streaming_drain(call);
    streaming_attend(call);
}

/* "Timeout": nobody waits any longer. */
static void deadline_passed(struct timer *timer)
{
    struct server_call *call = (struct server_call *)((char *)timer - offsetof(struct server_call, deadline));
    struct connection *connection = call->connection;
    int32_t stream = call->stream;
    if (call->rpc.fate == RPC_HANG)
        return; /* a deviation */
    if (!call->is_begun) {
        begin(call, (struct status){.code = STATUS_DEADLINE_EXCEEDED, .message = STR("the time of the call is over")});
    } else if (call->streaming) {
        streaming_fail(
            call, (struct status){.code = STATUS_DEADLINE_EXCEEDED, .message = STR("the time of the call is over")});
    } else if (call->is_owed) {
        call->is_late = true;
        nghttp2_session_set_stream_user_data(connection->session, stream, NULL);
        call_close(call);
        answer_plainly(connection, stream, STATUS_DEADLINE_EXCEEDED, "the time of the call is over");
    } else {
        nghttp2_submit_rst_stream(connection->session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
    }
    connection_mark(connection);
}

bool call_is_stalled(const struct server_call *call, int64_t since)
{
    if (call->streaming)
        return call->progress_at < since && streaming_is_stalled(call);
    bool waits_here = call->is_waiting || call->heavy_link;
    bool is_client_due = call->is_begun ? call->left > 0 || call->is_sent : !waits_here;
    return is_client_due && call->progress_at < since;
}

/* --- Headers --- */

/* Most clients call the same method again. */
static void take_path(struct server_call *call, struct str value)
{
    const struct rpc_server *server = call->loop->server;
    const struct registered **last = &call->connection->last_registered;
    if (*last && str_equal((*last)->path, value))
        call->registered = *last;
    for (size_t i = 0; i < server->method_count && !call->registered; i++)
        if (str_equal(server->methods[i].path, value))
            call->registered = *last = &server->methods[i];
    call->rpc.path = call->registered ? call->registered->path : arena_copy(&call->arena, value);
    call->is_without_memory |= !call->rpc.path.data;
}

static void take_method(struct server_call *call, struct str value)
{
    call->is_post = str_is(value, "POST");
}

static void take_content_type(struct server_call *call, struct str value)
{
    const struct str usual = STR("application/grpc");
    call->is_grpc = header_is_grpc(value);
    call->rpc.content_type = str_equal(value, usual) ? usual : arena_copy(&call->arena, value);
    call->is_without_memory |= !call->rpc.content_type.data;
}

static void take_timeout(struct server_call *call, struct str value)
{
    call->has_bad_timeout = !header_timeout(value, &call->timeout);
    call->rpc.timeout = arena_copy(&call->arena, value);
    call->is_without_memory |= !call->rpc.timeout.data;
}

/* It has one legal value. */
static void take_te(struct server_call *call, struct str value)
{
    (void)value;
    call->rpc.te = STR("trailers");
}

static void take_encoding(struct server_call *call, struct str value)
{
    call->rpc.encoding = arena_copy(&call->arena, value);
    call->is_without_memory |= !call->rpc.encoding.data;
}

static void keep(struct server_call *call, struct str name, struct str value)
{
    struct metadata_row *row = arena_alloc(&call->arena, sizeof(*row) + name.size + value.size);
    if (!row) {
        call->is_without_memory = true;
        return;
    }
    char *text = (char *)(row + 1);
    *row = (struct metadata_row){NULL, {text, name.size}, {text + name.size, value.size}};
    memcpy(mempcpy(text, name.data, name.size), value.data, value.size);
    *call->last_metadata = row;
    call->last_metadata = &row->next;
}

/* "Custom-Metadata", Requests: what HTTP or gRPC itself sends with each call is none. */
void call_take_header(struct server_call *call, struct str name, struct str value)
{
    static void (*const takers[FIELD_OTHER])(struct server_call * call, struct str value) = {
        [FIELD_METHOD] = take_method,
        [FIELD_PATH] = take_path,
        [FIELD_CONTENT_TYPE] = take_content_type,
        [FIELD_TE] = take_te,
        [FIELD_GRPC_TIMEOUT] = take_timeout,
        [FIELD_GRPC_ENCODING] = take_encoding,
    };
    enum field field = request_take_field(&call->fields, name, value);
    call->metadata_size += name.size + value.size + FIELD_OVERHEAD;
    if (call->metadata_size > METADATA_MAX)
        return;
    if (field == FIELD_OTHER)
        keep(call, name, value);
    else if (takers[field])
        takers[field](call, value);
}

/* Says what is wrong with the headers of a gRPC call. */
static struct status check_headers(struct server_call *call)
{
    struct arena *arena = &call->arena;
    if (call->metadata_size > METADATA_MAX)
        return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "metadata of %zu bytes is above the limit of %zu bytes",
                            call->metadata_size, METADATA_MAX);
    if (call->is_without_memory)
        return status_no_memory();
    if (!call->registered)
        return status_error(arena, STATUS_UNIMPLEMENTED, "method '%s' is not served",
                            str_printable(arena, call->rpc.path));
    if (call->has_bad_timeout)
        return status_error(arena, STATUS_INVALID_ARGUMENT,
                            "grpc-timeout is not one to eight digits and one of the units HMSmun");
    return STATUS_IS_OK;
}

/* RFC 9113, 8.1.1: a malformed request is an error of its stream. Returns whether it is one. */
static bool reset_if_malformed(struct server_call *call)
{
    if (!(call->fields.malformed & ~call->loop->server->options.takes_malformed))
        return false;
    if (!call->is_reset)
        nghttp2_submit_rst_stream(call->connection->session, NGHTTP2_FLAG_NONE, call->stream, NGHTTP2_PROTOCOL_ERROR);
    call->is_reset = true;
    call->is_begun = true; /* what of it comes now is dropped */
    call->is_waiting = false;
    return true;
}

void call_end_headers(struct server_call *call)
{
    request_end_head(&call->fields);
    if (reset_if_malformed(call))
        return;
    struct status status = check_headers(call);
    bool is_small = call->metadata_size <= METADATA_MAX;
    if (is_small && !(call->is_post && call->is_grpc)) {
        call->rpc.http_status = call->is_post ? 415 : 405;
        status = (struct status){.code = STATUS_UNIMPLEMENTED, .message = STR("this is no call of gRPC")};
    }
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

void call_take_trailer(struct server_call *call, struct str name, struct str value)
{
    request_take_field(&call->fields, name, value);
}

/* RFC 9113, 8.1: a request has one head; headers behind it are its end. */
void call_end_trailers(struct server_call *call, bool is_end)
{
    call->fields.malformed |= is_end ? 0 : MALFORMED_PSEUDO;
    reset_if_malformed(call);
}

/* --- The message --- */

/* A message that would be above its share of the common budget has another one, so that smaller ones never wait for it.
 */
bool call_may_claim(struct server_call *call, size_t claim)
{
    struct loop *loop = call->loop;
    bool is_large = claim > loop->purse.budget->limit / LARGE_PART;
    struct purse *purse = is_large ? &loop->large_purse : &loop->purse;
    if (purse != call->purse) {
        size_t held = call->held;
        call_hold(call, 0);
        call->purse = purse;
        call_hold(call, held);
    }
    size_t left = purse_left(purse), held = is_large ? 0 : call->connection->held;
    return claim <= left && held + claim <= left - claim;
}

/* Lets the whole message come, if the connection then still holds no more than what is left for all others. Its window
 * is twice its size, because padding counts, too, and is given back only when it is half of the window. A message that
 * is admitted can always be completed, so that calls never wait for each other. */
static bool admit(struct server_call *call)
{
    struct connection *connection = call->connection;
    size_t claim = call->message.size;
    if (!call_may_claim(call, claim))
        return false;
    call_hold(call, CALL_SIZE + claim);
    call->message.is_admitted = true;
    call->is_waiting = false;
    call->progress_at = call->loop->now;
    size_t window = claim < WINDOW_MAX / WINDOW_OF_SIZE ? claim * WINDOW_OF_SIZE : WINDOW_MAX;
    if (window > STREAM_WINDOW)
        nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, call->stream, (int32_t)window);
    return true;
}

bool calls_admit(struct connection *connection)
{
    bool some_wait = false;
    for (struct server_call *call = connection->calls; call; call = call->next)
        some_wait |= call->is_waiting && !(call->streaming ? streaming_admit(call) : admit(call));
    return some_wait;
}

struct status call_wait_for_memory(struct server_call *call)
{
    if (call->loop->purse.budget->limit == 0 || purse_left(&call->loop->purse) == 0)
        return (struct status){.code = STATUS_RESOURCE_EXHAUSTED,
                               .message = STR("the server holds too many messages at the moment")};
    call_hold(call, CALL_SIZE + call->message.stored);
    call->is_waiting = true;
    if (call->loop->retry.place == 0)
        timer_set(&call->loop->timers, &call->loop->retry, call->loop->now);
    return STATUS_IS_OK;
}

void call_take_data(struct server_call *call, struct str bytes)
{
    request_take_content(&call->fields, bytes.size);
    if (reset_if_malformed(call))
        return;
    if (call->is_begun && call->streaming) {
        streaming_take_data(call, bytes);
        return;
    }
    if (call->is_begun) {
        call->dropped += bytes.size;
        session_ask_to_stop(call);
        return;
    }
    call->progress_at = call->loop->now;
    struct status status = message_take(&call->message, bytes, call->loop->server->options.max_message, &call->arena);
    bool is_large = call->message.size > MESSAGE_IN_ARENA; /* the arena of a call is held anyway */
    if (is_ok(status) && is_large && !call->message.is_admitted && !admit(call))
        status = call_wait_for_memory(call);
    if (!is_ok(status))
        begin(call, status);
}

static void join_complete(struct server_call *call)
{
    struct connection *connection = call->connection;
    call->is_complete = true;
    *connection->last_complete = call;
    connection->last_complete = &call->next_complete;
}

void call_end(struct server_call *call)
{
    request_end(&call->fields);
    if (reset_if_malformed(call))
        return;
    if (call->is_begun && call->streaming)
        streaming_take_end(call);
    else if (!call->is_begun)
        join_complete(call);
}

void call_handle(struct server_call *call, struct status status)
{
    call_show_message(call);
    if (call->registered->method->stream)
        begin_stream(call, status);
    else
        begin(call, status);
}

void calls_handle(struct connection *connection)
{
    while (connection->complete) {
        struct server_call *call = connection->complete;
        leave_complete(call);
        struct status status = check_message(call);
        if (is_ok(status) && heavy_is_for(call))
            heavy_join(call);
        else
            call_handle(call, status);
    }
}
