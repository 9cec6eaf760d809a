#include "judge/transcript.h"

#include "client/tcp.h"
#include "judge/frame_text.h"
#include "judge/sent.h"
#include "notation/json_text.h"
#include "protocols/protocol.h"
#include "support/printable.h"

#define SHOWN     4000 /* bytes of a body or a message */
#define HEX_SHOWN 256

/* What is written, and what for. */
struct transcript {
    const struct client_options *options;
    const struct play *play;
    struct arena *arena;
    struct buf *out;
};

/* --- Parts --- */

/* Appends the beginning of a text. Secrets are hidden in that alone, because the text may be very long; what the end
 * leaves of one is found, too. */
static void append_text(const struct transcript *t, struct str text)
{
    struct str begin = {text.data, text.size < SHOWN ? text.size : SHOWN};
    struct str shown = secrets_hide(t->options->secrets, begin, t->arena);
    bool is_whole = begin.data == shown.data;
    append_printable(t->out, is_whole ? text : shown, SHOWN);
    if (!is_whole && begin.size < text.size)
        buf_append_literal(t->out, "...");
}

static void append_line(const struct transcript *t, const char *mark, struct str name, const char *between,
                        struct str value)
{
    buf_printf(t->out, "%s ", mark);
    append_text(t, name);
    buf_append_str(t->out, str_of(between));
    append_text(t, value);
    buf_append_byte(t->out, '\n');
}

static void append_tree(const struct transcript *t, const char *mark, const struct tree *tree)
{
    struct buf text = {0};
    json_text(tree, &text);
    append_line(t, mark, buf_str(&text), "", STR(""));
    buf_free(&text);
}

static void append_digits(const struct transcript *t, const char *mark, struct str bytes)
{
    struct str begin = {bytes.data, bytes.size < HEX_SHOWN ? bytes.size : HEX_SHOWN};
    buf_printf(t->out, "%s %zu bytes:", mark, bytes.size);
    begin = secrets_hide(t->options->secrets, begin, t->arena);
    for (size_t i = 0; i < begin.size; i++)
        buf_printf(t->out, "%s%02x", i % 4 ? "" : " ", (unsigned char)begin.data[i]);
    buf_append_str(t->out, bytes.size > HEX_SHOWN ? STR(" ...\n") : STR("\n"));
}

/* Appends bytes as text, or as what the message says that they are, or in hexadecimal digits; of what begins as text,
 * such as the JSON before binary tensors, only the rest in digits. */
static void append_bytes(const struct transcript *t, const char *mark, struct str bytes, const struct tree *message)
{
    bool is_text = str_is_utf8(bytes) && !(bytes.size && memchr(bytes.data, '\0', bytes.size));
    size_t head = bytes.size && bytes.data[0] == '{' ? printable_prefix(bytes) : 0;
    if (message)
        append_tree(t, mark, message);
    else if (is_text || head)
        append_line(t, mark, (struct str){bytes.data, is_text ? bytes.size : head}, "", STR(""));
    if (!message && !is_text)
        append_digits(t, mark, str_from(bytes, head));
}

/* Appends frames of HTTP/2, a line each. Secrets are hidden in the lines: the frames' lengths must stay. */
static void append_frames(const struct transcript *t, const char *mark, struct str bytes)
{
    struct buf lines = {0};
    frame_text_append(bytes, arena_printf(t->arena, "%s ", mark).data, "\n", &lines);
    buf_append_str(t->out, secrets_hide(t->options->secrets, buf_str(&lines), t->arena));
    buf_free(&lines);
}

static void append_headers(const struct transcript *t, const char *mark, const struct header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        append_line(t, mark, headers[i].name, ": ", headers[i].value);
}

/* --- What was sent --- */

static void append_http_request(const struct transcript *t, const struct request *request)
{
    const struct protocol *protocol = protocol_named(t->play->group->profile->protocol);
    struct str version = request->http_version.size ? request->http_version : STR("HTTP/1.1");
    struct str line =
        arena_printf(t->arena, "%.*s %.*s %.*s", STR_ARG(request->method), STR_ARG(request->path), STR_ARG(version));
    append_line(t, ">", line, "", STR(""));
    append_headers(t, ">", request->headers, request->header_count);
    if (request->has_body)
        append_bytes(t, ">", request->body,
                     protocol && protocol->request_of ? protocol->request_of(request->body, t->arena) : NULL);
}

