#include "judge/transcript.h"

#include "judge/frame_text.h"
#include "judge/sent.h"
#include "notation/json_text.h"
#include "protocols/protocol.h"
#include "support/printable.h"

#define SHOWN     4000 /* bytes of a body or a message */
#define HEX_SHOWN 256

/* --- Parts --- */

static void append_line(struct buf *out, const char *mark, struct str name, const char *between, struct str value)
{
    buf_printf(out, "%s ", mark);
    append_printable(out, name, SHOWN);
    buf_append_str(out, str_of(between));
    append_printable(out, value, SHOWN);
    buf_append_byte(out, '\n');
}

static void append_tree(struct buf *out, const char *mark, const struct tree *tree)
{
    struct buf text = {0};
    json_text(tree, &text);
    append_line(out, mark, buf_str(&text), "", STR(""));
    buf_free(&text);
}

/* Appends bytes as text, or as what the message says that they are, or in hexadecimal digits. */
static void append_bytes(struct buf *out, const char *mark, struct str bytes, const struct tree *message)
{
    bool is_text = str_is_utf8(bytes) && !(bytes.size && memchr(bytes.data, '\0', bytes.size));
    if (message) {
        append_tree(out, mark, message);
    } else if (is_text) {
        append_line(out, mark, bytes, "", STR(""));
    } else {
        buf_printf(out, "%s %zu bytes:", mark, bytes.size);
        for (size_t i = 0; i < bytes.size && i < HEX_SHOWN; i++)
            buf_printf(out, "%s%02x", i % 4 ? "" : " ", (unsigned char)bytes.data[i]);
        buf_append_str(out, bytes.size > HEX_SHOWN ? STR(" ...\n") : STR("\n"));
    }
}

static void append_headers(struct buf *out, const char *mark, const struct header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        append_line(out, mark, headers[i].name, ": ", headers[i].value);
}

/* --- What was sent --- */

static void append_http_request(const struct play *play, const struct request *request, struct arena *arena,
                                struct buf *out)
{
    const struct protocol *protocol = protocol_named(play->group->profile->protocol);
    struct str version = request->http_version.size ? request->http_version : STR("HTTP/1.1");
    struct str line =
        arena_printf(arena, "%.*s %.*s %.*s", STR_ARG(request->method), STR_ARG(request->path), STR_ARG(version));
    append_line(out, ">", line, "", STR(""));
    append_headers(out, ">", request->headers, request->header_count);
    if (request->has_body)
        append_bytes(out, ">", request->body,
                     protocol && protocol->request_of ? protocol->request_of(request->body, arena) : NULL);
}

static void append_request(const struct play *play, const struct request *request, struct arena *arena, struct buf *out)
{
    for (size_t i = 0; i < request->write_count; i++)
        append_bytes(out, ">", request->writes[i], NULL);
    if (request->bare) {
        frame_text_append(request->preface, "> ", "\n", out);
        frame_text_append(request->message, "> ", "\n", out);
    } else if (request->method.size) {
        append_http_request(play, request, arena, out);
    } else if (request->rpc.size) {
        append_line(out, ">", request->rpc, "", STR(""));
        append_headers(out, ">", request->metadata, request->metadata_count);
        if (!request->streams)
            append_bytes(out, ">", request->message, sent_message(request, request->message, arena));
        for (size_t i = 0; i < request->message_count; i++)
            append_bytes(out, ">", request->messages[i], sent_message(request, request->messages[i], arena));
    }
}

/* --- What came --- */

static void append_status(struct buf *out, int status)
{
    buf_printf(out, "< HTTP %d\n", status);
}

static void append_http_answer(const struct exchange *exchange, struct buf *out)
{
    const struct answer *answer = &exchange->answer;
    append_status(out, answer->status);
    append_headers(out, "<", answer->headers, answer->header_count);
    if (answer->body.size)
        append_bytes(out, "<", answer->body, tree_member(exchange->tree, "message"));
    append_headers(out, "<", answer->trailers, answer->trailer_count);
}

/* The answer to a call that brought its own frames, as HTTP/2 has it: it may be none of gRPC. */
static void append_framed_answer(const struct exchange *exchange, struct buf *out)
{
    const struct answer *answer = &exchange->answer;
    append_status(out, answer->status);
    append_headers(out, "<", answer->headers, answer->header_count);
    if (answer->has_message)
        append_bytes(out, "<", answer->message, tree_member(exchange->tree, "message"));
    else if (answer->body.size)
        append_bytes(out, "<", answer->body, NULL);
    append_headers(out, "<", answer->end_fields, answer->end_field_count);
}

static void append_code(const struct answer *answer, struct buf *out)
{
    const char *code = status_code_name((enum status_code)answer->code);
    buf_printf(out, "< %s%s", code ? code : "unknown code", answer->details.size ? ": " : "");
    append_printable(out, answer->details, SHOWN);
    buf_append_byte(out, '\n');
    append_headers(out, "<", answer->trailers, answer->trailer_count);
}

static void append_grpc_answer(const struct exchange *exchange, struct buf *out)
{
    const struct answer *answer = &exchange->answer;
    const struct tree *messages = tree_member(exchange->tree, "messages");
    if (answer->has_message)
        append_bytes(out, "<", answer->message, tree_member(exchange->tree, "message"));
    for (const struct tree *one = messages ? messages->first : NULL; one; one = one->next)
        append_tree(out, "<", one);
    if (answer->open)
        buf_append_literal(out, "< the stream goes on\n");
    else if (answer->outcome == OUTCOME_ANSWERED)
        append_code(answer, out);
}

/* What came, also of an answer that breaks off, or is none. */
static void append_answer(const struct exchange *exchange, struct buf *out)
{
    const struct answer *answer = &exchange->answer;
    if (exchange->request.bare)
        frame_text_append(answer->came, "< ", "\n", out);
    else if (answer->came.size)
        append_bytes(out, "<", answer->came, NULL);
    else if (exchange->request.framed && answer->status)
        append_framed_answer(exchange, out);
    else if (answer->status)
        append_http_answer(exchange, out);
    else if (exchange->request.rpc.size)
        append_grpc_answer(exchange, out);
    if (answer->outcome != OUTCOME_ANSWERED)
        append_line(out, "<", answer->trouble.size ? answer->trouble : STR("no answer"), "", STR(""));
    if (answer->closed)
        buf_append_literal(out, "< the connection was closed\n");
    if (exchange->trouble.size)
        append_line(out, "<", STR("which does not decode: "), "", exchange->trouble);
}

void transcript_append(const struct play *play, const struct exchange *exchange, struct arena *arena, struct buf *out)
{
    buf_append_literal(out, "\n");
    append_printable(out, play->id, SHOWN);
    buf_printf(out, " (%.3f s)\n", exchange->answer.seconds);
    append_request(play, &exchange->request, arena, out);
    append_answer(exchange, out);
}
