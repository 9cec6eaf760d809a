/* Unary gRPC as HTTP/2 (the text "gRPC over HTTP2"): a POST whose body is the message behind a prefix of five bytes,
 * and an answer whose trailers hold grpc-status. It serves requests with wrong frames, which no gRPC library sends, and
 * the commands that send a request again. */
#include "base/count.h"
#include "client/inflate.h"
#include "client/transport.h"
#include <limits.h>

/* --- The request --- */

static void append_frame(struct buf *body, struct str message)
{
    buf_append_byte(body, 0);
    for (int i = 0; i < 4; i++)
        buf_append_byte(body, (char)(message.size >> (24 - 8 * i)));
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

struct status rpc_as_http(const struct request *request, struct arena *arena, struct request *http)
{
    struct header_list headers = {0};
    if (request->message.size > UINT_MAX)
        return status_no_memory();
    if (!headers_have(request->metadata, request->metadata_count, "content-type"))
        header_list_add(&headers, (struct header){STR("content-type"), STR("application/grpc")}, arena);
    if (!headers_have(request->metadata, request->metadata_count, "te"))
        header_list_add(&headers, (struct header){STR("te"), STR("trailers")}, arena);
    if (request->deadline > 0) {
        struct str timeout = arena_printf(arena, "%.0fm", request->deadline * 1000);
        header_list_add(&headers, (struct header){STR("grpc-timeout"), timeout}, arena);
    }
    struct str method = STR("POST");
    for (size_t i = 0; i < request->metadata_count; i++)
        if (str_is(request->metadata[i].name, ":method"))
            method = request->metadata[i].value;
        else
            header_list_add(&headers, request->metadata[i], arena);
    *http = (struct request){.method = method,
                             .path = request->rpc,
                             .http_version = STR("HTTP/2"),
                             .headers = headers.entries,
                             .header_count = headers.count,
                             .body = framed_body(request, arena),
                             .has_body = true};
    return STATUS_IS_OK;
}

/* --- The answer --- */

static void garbled(struct answer *answer, struct str trouble)
{
    answer->outcome = OUTCOME_GARBLED;
    answer->trouble = trouble;
}

/* Keeps all headers and trailers except those of the gRPC protocol itself. */
static void keep_metadata(struct answer *answer, const struct header_list *all, struct arena *arena)
{
    static const char *const protocol[] = {"content-type", "grpc-status", "grpc-message", "grpc-encoding",
                                           "grpc-accept-encoding"};
    struct header_list kept = {0};
    for (size_t i = 0; i < all->count; i++) {
        bool metadata = true;
        for (size_t k = 0; k < COUNT_OF(protocol); k++)
            metadata = metadata && !str_equal_ignoring_case(all->entries[i].name, str_of(protocol[k]));
        if (metadata)
            header_list_add(&kept, all->entries[i], arena);
    }
    answer->trailers = kept.entries;
    answer->trailer_count = kept.count;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static struct str percent_decoded(struct str s, struct arena *arena)
{
    char *text = arena_alloc(arena, s.size + 1);
    size_t size = 0;
    for (size_t i = 0; text != NULL && i < s.size; i++) {
        bool escape =
            s.data[i] == '%' && i + 2 < s.size && hex_digit(s.data[i + 1]) >= 0 && hex_digit(s.data[i + 2]) >= 0;
        text[size++] = escape ? (char)(hex_digit(s.data[i + 1]) * 16 + hex_digit(s.data[i + 2])) : s.data[i];
        i += escape ? 2 : 0;
    }
    return (struct str){text, size};
}

/* Reads the one message in the body. */
static void read_message(struct str body, struct str coding, size_t limit, struct arena *arena, struct answer *answer)
{
    if (body.size == 0)
        return;
    const unsigned char *prefix = (const unsigned char *)body.data;
    size_t size = 0;
    for (int i = 1; body.size >= MESSAGE_PREFIX && i < MESSAGE_PREFIX; i++)
        size = size << 8 | prefix[i];
    if (body.size < MESSAGE_PREFIX || prefix[0] > 1 || (!answer->truncated && size > body.size - MESSAGE_PREFIX)) {
        garbled(answer, arena_printf(arena, "%zu bytes that are no whole gRPC message", body.size));
        return;
    }
    answer->truncated = answer->truncated || size > limit;
    if (!answer->truncated && size < body.size - MESSAGE_PREFIX) {
        garbled(answer, STR("more than one message answers a unary call"));
        return;
    }
    answer->has_message = true;
    answer->is_coded = prefix[0] == 1;
    answer->message = str_from(body, MESSAGE_PREFIX);
    if (answer->is_coded && !answer->truncated)
        answer->message = inflate_message(answer->message, str_is(coding, "gzip"), limit, arena, answer);
}

static bool read_code(struct str text, int *code)
{
    unsigned long long value;
    if (!str_to_uint64(text, &value) || value > INT_MAX)
        return false;
    *code = (int)value;
    return true;
}

static void read_http(const struct client_options *options, const struct request *request, const struct answer *http,
                      struct arena *arena, struct answer *answer)
{
    struct header_list all = {0};
    for (size_t i = 0; i < http->header_count; i++)
        header_list_add(&all, http->headers[i], arena);
    for (size_t i = 0; i < http->trailer_count; i++)
        header_list_add(&all, http->trailers[i], arena);
    struct str status = header_value(&all, "grpc-status"), type = header_value(&all, "content-type");
    answer->status = http->status;
    answer->headers = http->headers;
    answer->header_count = http->header_count;
    answer->end_fields = http->trailers;
    answer->end_field_count = http->trailer_count;
    answer->has_http = http->outcome == OUTCOME_ANSWERED || http->outcome == OUTCOME_CLOSED;
    answer->body = http->body;
    answer->truncated = http->truncated;
    keep_metadata(answer, &all, arena);
    if (http->outcome == OUTCOME_TIMEOUT || (http->outcome != OUTCOME_ANSWERED && status.data == NULL)) {
        answer->outcome = http->outcome;
        answer->trouble = http->trouble;
        return;
    }
    answer->outcome = OUTCOME_ANSWERED; /* a server may reset the stream after it sent its status */
    answer->details = percent_decoded(header_value(&all, "grpc-message"), arena);
    if (status.data == NULL && http->status != 200)
        garbled(answer, arena_printf(arena, "HTTP status %d without a grpc-status", http->status));
    else if (!str_starts(type, STR("application/grpc")))
        garbled(answer, arena_printf(arena, "content-type '%s' is not gRPC's", str_printable(arena, type)));
    else if (status.data == NULL && !http->truncated)
        garbled(answer, STR("the stream ended without a grpc-status"));
    else if (status.data != NULL && !read_code(status, &answer->code))
        garbled(answer, arena_printf(arena, "grpc-status '%s' is no number", str_printable(arena, status)));
    else
        read_message(http->body, header_value(&all, "grpc-encoding"), answer_max(options, request), arena, answer);
}

void framed_exchange(struct http_client *client, const struct client_options *options, const struct request *request,
                     const struct header *extra, struct arena *arena, struct answer *answer)
{
    struct request post;
    struct answer http = {.outcome = OUTCOME_UNREACHABLE};
    if (!is_ok(rpc_as_http(request, arena, &post))) {
        garbled(answer, STR("gRPC cannot carry a message of that size"));
        return;
    }
    http_exchange(client, &post, extra, arena, &http);
    read_http(options, request, &http, arena, answer);
}
