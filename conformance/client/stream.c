/* The server's messages are taken off the call as they come, but only while somebody waits: for messages, or for the
 * server to take one that is sent, because a server that cannot send may stop to read. */
#include "client/stream.h"

#include "client/call.h"
#include "support/seconds.h"
#include <stdlib.h>

struct stream {
    struct channel *channel;
    struct call call;
    bool is_begun;        /* there is a call */
    size_t sent, kept;    /* bytes of messages */
    struct answer failed; /* why there is no call, or what cannot be read; else ANSWERED */
    struct str *messages; /* those that came */
    size_t count, taken;  /* `taken`: of how many messages stream_read has told */
    struct arena arena;
};

static void fail(struct stream *stream, enum outcome outcome, struct str trouble)
{
    if (stream->failed.outcome == OUTCOME_ANSWERED) {
        stream->failed.outcome = outcome;
        stream->failed.trouble = trouble;
    }
    if (stream->is_begun)
        http2_cancel(&stream->call.stream, outcome, trouble);
}

static bool goes_on(const struct stream *stream)
{
    return stream->is_begun && stream->failed.outcome == OUTCOME_ANSWERED;
}

static double timeout_of(const struct stream *stream)
{
    return seconds_now() + stream->channel->options->timeout;
}

/* --- What comes --- */

/* How many bytes of messages are read: as many as of a unary answer to all that was sent. */
static size_t most_bytes(const struct stream *stream)
{
    const struct request so_far = {.message = {NULL, stream->sent}};
    return answer_max(stream->channel->options, &so_far);
}

static void keep_message(struct stream *stream, struct str message)
{
    *array_add(stream->messages, stream->count, &stream->arena) = message;
    stream->kept += message.size;
}

/* Takes the first message of the bytes. Returns how many bytes it is; 0: there is none, or the stream has failed. */
static size_t gather_one(struct stream *stream, struct str bytes)
{
    struct answer one = {0};
    size_t room = most_bytes(stream) - stream->kept;
    size_t size = call_read_message(&stream->call, bytes, room, &stream->arena, &one);
    if (one.outcome != OUTCOME_ANSWERED)
        fail(stream, one.outcome, one.trouble);
    else if (one.truncated || (size > 0 && stream->count == STREAM_MESSAGES_MAX))
        fail(stream, OUTCOME_GARBLED,
             arena_printf(&stream->arena, "the stream was cut off after %zu messages of %zu bytes: more is not read",
                          stream->count, stream->kept));
    else if (size > 0)
        keep_message(stream, one.message);
    return goes_on(stream) ? size : 0;
}

/* Takes the messages that have come as a whole, and lets the server send as much again. */
static void gather(struct stream *stream)
{
    struct buf *body = &stream->call.stream.body;
    size_t at = 0, size = 1;
    while (goes_on(stream) && size > 0) {
        size = gather_one(stream, str_from(buf_str(body), at));
        at += size;
    }
    if (at > 0)
        memmove(body->data, body->data + at, body->size - at);
    body->size -= at;
    http2_take(&stream->call.stream);
}

static bool advance(struct stream *stream, double until)
{
    bool advanced = call_advance(&stream->call, until);
    gather(stream);
    return advanced;
}

/* --- What is sent --- */

/* Waits until what was given to the call is sent. */
static void wait_until_sent(struct stream *stream, double until)
{
    while (goes_on(stream) && !http2_is_sent(&stream->call.stream))
        if (!advance(stream, until) && !stream->call.stream.is_over)
            fail(stream, OUTCOME_TIMEOUT, STR("the server took no more messages within the timeout"));
}

struct stream *stream_open(struct channel *channel, const struct request *request, const struct header *extra)
{
    struct stream *stream = memory_zeroed(sizeof *stream);
    stream->arena = memory_arena();
    stream->channel = channel;
    if (channel != NULL)
        stream->is_begun =
            call_begin(&stream->call, channel, request, extra, SIZE_MAX, &stream->arena, &stream->failed);
    else
        fail(stream, OUTCOME_UNREACHABLE,
             arena_printf(&stream->arena, "no address was given: %.*s", STR_ARG(request->endpoint->flag)));
    return stream;
}

