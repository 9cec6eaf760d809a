/* gRPC over HTTP/2 (RFC 9113). The frames of both sides are read here, and libnghttp2 decodes their fields: a session
 * of libnghttp2 would hold each side to settings and windows of its own instead of those that the two agree on. */
#include "base/search.h"
#include "client/rpc.h"
#include "support/frame.h"
#include "support/memory.h"
#include "watch/follow.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>

#define PREFACE        STR(NGHTTP2_CLIENT_MAGIC)
#define STREAMS_MAX    1000
#define CONNECTION_MAX (64 * KEPT_MAX) /* bytes of messages that are kept for all streams of a connection */
#define TABLE_MAX      (1024 * 1024)   /* bytes of a table of fields that are kept */
#define MESSAGES_MAX   1000            /* of a stream that are judged */
#define PRIORITY_SIZE  5               /* bytes of HEADERS before the fields, if the flag says so */

enum { FRAME_PUSH_PROMISE = 5, FRAME_WITH_PRIORITY = 0x20, SETTING_TABLE_SIZE = 1, SETTING_SIZE = 6 };

struct followed_stream {
    int32_t id;
    struct arena arena;
    struct header_list asked; /* the fields of the request */
    struct buf request;       /* its DATA */
    bool is_asked;            /* the request came as a whole */
    bool is_long;             /* request or answer is longer than is kept */
    struct call call;         /* the answer */
    struct followed_stream *next;
};

/* What one side sends. */
struct sender {
    struct buf in; /* bytes that are no whole frame yet */
    bool is_greeted;
    nghttp2_hd_inflater *fields;
    size_t table, table_next; /* the size of its table of fields, and that which the other side has asked for */
    struct buf block;         /* the fields that came, until their block ends */
    int32_t block_stream;     /* 0: there is none */
    bool block_ends;          /* the stream, too */
};

struct grpc_follow {
    struct traffic *traffic;
    const struct port *port;
    struct sender senders[SIDES];
    struct followed_stream *streams;
    size_t count, kept; /* streams; bytes of their messages */
};

static void *create(struct traffic *traffic, const struct port *port)
{
    struct grpc_follow *follow = memory_zeroed(sizeof *follow);
    *follow = (struct grpc_follow){.traffic = traffic, .port = port};
    follow->senders[SIDE_SERVER].is_greeted = true;
    for (int side = 0; side < SIDES; side++) {
        follow->senders[side].table = follow->senders[side].table_next = NGHTTP2_DEFAULT_HEADER_TABLE_SIZE;
        if (nghttp2_hd_inflate_new(&follow->senders[side].fields) != 0)
            memory_exhausted();
    }
    return follow;
}

static void remove_stream(struct grpc_follow *follow, struct followed_stream *stream)
{
    struct followed_stream **at = &follow->streams;
    while (*at && *at != stream)
        at = &(*at)->next;
    *at = stream->next;
    follow->count--;
    follow->kept -= stream->request.size + stream->call.stream.body.size;
    buf_free(&stream->request);
    buf_free(&stream->call.stream.body);
    arena_free(&stream->arena);
    free(stream);
}

static void destroy(void *reader)
{
    struct grpc_follow *follow = reader;
    while (follow->streams)
        remove_stream(follow, follow->streams);
    for (int side = 0; side < SIDES; side++) {
        nghttp2_hd_inflate_del(follow->senders[side].fields);
        buf_free(&follow->senders[side].in);
        buf_free(&follow->senders[side].block);
    }
    free(follow);
}

/* --- A call that is over --- */

/* Reads the messages that the client sent. */
static void read_messages(struct followed_stream *stream, struct arena *arena, struct request *request)
{
    const struct call asking = {.stream = {.headers = stream->asked}};
    struct str rest = buf_str(&stream->request);
    size_t taken;
    request->messages = arena_alloc_zero(arena, MESSAGES_MAX, sizeof *request->messages);
    do {
        struct answer answer = {0};
        taken = call_read_message(&asking, rest, KEPT_MAX, arena, &answer);
        rest = str_from(rest, taken);
        stream->is_long |= answer.truncated;
        if (taken && answer.outcome == OUTCOME_ANSWERED && !answer.truncated)
            request->messages[request->message_count++] = answer.message;
    } while (taken && request->message_count < MESSAGES_MAX);
    if (request->message_count)
        request->message = request->messages[0];
}

