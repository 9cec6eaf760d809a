#include "judge/transcript.h"

#include "client/tcp.h"
#include "judge/bytes_text.h"
#include "judge/frame_text.h"
#include "judge/sent.h"
#include "notation/json_text.h"
#include "notation/schemas.h"
#include "protocols/protocol.h"
#include "support/printable.h"
#include "support/wrap.h"

#define SHOWN     4000 /* bytes of a body or a message */
#define HEX_SHOWN 256

/* What is written, and what for. */
struct transcript {
    const struct client_options *options;
    const struct play *play;
    struct arena *arena;
    struct buf *out;
    bool teaches; /* lines are broken, and bytes stand beside what they mean */
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
    struct buf line = {0};
    struct transcript whole = *t;
    whole.out = &line;
    append_text(&whole, name);
    buf_append_str(&line, str_of(between));
    append_text(&whole, value);
    buf_printf(t->out, "%s ", mark);
    if (t->teaches)
        append_wrapped(t->out, buf_str(&line), strlen(mark) + 1);
    else
        buf_append_str(t->out, buf_str(&line));
    buf_append_byte(t->out, '\n');
    buf_free(&line);
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

/* Returns the size of the JSON object that the bytes begin with; 0 if they begin with none. */
static size_t json_size(struct str bytes)
{
    size_t depth = 0;
    bool in_text = false;
    for (size_t i = 0; i < bytes.size && bytes.data[0] == '{'; i++) {
        char c = bytes.data[i];
        if (c == '"')
            in_text = !in_text;
        else if (in_text && c == '\\')
            i++;
        else if (!in_text && strchr("{}", c) && c)
            depth += c == '{' ? 1 : (size_t)-1;
        if (depth == 0)
            return i + 1;
    }
    return 0;
}

/* Replaces each text that is no text by its number of bytes: the bytes follow below the message. */
static void hide_bytes(struct tree *tree, struct arena *arena)
{
    if (tree->type == TREE_STRING && printable_prefix(tree->text) < tree->text.size)
        tree->text = arena_printf(arena, "%zu bytes", tree->text.size);
    for (struct tree *child = tree->first; child; child = child->next)
        hide_bytes(child, arena);
}

/* Returns of a message what is taught of it beside its bytes: a text, and the fields of protobuf, tell it all. */
static const struct tree *taught_message(const struct transcript *t, const struct tree *message)
{
    struct tree *copy = tree_copy(t->arena, message);
    hide_bytes(copy, t->arena);
    return copy;
}

/* Appends the bytes that are no text, with what they mean, if the type of their message is known (else NULL). A message
 * that is longer than a person reads is told as bytes. */
static void append_taught(const struct transcript *t, const char *mark, struct str bytes,
                          const ProtobufCMessageDescriptor *type)
{
    const char *begin = arena_printf(t->arena, "%s   ", mark).data;
    struct str first = {bytes.data, bytes.size < SHOWN ? bytes.size : SHOWN};
    struct str shown = secrets_hide(t->options->secrets, first, t->arena);
    buf_printf(t->out, "%s %zu bytes:\n", mark, bytes.size);
    if (type && first.size == bytes.size)
        bytes_text_message(type, shown, begin, t->arena, t->out);
    else
        bytes_text(shown.data == first.data ? bytes : shown, begin, t->out);
}

static bool is_text(struct str bytes)
{
    return str_is_utf8(bytes) && !str_has(bytes, '\0');
}

/* Appends a text, if it is taught line by line. */
static void append_body(const struct transcript *t, const char *mark, struct str text)
{
    struct str rest = {text.data, text.size < SHOWN ? text.size : SHOWN};
    while (t->teaches && str_has(rest, '\n')) {
        struct str line = str_take(&rest, '\n');
        append_line(t, mark, line, "", STR(""));
        text = str_from(text, line.size + 1);
    }
    if (text.size || !t->teaches)
        append_line(t, mark, text, "", STR(""));
}

/* Appends bytes as text, or as what the message says that they are, or in hexadecimal digits; of what begins as text,
 * such as the JSON before binary tensors, only the rest in digits. `type`: of a protobuf message; or NULL. */
static void append_bytes(const struct transcript *t, const char *mark, struct str bytes, const struct tree *message,
                         const ProtobufCMessageDescriptor *type)
{
    bool plain = is_text(bytes) && !type;
    size_t head = json_size(bytes);
    if (!head && bytes.size && bytes.data[0] == '{')
        head = printable_prefix(bytes);
    if (message && t->teaches)
        message = plain || type ? NULL : taught_message(t, message);
    if (message)
        append_tree(t, mark, message);
    else if (plain || head)
        append_body(t, mark, (struct str){bytes.data, plain ? bytes.size : head});
    if (t->teaches && !plain)
        append_taught(t, mark, str_from(bytes, message ? 0 : head), type);
    else if (!message && !plain)
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

static void append_headers(const struct transcript *t, const char *mark, const struct header_list *headers)
{
    for (size_t i = 0; i < headers->count; i++)
        append_line(t, mark, headers->entries[i].name, ": ", headers->entries[i].value);
}

/* --- What was sent --- */

static void append_http_request(const struct transcript *t, const struct request *request)
{
    const struct protocol *protocol = protocol_named(t->play->group->profile->protocol);
    struct str version = request->http_version.size ? request->http_version : STR("HTTP/1.1");
    struct str line =
        arena_printf(t->arena, "%.*s %.*s %.*s", STR_ARG(request->method), STR_ARG(request->path), STR_ARG(version));
    append_line(t, ">", line, "", STR(""));
    append_headers(t, ">", &request->headers);
    if (t->teaches && request->has_body && !headers_have(&request->headers, "Content-Length"))
        buf_printf(t->out, "> Content-Length: %zu\n", request->body.size);
    if (t->teaches && request->has_body)
        buf_append_literal(t->out, ">\n");
    if (request->has_body)
        append_bytes(t, ">", request->body,
                     protocol && protocol->request_of ? protocol->request_of(request->body, t->arena) : NULL, NULL);
}

/* Returns the type of the rpc's messages, if it is to be taught; else NULL. */
static const ProtobufCMessageDescriptor *type_of(const struct transcript *t, const struct request *request, bool input)
{
    const ProtobufCMethodDescriptor *method = t->teaches && request->rpc.size ? schema_rpc(request->rpc) : NULL;
    return !method ? NULL : input ? method->input : method->output;
}

static void append_request(const struct transcript *t, const struct request *request)
{
    const ProtobufCMessageDescriptor *type = type_of(t, request, true);
    for (size_t i = 0; i < request->write_count; i++)
        append_bytes(t, ">", tcp_shown(t->options, request->writes[i], t->arena), NULL, NULL);
    if (request->http2_raw) {
        append_frames(t, ">", request->preface);
        append_frames(t, ">", request->message);
    } else if (request->method.size) {
        append_http_request(t, request);
    } else if (request->rpc.size) {
        append_line(t, ">", request->rpc, "", STR(""));
        append_headers(t, ">", &request->metadata);
        if (!request->streams)
            append_bytes(t, ">", request->message, sent_message(request, request->message, t->arena), type);
        for (size_t i = 0; i < request->message_count; i++)
            append_bytes(t, ">", request->messages[i], sent_message(request, request->messages[i], t->arena), type);
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
    append_headers(t, "<", &answer->headers);
    if (answer->body.size && t->teaches)
        buf_append_literal(t->out, "<\n");
    if (answer->body.size)
        append_bytes(t, "<", answer->body, tree_member(exchange->tree, "message"), NULL);
    append_headers(t, "<", &answer->trailers);
}

/* The answer to a call that brought its own frames, as HTTP/2 has it: it may be none of gRPC. */
static void append_framed_answer(const struct transcript *t, const struct exchange *exchange)
{
    const struct answer *answer = &exchange->answer;
    append_status(t, answer->status);
    append_headers(t, "<", &answer->headers);
    if (answer->has_message)
        append_bytes(t, "<", answer->message, tree_member(exchange->tree, "message"), NULL);
    else if (answer->body.size)
        append_bytes(t, "<", answer->body, NULL, NULL);
    append_headers(t, "<", &answer->end_fields);
}

static void append_code(const struct transcript *t, const struct answer *answer)
{
    const char *code = status_code_name((enum status_code)answer->code);
    append_line(t, "<", str_of(code ? code : "unknown code"), answer->details.size ? ": " : "", answer->details);
    append_headers(t, "<", &answer->trailers);
}

static void append_grpc_answer(const struct transcript *t, const struct exchange *exchange)
{
    const struct answer *answer = &exchange->answer;
    if (answer->has_message)
        append_bytes(t, "<", answer->message, tree_member(exchange->tree, "message"),
                     type_of(t, &exchange->request, false));
    FOR_EACH_IN(one, tree_first(tree_member(exchange->tree, "messages")))
        append_tree(t, "<", one);
    if (answer->open)
        buf_append_literal(t->out, "< the stream goes on\n");
    else if (answer->outcome == OUTCOME_ANSWERED)
        append_code(t, answer);
}

/* Appends the tensors of an answer of which bytes alone were told. */
static void append_outputs(const struct transcript *t, const struct exchange *exchange)
{
    const struct tree *outputs = tree_member(exchange->tree, "outputs");
    struct buf text = {0};
    bool is_text_body = !exchange->request.rpc.size && is_text(exchange->answer.body);
    if (!t->teaches || !outputs || is_text_body)
        return;
    buf_append_literal(&text, "the outputs are ");
    json_text(outputs, &text);
    append_line(t, "<", buf_str(&text), "", STR(""));
    buf_free(&text);
}

/* What came, also of an answer that breaks off, or is none. */
static void append_answer(const struct transcript *t, const struct exchange *exchange)
{
    const struct answer *answer = &exchange->answer;
    if (exchange->request.http2_raw)
        append_frames(t, "<", answer->came);
    else if (answer->came.size)
        append_bytes(t, "<", answer->came, NULL, NULL);
    else if (exchange->request.framed && answer->status)
        append_framed_answer(t, exchange);
    else if (answer->status)
        append_http_answer(t, exchange);
    else if (exchange->request.rpc.size)
        append_grpc_answer(t, exchange);
    append_outputs(t, exchange);
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
    const struct transcript transcript = {options, play, arena, out, false};
    buf_append_literal(out, "\n");
    append_text(&transcript, play->id);
    buf_printf(out, " (%.3f s)\n", exchange->answer.seconds);
    append_request(&transcript, &exchange->request);
    append_answer(&transcript, exchange);
}

void transcript_print(const struct client_options *options, const struct play *play, const struct exchange *exchange,
                      FILE *file)
{
    struct arena arena = memory_arena();
    struct buf text = {0};
    transcript_append(options, play, exchange, &arena, &text);
    fwrite(text.data, 1, text.size, file);
    buf_free(&text);
    arena_free(&arena);
}

void transcript_teach(const struct client_options *options, const struct play *play, const struct exchange *exchange,
                      struct arena *arena, struct buf *out)
{
    const struct transcript transcript = {options, play, arena, out, true};
    append_request(&transcript, &exchange->request);
    append_answer(&transcript, exchange);
}
