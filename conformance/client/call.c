#include "client/call.h"

#include "base/search.h"
#include "base/status.h"
#include "client/inflate.h"
#include "support/seconds.h"
#include <curl/curl.h>
#include <limits.h>

/* --- The request --- */

static void write_prefix(size_t size, char prefix[MESSAGE_PREFIX])
{
    prefix[0] = 0;
    for (int i = 1; i < MESSAGE_PREFIX; i++)
        prefix[i] = (char)(size >> (32 - 8 * i));
}

static void append_frame(struct buf *body, struct str message)
{
    char prefix[MESSAGE_PREFIX];
    write_prefix(message.size, prefix);
    buf_append(body, prefix, sizeof prefix);
    buf_append_str(body, message);
}

/* Returns the whole request stream, frames included, in the arena. */
static struct str framed_body(const struct request *request, struct arena *arena)
{
    struct buf body = {0};
    if (request->framed)
        buf_append_str(&body, request->message);
    else if (!request->streams)
        append_frame(&body, request->message);
    for (size_t i = 0; i < request->message_count; i++)
        append_frame(&body, request->messages[i]);
    return arena_take(arena, &body);
}

/* Adds the fields of a request, except those whose names begin with ':'. A field of null value is left out. */
static void add_fields(const struct request *request, struct header_list *fields, struct arena *arena)
{
    const struct header known[] = {
        {STR("content-type"), STR("application/grpc")},
        {STR("te"), STR("trailers")},
        {STR("grpc-accept-encoding"), request->framed ? (struct str){0} : STR("identity,deflate,gzip")},
        {STR("grpc-timeout"),
         request->deadline > 0 ? arena_printf(arena, "%.0fm", request->deadline * 1000) : (struct str){0}},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i].value.data && !headers_have(&request->metadata, known[i].name.data))
            header_list_add(fields, known[i], arena);
    for (size_t i = 0; i < request->metadata.count; i++)
        if (!str_starts(request->metadata.entries[i].name, STR(":")))
            header_list_add(fields, request->metadata.entries[i], arena);
}

static struct str method_of(const struct request *request)
{
    return FIRST(i, request->metadata.count, str_is(request->metadata.entries[i].name, ":method"),
                 request->metadata.entries[i].value, STR("POST"));
}

struct request call_as_http(const struct request *request, struct arena *arena)
{
    struct request http = {.method = method_of(request),
                           .path = request->rpc,
                           .http_version = STR("HTTP/2"),
                           .body = framed_body(request, arena),
                           .has_body = true};
    add_fields(request, &http.headers, arena);
    return http;
}

/* Returns all fields that are sent. */
static struct header_list fields_of(const struct channel *channel, const struct request *request,
                                    const struct header *extra, struct arena *arena)
{
    const struct client_options *options = channel->options;
    const struct header pseudo[] = {
        {STR(":method"), method_of(request)},
        {STR(":scheme"), address_is_secure(options, channel->address) ? STR("https") : STR("http")},
        {STR(":authority"), address_authority(channel->address)},
        {STR(":path"), request->rpc},
    };
    struct header_list fields = {0};
    for (size_t i = 0; i < COUNT_OF(pseudo); i++)
        header_list_add(&fields, pseudo[i], arena);
    add_fields(request, &fields, arena);
    for (size_t i = 0; i < options->headers.count; i++) {
        struct header header = header_of_line(options->headers.items[i]);
        const char *name = arena_copy(arena, header.name).data;
        if (!headers_have(&request->metadata, name))
            header_list_add(&fields, header, arena);
    }
    if (extra != NULL)
        header_list_add(&fields, *extra, arena);
    return fields;
}

/* --- The call --- */

static void garbled(struct answer *answer, struct str trouble)
{
    answer->outcome = OUTCOME_GARBLED;
    answer->trouble = trouble;
}

bool call_begin(struct call *call, struct channel *channel, const struct request *request, const struct header *extra,
                size_t body_max, struct arena *arena, struct answer *answer)
{
    *call = (struct call){.stream = {.arena = arena, .body_max = body_max, .is_paced = request->streams},
                          .framed = request->framed,
                          .own_code = -1};
    if (request->message.size > UINT_MAX) {
        garbled(answer, STR("gRPC cannot carry a message of that size"));
        return false;
    }
    struct http2 *connection = channel_connection(channel, arena, answer);
    if (connection == NULL)
        return false;
    if (request->deadline > 0 && !request->framed) /* of these the server alone must see to it */
        call->deadline = seconds_now() + request->deadline;
    struct header_list fields = fields_of(channel, request, extra, arena);
    http2_begin(connection, &call->stream, &fields);
    return true;
}

void call_send(struct call *call, struct str message, bool last)
{
    write_prefix(message.size, call->prefix);
    struct str prefix = {call->prefix, call->framed ? 0 : MESSAGE_PREFIX};
    http2_send(&call->stream, prefix, message, last);
}

static void end_as(struct call *call, enum status_code code)
{
    if (call->stream.is_over)
        return;
    call->own_code = (int)code;
    http2_cancel(&call->stream, OUTCOME_ANSWERED, (struct str){0});
}

bool call_advance(struct call *call, double until)
{
    bool ends = call->deadline > 0 && call->deadline < until;
    if (http2_advance(&call->stream, ends ? call->deadline : until))
        return true;
    if (ends && seconds_now() >= call->deadline)
        end_as(call, STATUS_DEADLINE_EXCEEDED);
    return false;
}