static void append_request(const struct transcript *t, const struct request *request)
{
    for (size_t i = 0; i < request->write_count; i++)
        append_bytes(t, ">", tcp_shown(t->options, request->writes[i], t->arena), NULL);
    if (request->http2_raw) {
        append_frames(t, ">", request->preface);
        append_frames(t, ">", request->message);
    } else if (request->method.size) {
        append_http_request(t, request);
    } else if (request->rpc.size) {
        append_line(t, ">", request->rpc, "", STR(""));
        append_headers(t, ">", request->metadata, request->metadata_count);
        if (!request->streams)
            append_bytes(t, ">", request->message, sent_message(request, request->message, t->arena));
        for (size_t i = 0; i < request->message_count; i++)
            append_bytes(t, ">", request->messages[i], sent_message(request, request->messages[i], t->arena));
    }
}

/* --- What came --- */

static void append_status(const struct transcript *t, int status)
{
    buf_printf(t->out, "< HTTP %d\n", status);
}

static void append_http_answer(const struct transcript *t, const struct exchange *exchange)
{
    const struct answer *answer = &exchange->answer;
    append_status(t, answer->status);
    append_headers(t, "<", answer->headers, answer->header_count);
    if (answer->body.size)
        append_bytes(t, "<", answer->body, tree_member(exchange->tree, "message"));
    append_headers(t, "<", answer->trailers, answer->trailer_count);
}

/* The answer to a call that brought its own frames, as HTTP/2 has it: it may be none of gRPC. */
static void append_framed_answer(const struct transcript *t, const struct exchange *exchange)
{
    const struct answer *answer = &exchange->answer;
    append_status(t, answer->status);
    append_headers(t, "<", answer->headers, answer->header_count);
    if (answer->has_message)
        append_bytes(t, "<", answer->message, tree_member(exchange->tree, "message"));
    else if (answer->body.size)
        append_bytes(t, "<", answer->body, NULL);
    append_headers(t, "<", answer->end_fields, answer->end_field_count);
}

static void append_code(const struct transcript *t, const struct answer *answer)
{
    const char *code = status_code_name((enum status_code)answer->code);
    buf_printf(t->out, "< %s", code ? code : "unknown code");
    append_line(t, "", answer->details.size ? STR(":") : STR(""), " ", answer->details);
    append_headers(t, "<", answer->trailers, answer->trailer_count);
}

static void append_grpc_answer(const struct transcript *t, const struct exchange *exchange)
{
    const struct answer *answer = &exchange->answer;
    const struct tree *messages = tree_member(exchange->tree, "messages");
    if (answer->has_message)
        append_bytes(t, "<", answer->message, tree_member(exchange->tree, "message"));
    for (const struct tree *one = messages ? messages->first : NULL; one; one = one->next)
        append_tree(t, "<", one);
    if (answer->open)
        buf_append_literal(t->out, "< the stream goes on\n");
    else if (answer->outcome == OUTCOME_ANSWERED)
        append_code(t, answer);
}

/* What came, also of an answer that breaks off, or is none. */
static void append_answer(const struct transcript *t, const struct exchange *exchange)
{
    const struct answer *answer = &exchange->answer;
    if (exchange->request.http2_raw)
        append_frames(t, "<", answer->came);
    else if (answer->came.size)
        append_bytes(t, "<", answer->came, NULL);
    else if (exchange->request.framed && answer->status)
        append_framed_answer(t, exchange);
    else if (answer->status)
        append_http_answer(t, exchange);
    else if (exchange->request.rpc.size)
        append_grpc_answer(t, exchange);
    if (answer->outcome != OUTCOME_ANSWERED)
        append_line(t, "<", answer->trouble.size ? answer->trouble : STR("no answer"), "", STR(""));
    if (answer->closed)
        buf_append_literal(t->out, "< the connection was closed\n");
    if (exchange->trouble.size)
        append_line(t, "<", STR("which does not decode: "), "", exchange->trouble);
}

void transcript_append(const struct client_options *options, const struct play *play, const struct exchange *exchange,
                       struct arena *arena, struct buf *out)
{
    const struct transcript transcript = {options, play, arena, out};
    buf_append_literal(out, "\n");
    append_text(&transcript, play->id);
    buf_printf(out, " (%.3f s)\n", exchange->answer.seconds);
    append_request(&transcript, &exchange->request);
    append_answer(&transcript, exchange);
}
