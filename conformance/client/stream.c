/* One completion queue for each stream. Its operations are tagged by bits, so that `pending` says which are under way;
 * the core allows one of each kind at a time. A message is received only while somebody waits: for messages, or for
 * the core to take one that is sent, because a server that cannot send may stop to read. */
#include "client/stream.h"

#include "client/call.h"
#include "client/fabrication.h"
#include "support/memory.h"
#include <grpc/byte_buffer.h>
#include <stdlib.h>

enum {
    OPENING = 1,    /* the metadata is being sent */
    STARTING = 2,   /* the server's initial metadata is awaited */
    SENDING = 4,    /* a message is being sent */
    CLOSING = 8,    /* the end of our messages is being sent */
    RECEIVING = 16, /* a message is awaited */
    ENDING = 32,    /* the status is awaited */
};

struct stream {
    struct rpc_client *client;
    grpc_completion_queue *queue;
    grpc_call *call; /* NULL: there is no connection */
    struct call_metadata metadata;
    grpc_byte_buffer *received;
    grpc_metadata_array initial, trailing;
    grpc_slice method, details;
    grpc_status_code code;
    unsigned pending;
    bool drained; /* no message will come any more */
    bool half_closed;
    size_t sent, kept;    /* bytes of messages */
    struct answer failed; /* why there is no call, or what cannot be read; else ANSWERED */
    struct str *messages;
    size_t count, capacity, taken; /* `taken`: of how many messages stream_read has told */
    struct arena arena;
};

/* --- Operations --- */

static void *tag_of(unsigned operation)
{
    return (void *)(uintptr_t)operation;
}

static void start(struct stream *stream, grpc_op op, unsigned operation)
{
    if (stream->call && grpc_call_start_batch(stream->call, &op, 1, tag_of(operation), NULL) == GRPC_CALL_OK)
        stream->pending |= operation;
}

static void fail(struct stream *stream, enum outcome outcome, struct str trouble)
{
    if (stream->failed.outcome == OUTCOME_ANSWERED) {
        stream->failed.outcome = outcome;
        stream->failed.trouble = trouble;
    }
    if (stream->call)
        grpc_call_cancel(stream->call, NULL);
}

/* How many bytes of messages are read: as many as of a unary answer to all that was sent. */
static size_t most_bytes(const struct stream *stream)
{
    const struct request so_far = {.message = {NULL, stream->sent}};
    return answer_max(rpc_options(stream->client), &so_far);
}

static void keep(struct stream *stream, struct str message)
{
    if (stream->count == stream->capacity) {
        size_t capacity = stream->capacity ? stream->capacity * 2 : 16;
        struct str *messages = arena_alloc_zero(&stream->arena, capacity, sizeof *messages);
        if (stream->count > 0)
            memcpy(messages, stream->messages, stream->count * sizeof *messages);
        stream->messages = messages;
        stream->capacity = capacity;
    }
    stream->messages[stream->count++] = message;
    stream->kept += message.size;
}

static void take_message(struct stream *stream)
{
    struct answer one = {0};
    if (stream->received == NULL) {
        stream->drained = true;
        return;
    }
    size_t room = most_bytes(stream) - stream->kept;
    call_read_message(stream->received, room, &stream->arena, &one);
    grpc_byte_buffer_destroy(stream->received);
    stream->received = NULL;
    if (one.outcome != OUTCOME_ANSWERED)
        fail(stream, one.outcome, one.trouble);
    else if (one.truncated || stream->count == STREAM_MESSAGES_MAX)
        fail(stream, OUTCOME_GARBLED,
             arena_printf(&stream->arena, "the stream was cut off after %zu messages of %zu bytes: more is not read",
                          stream->count, stream->kept));
    else
        keep(stream, one.message);
}

/* Waits until an operation ends. False: none did until then. */
static bool advance(struct stream *stream, gpr_timespec end)
{
    grpc_event event = grpc_completion_queue_next(stream->queue, end, NULL);
    if (event.type != GRPC_OP_COMPLETE)
        return false;
    unsigned operation = (unsigned)(uintptr_t)event.tag;
    stream->pending &= ~operation;
    if (operation == RECEIVING)
        take_message(stream);
    return true;
}

