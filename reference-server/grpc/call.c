/* The way of a call through the C core. One thread waits on each completion queue. Every method keeps a few calls armed
 * there (grpc_server_request_*). What happens to a call comes back as one of its three events:
 *
 *     arrived   The request is here with its message. It is handled at once, on this thread.
 *     closed    The client has left, or the answer is sent. Only watched for if the handler did not answer at once.
 *     sent      The answer is sent.
 *
 * A call that its handler answers at once costs one batch, as in the simplest echo server. Otherwise the answer, which
 * any thread may give, and the client that gives up both try to change `phase`; the one that changes it first wins. Two
 * counters end a call. `pending` counts the batches and the answer that is still owed; at zero, the objects of the core
 * are freed. `holders` counts the core's part, the pieces that the core still reads, and a handler whose client has
 * left; at zero, the memory goes back to a pool, with the first chunk of its arena. */
#include "grpc/call.h"

#include "grpc/inflate.h"
#include <grpc/byte_buffer.h>
#include <grpc/slice.h>
#include <grpc/support/time.h>
#include <limits.h>

#define COPIED_PIECE  512  /* a smaller piece is copied together with its neighbours */
#define COPIED_ANSWER 8192 /* a smaller answer is copied as a whole */

static struct tally in_flight;

size_t rpc_in_flight(void)
{
    return tally_sum(&in_flight);
}

/* The core calls this function, too, when it has sent a piece. */
static void drop_holder(void *subject)
{
    struct server_call *call = subject;
    if (atomic_fetch_sub(&call->holders, 1) == 1)
        call_give_back(call);
}

static void drop_pending(struct server_call *call)
{
    if (atomic_fetch_sub(&call->pending, 1) > 1)
        return;
    if (call->answer)
        grpc_byte_buffer_destroy(call->answer);
    if (call->request)
        grpc_byte_buffer_destroy(call->request);
    if (!call->registered) {
        grpc_slice_unref(call->details.method);
        grpc_slice_unref(call->details.host);
    }
    for (size_t i = 0; i < call->trailing_count; i++) {
        grpc_slice_unref(call->trailing[i].key);
        grpc_slice_unref(call->trailing[i].value);
    }
    grpc_call_unref(call->handle);
    tally_leave(call->place);
    drop_holder(call);
}

/* --- Answers --- */

static struct str slice_str(const grpc_slice *slice)
{
    return (struct str){(const char *)GRPC_SLICE_START_PTR(*slice), GRPC_SLICE_LENGTH(*slice)};
}

static grpc_slice copied_slice(struct str s)
{
    return grpc_slice_from_copied_buffer(s.data, s.size);
}

/* Copies `count` pieces, which have `size` bytes together, into one slice. */
static grpc_slice joined_pieces(const struct str *pieces, size_t count, size_t size)
{
    grpc_slice slice = grpc_slice_malloc(size);
    uint8_t *at = GRPC_SLICE_START_PTR(slice);
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].size)
            memcpy(at, pieces[i].data, pieces[i].size);
        at += pieces[i].size;
    }
    return slice;
}

/* Makes the answer for the core: small pieces are copied together, large ones are used where they lie. Each large piece
 * holds the call until it is sent. */
static grpc_byte_buffer *answer_buffer(struct server_call *call, size_t size)
{
    struct rpc_call *rpc = &call->rpc;
    if (size <= COPIED_ANSWER) {
        grpc_slice slice = joined_pieces(rpc->pieces, rpc->piece_count, size);
        grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
        grpc_slice_unref(slice);
        return buffer;
    }
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(NULL, 0);
    for (size_t i = 0; i < rpc->piece_count;) {
        size_t end = i, small = 0;
        while (end < rpc->piece_count && rpc->pieces[end].size < COPIED_PIECE)
            small += rpc->pieces[end++].size;
        grpc_slice slice;
        if (end > i) {
            slice = joined_pieces(rpc->pieces + i, end - i, small);
            i = end;
        } else {
            atomic_fetch_add(&call->holders, 1);
            /* the core only reads the bytes */
            void *bytes = (void *)(uintptr_t)rpc->pieces[i].data;
            slice = grpc_slice_new_with_user_data(bytes, rpc->pieces[i].size, drop_holder, call);
            i++;
        }
        grpc_slice_buffer_add(&buffer->data.raw.slice_buffer, slice);
    }
    return buffer;
}