void call_cancel(struct call *call)
{
    end_as(call, STATUS_CANCELLED);
}

/* --- The status --- */

/* Keeps all headers and trailers except those of the gRPC protocol itself. */
static void keep_metadata(struct answer *answer, const struct header_list *all, struct arena *arena)
{
    static const char *const protocol[] = {"content-type", "grpc-status", "grpc-message", "grpc-encoding",
                                           "grpc-accept-encoding"};
    FOR_EACH(field, all->entries, all->count)
        if (!ANY(k, COUNT_OF(protocol), str_equal_ignoring_case(field->name, str_of(protocol[k]))))
            header_list_add(&answer->trailers,
                            (struct header){arena_copy(arena, field->name), arena_copy(arena, field->value)}, arena);
}

static struct str percent_decoded(struct str s, struct arena *arena)
{
    int size;
    if (s.size == 0)
        return STR("");
    char *text = curl_easy_unescape(NULL, s.data, (int)s.size, &size);
    struct str decoded = arena_copy(arena, (struct str){text, (size_t)size});
    curl_free(text);
    return decoded;
}

static bool read_code(struct str text, int *code)
{
    unsigned long long value;
    if (!str_to_uint64(text, &value) || value > INT_MAX)
        return false;
    *code = (int)value;
    return true;
}

/* Whether the answer is none of gRPC. Beside a grpc-status, a wrong content-type counts only if the request was framed:
 * gRPC's own clients do not look at it. */
static bool is_foreign(const struct call *call, bool has_status)
{
    struct str type = header_value(&call->stream.headers, "content-type");
    bool is_typed = str_starts(type, STR("application/grpc"));
    return has_status ? call->framed && !is_typed : !is_typed || call->stream.status != 200;
}

/* Says what came instead of an answer of gRPC. */
static void note_other_answer(const struct call *call, struct arena *arena, struct answer *answer)
{
    struct str type = header_value(&call->stream.headers, "content-type");
    garbled(answer, arena_printf(arena, "HTTP status %d with the content-type '%s' is not an answer of gRPC",
                                 call->stream.status, str_printable(arena, type)));
}

void call_read_status(const struct call *call, struct arena *arena, struct answer *answer)
{
    const struct http2_stream *stream = &call->stream;
    struct header_list all = {0};
    for (size_t i = 0; i < stream->headers.count; i++)
        header_list_add(&all, stream->headers.entries[i], arena);
    for (size_t i = 0; i < stream->trailers.count; i++)
        header_list_add(&all, stream->trailers.entries[i], arena);
    struct str status = header_value(&all, "grpc-status");
    keep_metadata(answer, &all, arena);
    answer->outcome = stream->outcome;
    answer->trouble = arena_copy(arena, stream->trouble);
    if (call->own_code >= 0) {
        answer->code = call->own_code;
        answer->details = STR("the client ended the call");
        return;
    }
    bool may_be_whole = stream->outcome == OUTCOME_ANSWERED || stream->outcome == OUTCOME_CLOSED;
    if (!may_be_whole || (stream->outcome == OUTCOME_CLOSED && status.data == NULL))
        return;
    answer->outcome = OUTCOME_ANSWERED; /* a server may reset the stream after it sent its status */
    answer->details = percent_decoded(header_value(&all, "grpc-message"), arena);
    if (is_foreign(call, status.data != NULL))
        note_other_answer(call, arena, answer);
    else if (status.data == NULL)
        garbled(answer, STR("the answer has no grpc-status"));
    else if (!read_code(status, &answer->code))
        garbled(answer, arena_printf(arena, "grpc-status '%s' is not a number", str_printable(arena, status)));
}

/* --- Messages --- */

size_t call_read_message(const struct call *call, struct str bytes, size_t limit, struct arena *arena,
                         struct answer *answer)
{
    size_t size = 0;
    if (bytes.size > 0 && (unsigned char)bytes.data[0] > 1) {
        if (is_foreign(call, false))
            note_other_answer(call, arena, answer);
        else
            garbled(answer, arena_printf(arena, "what should be a message begins with the byte %d, not with 0 or 1",
                                         (unsigned char)bytes.data[0]));
        return 0;
    }
    for (size_t i = 1; i < MESSAGE_PREFIX && bytes.size >= MESSAGE_PREFIX; i++)
        size = size << 8 | (unsigned char)bytes.data[i];
    if (bytes.size < MESSAGE_PREFIX || (size <= limit && bytes.size - MESSAGE_PREFIX < size))
        return 0;
    answer->has_message = true;
    answer->is_coded = bytes.data[0] == 1;
    answer->truncated = size > limit;
    size_t came = bytes.size - MESSAGE_PREFIX;
    struct str message = {bytes.data + MESSAGE_PREFIX, size < came ? size : came};
    if (answer->is_coded && !answer->truncated) {
        struct str coding = header_value(&call->stream.headers, "grpc-encoding");
        answer->message = inflate_message(message, str_is(coding, "gzip"), limit, arena, answer);
    } else {
        size_t most = answer->truncated && limit > TRUNCATED_KEEPS ? TRUNCATED_KEEPS : limit;
        answer->message = arena_copy(arena, (struct str){message.data, message.size < most ? message.size : most});
    }
    return MESSAGE_PREFIX + message.size;
}