static void receive(struct stream *stream)
{
    if (!(stream->pending & RECEIVING) && !stream->drained && stream->failed.outcome == OUTCOME_ANSWERED)
        start(stream, (grpc_op){.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &stream->received},
              RECEIVING);
}

/* Waits until an operation that sends has ended, and reads meanwhile. */
static void wait_for(struct stream *stream, unsigned operation, gpr_timespec end)
{
    while (stream->pending & operation) {
        receive(stream);
        if (!advance(stream, end)) {
            fail(stream, OUTCOME_TIMEOUT, STR("the server took no more messages within the timeout"));
            end = gpr_inf_future(GPR_CLOCK_MONOTONIC); /* a cancelled operation ends soon */
        }
    }
}

static gpr_timespec timeout_of(const struct stream *stream)
{
    return call_in_seconds(rpc_options(stream->client)->timeout);
}

/* --- The call --- */

static void begin(struct stream *stream, const struct request *request)
{
    struct call_metadata *metadata = &stream->metadata;
    struct str illegal = call_metadata_illegal(metadata);
    if (illegal.data != NULL) {
        fail(
            stream, OUTCOME_GARBLED,
            arena_printf(&stream->arena, "gRPC cannot send the metadata '%s'", str_printable(&stream->arena, illegal)));
        return;
    }
    gpr_timespec deadline =
        request->deadline > 0 ? call_in_seconds(request->deadline) : gpr_inf_future(GPR_CLOCK_MONOTONIC);
    grpc_channel *channel = rpc_channel(stream->client, &stream->arena, &stream->failed);
    if (channel == NULL)
        return;
    stream->call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, stream->queue, stream->method, NULL,
                                            deadline, NULL);
    start(stream,
          (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA,
                    .data.send_initial_metadata = {metadata->count, metadata->entries, {0, 0}}},
          OPENING);
    start(stream,
          (grpc_op){.op = GRPC_OP_RECV_INITIAL_METADATA,
                    .data.recv_initial_metadata.recv_initial_metadata = &stream->initial},
          STARTING);
    start(stream,
          (grpc_op){.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
                    .data.recv_status_on_client = {&stream->trailing, &stream->code, &stream->details, NULL}},
          ENDING);
    wait_for(stream, OPENING, timeout_of(stream));
}

struct stream *stream_open(struct client *client, const struct request *request, const struct header *extra)
{
    struct stream *stream = memory_zeroed(sizeof *stream);
    stream->arena = memory_arena();
    stream->client = client_rpc(client, request->endpoint);
    stream->details = grpc_empty_slice();
    stream->method = call_slice(request->rpc);
    grpc_metadata_array_init(&stream->initial);
    grpc_metadata_array_init(&stream->trailing);
    if (stream->client == NULL) {
        stream->failed.outcome = OUTCOME_UNREACHABLE;
        stream->failed.trouble =
            arena_printf(&stream->arena, "no address was given: %.*s", STR_ARG(request->endpoint->flag));
        return stream;
    }
    stream->queue = grpc_completion_queue_create_for_next(NULL);
    stream->metadata = call_metadata_make(rpc_options(stream->client), request, extra, &stream->arena);
    begin(stream, request);
    return stream;
}