static void watch(struct server_call *call)
{
    atomic_fetch_add(&call->pending, 1);
    grpc_op op = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
    op.data.recv_close_on_server.cancelled = &call->close_cancelled;
    if (grpc_call_start_batch(call->handle, &op, 1, &call->closed, NULL) != GRPC_CALL_OK)
        drop_pending(call);
}

static size_t answer_size(const struct rpc_call *rpc)
{
    size_t size = 0;
    for (size_t i = 0; i < rpc->piece_count; i++)
        size += rpc->pieces[i].size;
    return size;
}

/* Sends the answer of the call. `is_watched` says that a batch of its own waits for the close already. */
static void send_answer(struct server_call *call, bool is_watched)
{
    struct rpc_call *rpc = &call->rpc;
    if (call->server->options.finish)
        call->server->options.finish(rpc);
    if (rpc->fate != RPC_SEND) {
        if (rpc->fate == RPC_RESET)
            grpc_call_cancel(call->handle, NULL);
        if (!is_watched)
            watch(call);
        return;
    }

    size_t size = is_ok(rpc->status) ? answer_size(rpc) : 0;
    if (size > INT_MAX)
        rpc->status = (struct status){.code = STATUS_RESOURCE_EXHAUSTED, .message = STR("the answer exceeds 2 GiB")};

    grpc_op ops[4] = {{.op = GRPC_OP_SEND_INITIAL_METADATA}};
    size_t count = 1;
    if (is_ok(rpc->status)) {
        call->answer = answer_buffer(call, size);
        ops[count].op = GRPC_OP_SEND_MESSAGE;
        ops[count++].data.send_message.send_message = call->answer;
    }
    grpc_slice details = copied_slice(rpc->status.message);
    ops[count].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
    ops[count].data.send_status_from_server.status = (grpc_status_code)rpc->status.code;
    ops[count].data.send_status_from_server.status_details = is_ok(rpc->status) ? NULL : &details;
    ops[count].data.send_status_from_server.trailing_metadata = call->trailing;
    ops[count++].data.send_status_from_server.trailing_metadata_count = call->trailing_count;
    if (!is_watched) {
        ops[count].op = GRPC_OP_RECV_CLOSE_ON_SERVER;
        ops[count++].data.recv_close_on_server.cancelled = &call->close_cancelled;
    }
    atomic_fetch_add(&call->pending, 1);
    if (grpc_call_start_batch(call->handle, ops, count, &call->sent, NULL) != GRPC_CALL_OK) {
        grpc_call_cancel(call->handle, NULL);
        drop_pending(call);
    }
    grpc_slice_unref(details);
}

void rpc_answer(struct rpc_call *rpc)
{
    struct server_call *call = (struct server_call *)rpc;
    enum phase phase = PHASE_HANDLING;
    if (atomic_compare_exchange_strong(&call->phase, &phase, PHASE_ANSWERED))
        return; /* it is sent when the handler has returned */
    if (phase == PHASE_DEFERRED && atomic_compare_exchange_strong(&call->phase, &phase, PHASE_ANSWERED)) {
        send_answer(call, true);
        drop_pending(call);
    } else {
        drop_holder(call);
    }
}

bool rpc_is_awaited(const struct rpc_call *rpc)
{
    const struct server_call *call = (const struct server_call *)rpc;
    return atomic_load(&call->phase) != PHASE_ABANDONED;
}

void rpc_trailing_metadata(struct rpc_call *rpc, const char *key, struct str value)
{
    struct server_call *call = (struct server_call *)rpc;
    if (call->trailing_count == TRAILING_MAX)
        return;
    grpc_metadata row = {.key = grpc_slice_from_copied_string(key), .value = copied_slice(value)};
    if (grpc_header_key_is_legal(row.key) &&
        (grpc_is_binary_header(row.key) || grpc_header_nonbin_value_is_legal(row.value))) {
        call->trailing[call->trailing_count++] = row;
    } else {
        grpc_slice_unref(row.key);
        grpc_slice_unref(row.value);
    }
}

/* --- Requests --- */

struct str rpc_metadata(const struct rpc_call *rpc, const char *key)
{
    const struct server_call *call = (const struct server_call *)rpc;
    for (size_t i = 0; i < call->metadata.count; i++)
        if (str_is(slice_str(&call->metadata.metadata[i].key), key))
            return slice_str(&call->metadata.metadata[i].value);
    return (struct str){0};
}