void stream_close(struct stream *stream)
{
    if (stream == NULL)
        return;
    if (stream->is_begun)
        http2_end(&stream->call.stream);
    arena_free(&stream->arena);
    free(stream);
}

void stream_send(struct stream *stream, const struct str *messages, size_t count)
{
    double until = goes_on(stream) ? timeout_of(stream) : 0;
    for (size_t i = 0; goes_on(stream) && !stream->call.stream.is_last && i < count; i++) {
        stream->sent += messages[i].size;
        call_send(&stream->call, messages[i], false);
        wait_until_sent(stream, until);
    }
    wait_until_sent(stream, until);
}

void stream_half_close(struct stream *stream)
{
    if (!goes_on(stream))
        return;
    http2_send(&stream->call.stream, (struct str){0}, (struct str){0}, true);
    wait_until_sent(stream, timeout_of(stream));
}

void stream_cancel(struct stream *stream)
{
    if (!goes_on(stream))
        return;
    if (stream->call.stream.connection != NULL) /* what has come may still be read */
        http2_look(stream->call.stream.connection);
    gather(stream);
    call_cancel(&stream->call);
}

/* --- Reading --- */

static void answer_messages(struct stream *stream, size_t count, struct arena *arena, struct answer *answer)
{
    size_t ready = stream->count - stream->taken;
    count = ready < count ? ready : count;
    answer->messages = arena_alloc_zero(arena, count + 1, sizeof *answer->messages);
    for (size_t i = 0; i < count; i++)
        answer->messages[answer->message_count++] = arena_copy(arena, stream->messages[stream->taken++]);
}

static void answer_end(const struct stream *stream, struct arena *arena, struct answer *answer)
{
    size_t rest = stream->call.stream.body.size;
    call_read_status(&stream->call, arena, answer);
    if (answer->outcome == OUTCOME_ANSWERED && stream->call.own_code < 0 && rest > 0) {
        answer->outcome = OUTCOME_GARBLED;
        answer->trouble = arena_printf(arena, "%zu bytes that are no whole gRPC message", rest);
    }
}

void stream_read(struct stream *stream, size_t count, struct arena *arena, struct answer *answer)
{
    *answer = (struct answer){.streams = true};
    double until = goes_on(stream) ? timeout_of(stream) : 0;
    if (goes_on(stream))
        gather(stream);
    while (goes_on(stream) && !stream->call.stream.is_over && stream->count - stream->taken < count)
        if (!advance(stream, until) && !stream->call.stream.is_over)
            fail(stream, OUTCOME_TIMEOUT,
                 arena_printf(&stream->arena, "%s within the timeout (messages that came%s: %zu)",
                              count == STREAM_END ? "the stream did not end"
                                                  : "not as many messages came as are awaited",
                              stream->taken ? " since the last step" : "", stream->count - stream->taken));
    bool ends = goes_on(stream) && stream->call.stream.is_over && stream->count - stream->taken < count;
    answer->open = !ends;
    answer_messages(stream, count, arena, answer);
    if (ends) {
        answer_end(stream, arena, answer);
    } else if (stream->failed.outcome != OUTCOME_ANSWERED) {
        answer->outcome = stream->failed.outcome;
        answer->trouble = arena_copy(arena, stream->failed.trouble);
    }
}

bool stream_exchange(struct channel *channel, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer)
{
    struct stream *stream = stream_open(channel, request, extra);
    stream_send(stream, request->messages, request->message_count);
    stream_half_close(stream);
    if (request->cancel)
        stream_cancel(stream);
    stream_read(stream, STREAM_END, arena, answer);
    answer->reused = channel->is_used;
    bool is_unseen = stream->call.stream.is_unseen;
    stream_close(stream);
    return is_unseen;
}