static void finish(struct grpc_follow *follow, struct followed_stream *stream, bool is_answered)
{
    struct arena *arena = &stream->arena;
    struct passed passed = {
        .endpoint = follow->port->endpoint,
        .request = {.rpc = header_value(&stream->asked, ":path"), .metadata = stream->asked},
        .is_asked = stream->is_asked,
        .is_answered = is_answered,
    };
    read_messages(stream, arena, &passed.request);
    rpc_read_answer(&stream->call, true, KEPT_MAX, arena, &passed.answer);
    if (stream->is_long || passed.answer.truncated) /* it may have been small before it was inflated */
        traffic_not_judged(follow->traffic, "a message of more than 1 MiB");
    else
        traffic_exchange(follow->traffic, &passed, arena);
    remove_stream(follow, stream);
}

/* --- Frames --- */

static struct followed_stream *stream_of(const struct grpc_follow *follow, int32_t id)
{
    return FIND_IN(stream, follow->streams, stream->id == id);
}

/* One of the sides sends nothing more on the stream. */
static void end_stream(struct grpc_follow *follow, struct followed_stream *stream, enum side side)
{
    if (side == SIDE_CLIENT)
        stream->is_asked = true;
    else
        finish(follow, stream, true);
}

static void take_data(struct grpc_follow *follow, struct followed_stream *stream, enum side side, struct str data)
{
    struct buf *body = side == SIDE_CLIENT ? &stream->request : &stream->call.stream.body;
    if (body->size + data.size > KEPT_MAX || follow->kept + data.size > CONNECTION_MAX) {
        stream->is_long = true;
        return;
    }
    buf_append_str(body, data);
    follow->kept += data.size;
}

static void take_field(struct followed_stream *stream, enum side side, bool are_trailers, struct header field)
{
    struct http2_stream *answer = &stream->call.stream;
    unsigned long long status;
    struct header_list *list = side == SIDE_CLIENT ? &stream->asked
                               : are_trailers      ? &answer->trailers
                                                   : &answer->headers;
    if (side == SIDE_SERVER && str_is(field.name, ":status")) {
        answer->status = str_to_uint64(field.value, &status) && status >= 200 ? (int)status : 0;
        return;
    }
    if (list->count < HEADERS_MAX)
        header_list_add(
            list, (struct header){arena_copy(&stream->arena, field.name), arena_copy(&stream->arena, field.value)},
            &stream->arena);
}

/* Decodes a block of fields, which must be read whether or not its stream is known. */
static const char *take_fields(struct grpc_follow *follow, enum side side)
{
    struct sender *sender = &follow->senders[side];
    struct followed_stream *stream = stream_of(follow, sender->block_stream);
    bool is_new = !stream && side == SIDE_CLIENT && sender->block_stream % 2;
    if (is_new && follow->count == STREAMS_MAX)
        return "a connection with too many calls that wait for their answers";
    if (is_new) {
        stream = memory_zeroed(sizeof *stream);
        *stream =
            (struct followed_stream){.id = sender->block_stream, .arena = memory_arena(), .next = follow->streams};
        stream->call.own_code = -1;
        stream->call.stream.arena = &stream->arena;
        follow->streams = stream;
        follow->count++;
    }
    bool are_trailers = stream && (side == SIDE_CLIENT ? !is_new : stream->call.stream.status != 0);
    const uint8_t *at = (const uint8_t *)sender->block.data;
    size_t left = sender->block.size;
    int flags = 0;
    while (!(flags & NGHTTP2_HD_INFLATE_FINAL)) {
        nghttp2_nv field;
        ssize_t taken = nghttp2_hd_inflate_hd2(sender->fields, &field, &flags, at, left, 1);
        if (taken < 0)
            return "a connection whose fields cannot be decoded";
        at += taken;
        left -= (size_t)taken;
        if (flags & NGHTTP2_HD_INFLATE_EMIT && stream && !(are_trailers && side == SIDE_CLIENT))
            take_field(stream, side, are_trailers,
                       (struct header){{(const char *)field.name, field.namelen},
                                       {(const char *)field.value, field.valuelen}});
    }
    nghttp2_hd_inflate_end_headers(sender->fields);
    buf_clear(&sender->block);
    sender->block_stream = 0;
    if (stream && sender->block_ends)
        end_stream(follow, stream, side);
    return NULL;
}

static const char *resize_table(struct sender *sender, size_t size)
{
    if (size > TABLE_MAX || nghttp2_hd_inflate_change_table_size(sender->fields, size) != 0)
        return "a connection with a larger table of fields than is kept";
    sender->table = size;
    return NULL;
}

/* A side says how large the other one's table of fields may be. A larger one may be used at once, a smaller one is used
 * when the other side has acknowledged it. */