void stream_close(struct stream *stream)
{
    if (stream == NULL)
        return;
    if (stream->call != NULL && stream->pending)
        grpc_call_cancel(stream->call, NULL);
    while (stream->pending)
        advance(stream, gpr_inf_future(GPR_CLOCK_MONOTONIC));
    if (stream->call != NULL)
        grpc_call_unref(stream->call);
    if (stream->queue != NULL) {
        grpc_completion_queue_shutdown(stream->queue);
        while (grpc_completion_queue_next(stream->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type !=
               GRPC_QUEUE_SHUTDOWN)
            ;
        grpc_completion_queue_destroy(stream->queue);
    }
    grpc_metadata_array_destroy(&stream->initial);
    grpc_metadata_array_destroy(&stream->trailing);
    grpc_slice_unref(stream->details);
    grpc_slice_unref(stream->method);
    call_metadata_free(&stream->metadata);
    arena_free(&stream->arena);
    free(stream);
}

static void send_one(struct stream *stream, struct str message, gpr_timespec end)
{
    grpc_slice slice = call_slice(message);
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    stream->sent += message.size;
    start(stream, (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = buffer}, SENDING);
    wait_for(stream, SENDING, end);
    grpc_byte_buffer_destroy(buffer);
    grpc_slice_unref(slice);
}

void stream_send(struct stream *stream, const struct str *messages, size_t count)
{
    bool sends = stream->call && !stream->half_closed;
    gpr_timespec end = sends ? timeout_of(stream) : gpr_inf_past(GPR_CLOCK_MONOTONIC);
    for (size_t i = 0; sends && i < count && stream->failed.outcome == OUTCOME_ANSWERED; i++)
        send_one(stream, messages[i], end);
}

void stream_half_close(struct stream *stream)
{
    if (stream->call == NULL || stream->half_closed)
        return;
    stream->half_closed = true;
    start(stream, (grpc_op){.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT}, CLOSING);
    wait_for(stream, CLOSING, timeout_of(stream));
}

void stream_cancel(struct stream *stream)
{
    if (stream->call != NULL)
        grpc_call_cancel(stream->call, NULL);
}

/* --- Reading --- */

static void tell_messages(struct stream *stream, size_t count, struct arena *arena, struct answer *answer)
{
    size_t ready = stream->count - stream->taken;
    count = ready < count ? ready : count;
    answer->messages = arena_alloc_zero(arena, count + 1, sizeof *answer->messages);
    for (size_t i = 0; answer->messages != NULL && i < count; i++)
        answer->messages[answer->message_count++] = arena_copy(arena, stream->messages[stream->taken++]);
}

static void tell_end(struct stream *stream, struct arena *arena, struct answer *answer)
{
    call_read_status(&stream->initial, &stream->trailing, stream->code, stream->details, arena, answer);
    fabrication_find(answer, arena);
}

static void tell_trouble(const struct stream *stream, struct arena *arena, struct answer *answer)
{
    const char *fault = stream->client ? rpc_channel_fault(stream->client) : NULL;
    if (stream->failed.outcome != OUTCOME_ANSWERED) {
        answer->outcome = stream->failed.outcome;
        answer->trouble = arena_copy(arena, stream->failed.trouble);
    }
    if (answer->outcome != OUTCOME_ANSWERED && fault != NULL) {
        answer->outcome = OUTCOME_GARBLED;
        answer->trouble = str_of(fault);
    }
}

void stream_read(struct stream *stream, size_t count, struct arena *arena, struct answer *answer)
{
    *answer = (struct answer){.streams = true};
    gpr_timespec end = stream->client ? timeout_of(stream) : gpr_inf_past(GPR_CLOCK_MONOTONIC);
    bool in_time = true;
    while (stream->call && in_time && stream->failed.outcome == OUTCOME_ANSWERED && !stream->drained &&
           stream->count - stream->taken < count) {
        receive(stream);
        in_time = stream->pending && advance(stream, end);
    }
    bool ends = stream->drained && stream->count - stream->taken < count;
    while (ends && in_time && (stream->pending & ENDING))
        in_time = advance(stream, end);
    if (!in_time)
        fail(stream, OUTCOME_TIMEOUT,
             arena_printf(&stream->arena, "%s within the timeout (messages that came%s: %zu)",
                          count == STREAM_END ? "the stream did not end" : "not as many messages came as are awaited",
                          stream->taken ? " since the last step" : "", stream->count - stream->taken));
    tell_messages(stream, count, arena, answer);
    if (ends && in_time)
        tell_end(stream, arena, answer);
    answer->open = !ends;
    tell_trouble(stream, arena, answer);
}

static void exchange(struct client *client, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer)
{
    struct stream *stream = stream_open(client, request, extra);
    stream_send(stream, request->messages, request->message_count);
    stream_half_close(stream);
    if (request->cancel)
        stream_cancel(stream);
    stream_read(stream, STREAM_END, arena, answer);
    stream_close(stream);
}

void stream_exchange(struct client *client, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        exchange(client, request, extra, arena, answer);
        if (!fabrication_is_unseen(answer))
            break;
    }
    struct rpc_client *rpc = client_rpc(client, request->endpoint);
    if (answer->outcome != OUTCOME_ANSWERED && rpc)
        rpc_channel_close(rpc);
}