/* Sets rpc->slices: to the slices of the core, or to inflated pieces in the arena if the message is compressed. */
static struct status read_message(struct server_call *call)
{
    struct rpc_call *rpc = &call->rpc;
    if (!call->request)
        return status_error(rpc->arena, STATUS_INVALID_ARGUMENT, "the call to '%s' carries no complete message",
                            str_printable(rpc->arena, rpc->path));
    grpc_slice_buffer *buffer = &call->request->data.raw.slice_buffer;
    struct str *slices = arena_alloc(rpc->arena, buffer->count * sizeof(*slices));
    if (!slices)
        return status_no_memory();
    for (size_t i = 0; i < buffer->count; i++)
        slices[i] = slice_str(&buffer->slices[i]);
    rpc->slices = slices;
    rpc->slice_count = buffer->count;
    rpc->message_size = buffer->length;
    if (call->request->data.raw.compression == GRPC_COMPRESS_NONE)
        return STATUS_IS_OK;
    return inflate_slices(slices, buffer->count, call->server->options.max_message, rpc->arena, &rpc->slices,
                          &rpc->slice_count, &rpc->message_size);
}

void rpc_release_message(struct rpc_call *rpc)
{
    struct server_call *call = (struct server_call *)rpc;
    grpc_byte_buffer_destroy(call->request);
    call->request = NULL;
    rpc->slices = NULL;
    rpc->slice_count = 0;
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

static void call_arrived(void *subject, bool ok)
{
    struct server_call *call = subject;
    if (!ok) { /* the server stops */
        drop_holder(call);
        return;
    }
    call_arm(call->queue, call->registered);
    call->place = tally_enter(&in_flight);

    struct rpc_call *rpc = &call->rpc;
    const struct rpc_options *options = &call->server->options;
    const struct rpc_mount *mount;
    struct status status;
    rpc->arena = &call->arena;
    if (call->registered) {
        rpc->path = call->registered->path;
        rpc->method = call->registered->method;
        mount = call->registered->mount;
        status = read_message(call);
    } else {
        rpc->path = slice_str(&call->details.method);
        mount = mount_named(options, rpc->path);
        status = status_error(rpc->arena, STATUS_UNIMPLEMENTED, "method '%s' is not served",
                              str_printable(rpc->arena, rpc->path));
    }
    rpc->service = mount->service;
    rpc->context = mount->context;
    if (options->begin)
        options->begin(rpc);
    if (is_ok(status)) {
        rpc->method->handle(rpc);
    } else {
        rpc->status = status;
        rpc_answer(rpc);
    }

    enum phase phase = PHASE_HANDLING;
    if (atomic_compare_exchange_strong(&call->phase, &phase, PHASE_DEFERRED)) {
        watch(call);
    } else {
        send_answer(call, false);
        drop_pending(call);
    }
}

static void call_closed(void *subject, bool ok)
{
    (void)ok;
    struct server_call *call = subject;
    if (call->close_cancelled) {
        atomic_fetch_add(&call->holders, 1); /* for the handler, which still has to answer */
        enum phase phase = PHASE_DEFERRED;
        if (atomic_compare_exchange_strong(&call->phase, &phase, PHASE_ABANDONED))
            drop_pending(call);
        else
            drop_holder(call);
    }
    drop_pending(call);
}

static void call_sent(void *subject, bool ok)
{
    (void)ok;
    drop_pending(subject);
}

void call_arm(struct queue *queue, const struct registered *registered)
{
    struct rpc_server *server = queue->server;
    struct server_call *call = call_take(queue->pool, server->arena_budget);
    call->server = server;
    call->queue = queue;
    call->registered = registered;
    call->arrived = (struct event){call_arrived, call};
    call->closed = (struct event){call_closed, call};
    call->sent = (struct event){call_sent, call};
    call->request = call->answer = NULL;
    call->close_cancelled = 0;
    atomic_init(&call->phase, PHASE_HANDLING);
    atomic_init(&call->pending, 1);
    atomic_init(&call->holders, 1);

    grpc_call_error error;
    if (registered)
        error = grpc_server_request_registered_call(server->core, registered->tag, &call->handle, &call->deadline,
                                                    &call->metadata, &call->request, queue->core, queue->core,
                                                    &call->arrived);
    else
        error = grpc_server_request_call(server->core, &call->handle, &call->details, &call->metadata, queue->core,
                                         queue->core, &call->arrived);
    if (error != GRPC_CALL_OK)
        drop_holder(call);
}