static const char *take_settings(struct grpc_follow *follow, enum side side, uint8_t flags, struct str payload)
{
    struct sender *own = &follow->senders[side], *other = &follow->senders[!side];
    if (flags & FRAME_ACK)
        return own->table_next < own->table ? resize_table(own, own->table_next) : NULL;
    for (; payload.size >= SETTING_SIZE; payload = str_from(payload, SETTING_SIZE)) {
        const unsigned char *at = (const unsigned char *)payload.data;
        if ((at[0] << 8 | at[1]) == SETTING_TABLE_SIZE)
            other->table_next = (size_t)at[2] << 24 | (size_t)at[3] << 16 | (size_t)at[4] << 8 | at[5];
    }
    return other->table_next > other->table ? resize_table(other, other->table_next) : NULL;
}

/* Takes the padding and the priority off the payload of DATA or HEADERS. False: it is too short. */
static bool strip(struct str *payload, uint8_t kind, uint8_t flags)
{
    size_t before = 0, behind = 0;
    if (flags & FRAME_PADDED && payload->size) {
        behind = (unsigned char)payload->data[0];
        before = 1;
    }
    if (kind == FRAME_HEADERS && flags & FRAME_WITH_PRIORITY)
        before += PRIORITY_SIZE;
    if (before + behind > payload->size)
        return false;
    *payload = (struct str){payload->data + before, payload->size - before - behind};
    return true;
}

static const char *take_block(struct grpc_follow *follow, enum side side, uint8_t flags, struct str fields)
{
    struct sender *sender = &follow->senders[side];
    if (sender->block.size + fields.size > ANSWER_HEADERS_MAX)
        return "a connection with more fields than are read";
    buf_append_str(&sender->block, fields);
    return flags & FRAME_END_HEADERS ? take_fields(follow, side) : NULL;
}

/* A stream is reset. If the client does it, the answer is not waited for; what it asked is judged all the same. */
static void take_reset(struct grpc_follow *follow, struct followed_stream *stream, enum side side)
{
    stream->call.stream.outcome = OUTCOME_CLOSED;
    finish(follow, stream, side == SIDE_SERVER);
}

static const char *take_frame(struct grpc_follow *follow, enum side side, const unsigned char *head, struct str payload)
{
    static const char broken[] = "a connection on which one side does not send HTTP/2";
    struct sender *sender = &follow->senders[side];
    uint8_t kind = head[3], flags = head[4];
    int32_t id = (int32_t)frame_stream(head);
    struct followed_stream *stream = stream_of(follow, id);
    bool continues = kind == FRAME_CONTINUATION;
    if (continues != (sender->block_stream != 0) || (continues && id != sender->block_stream))
        return broken;
    if ((kind == FRAME_DATA || kind == FRAME_HEADERS) && (!strip(&payload, kind, flags) || id == 0))
        return broken;
    switch (kind) {
    case FRAME_HEADERS:
        sender->block_stream = id;
        sender->block_ends = flags & FRAME_END_STREAM;
        return take_block(follow, side, flags, payload);
    case FRAME_CONTINUATION:
        return take_block(follow, side, flags, payload);
    case FRAME_PUSH_PROMISE:
        return "a connection on which the server pushes, which gRPC never does";
    case FRAME_SETTINGS:
        return take_settings(follow, side, flags, payload);
    case FRAME_RST_STREAM:
        if (stream)
            take_reset(follow, stream, side);
        return NULL;
    case FRAME_DATA:
        if (stream)
            take_data(follow, stream, side, payload);
        if (stream && flags & FRAME_END_STREAM)
            end_stream(follow, stream, side);
        return NULL;
    default:
        return NULL;
    }
}

static const char *take(void *reader, enum side side, struct str bytes)
{
    struct grpc_follow *follow = reader;
    struct sender *sender = &follow->senders[side];
    const char *why_not = NULL;
    buf_append_str(&sender->in, bytes);
    struct str rest = buf_str(&sender->in);
    if (!rest.data)
        return NULL;
    if (!sender->is_greeted) {
        if (memcmp(rest.data, PREFACE.data, rest.size < PREFACE.size ? rest.size : PREFACE.size) != 0)
            return "a connection on which a client does not speak HTTP/2 (or speaks it over TLS)";
        if (rest.size < PREFACE.size)
            return NULL;
        sender->is_greeted = true;
        rest = str_from(rest, PREFACE.size);
    }
    while (!why_not && rest.size >= FRAME_HEAD) {
        const unsigned char *head = (const unsigned char *)rest.data;
        size_t size = frame_size(head);
        if (rest.size - FRAME_HEAD < size)
            break;
        why_not = take_frame(follow, side, head, (struct str){rest.data + FRAME_HEAD, size});
        rest = str_from(rest, FRAME_HEAD + size);
    }
    if (rest.size)
        memmove(sender->in.data, rest.data, rest.size);
    sender->in.size = rest.size;
    return why_not;
}

const struct reader grpc_reader = {create, take, destroy};
