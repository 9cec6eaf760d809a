/* What a handler sees of a request is what an independent parser sees. Streams of requests are made by chance, by the
 * grammar of HTTP and beside it, and sent in pieces. The handler answers with what it saw, and http-parser reads the
 * same bytes. The server may refuse what http-parser takes, but what it serves must be read alike, request by request;
 * so nothing of a body is ever served as a request. */
#include "base/search.h"
#include "http_socket.h"

#include <http_parser.h>
#include <stdlib.h>

#define CONNECTIONS 4000
#define MESSAGES    16

static struct http_server *server;

/* --- The server: its answer is what it saw --- */

static void handle(struct http_request *request)
{
    struct str body;
    struct status status = http_read_body(request, &body);
    if (!is_ok(status)) {
        http_answer(request, 400, "text/plain");
        return;
    }
    buf_printf(&request->answer_buf, "%.*s %.*s", STR_ARG(request->method), STR_ARG(request->target));
    if (request->query.data)
        buf_printf(&request->answer_buf, "?%.*s", STR_ARG(request->query));
    for (size_t i = 0; i < request->header_count; i++)
        buf_printf(&request->answer_buf, "\n%.*s: %.*s", STR_ARG(request->headers[i].name),
                   STR_ARG(request->headers[i].value));
    buf_append_literal(&request->answer_buf, "\n\n");
    buf_append_str(&request->answer_buf, body);
    http_answer(request, 200, "text/plain");
}

static const struct http_service echo = {
    .listener = "http", .prefix = "", .profile = "x", .handle = handle, .write_refusal = write_refusal};

static int start(void **state)
{
    static const struct http_listener listener = {"http", "127.0.0.1:0"};
    static const struct http_mount mount = {&echo, NULL};
    static const struct http_options options = {.listeners = &listener,
                                                .listener_count = 1,
                                                .mounts = &mount,
                                                .mount_count = 1,
                                                .threads = 4,
                                                .waiting = 16,
                                                .max_message = 100000,
                                                .memory = 10000000,
                                                .body_timeout = 20,
                                                .idle_timeout = 20};
    make_arena(state);
    return is_ok(http_start(&options, &arena, &server)) ? 0 : -1;
}

static int tear_down(void **state)
{
    http_stop(server);
    return drop_arena(state);
}

/* --- http-parser, for requests and for answers --- */

struct message {
    struct buf text; /* "METHOD TARGET\nNAME: VALUE\n...\n\nBODY" of a request; the body of an answer */
    unsigned status;
};

struct messages {
    struct message list[MESSAGES];
    size_t count;            /* those that are complete */
    bool in_value, has_head; /* of the one that is read; what comes after its head is no field of it, but a trailer */
    struct buf value;
};

static struct message *current(http_parser *parser)
{
    struct messages *messages = parser->data;
    return &messages->list[messages->count];
}

static void end_value(struct messages *messages, struct buf *text)
{
    struct buf *value = &messages->value;
    while (value->size && strchr(" \t", value->data[value->size - 1]))
        value->size--;
    if (messages->in_value)
        buf_append_str(text, buf_str(value));
    buf_clear(value);
    messages->in_value = false;
}

static int on_url(http_parser *parser, const char *at, size_t size)
{
    struct buf *text = &current(parser)->text;
    if (!text->size)
        buf_printf(text, "%s ", http_method_str((enum http_method)parser->method));
    buf_append(text, at, size);
    return 0;
}

static int on_name(http_parser *parser, const char *at, size_t size)
{
    struct messages *messages = parser->data;
    struct buf *text = &current(parser)->text;
    if (parser->type == HTTP_RESPONSE || messages->has_head)
        return 0;
    bool begins = messages->in_value || !memchr(text->data, '\n', text->size);
    end_value(messages, text);
    if (begins)
        buf_append_byte(text, '\n');
    buf_append(text, at, size);
    return 0;
}

static int on_value(http_parser *parser, const char *at, size_t size)
{
    struct messages *messages = parser->data;
    if (parser->type == HTTP_RESPONSE || messages->has_head)
        return 0;
    if (!messages->in_value)
        buf_append_literal(&current(parser)->text, ": ");
    messages->in_value = true;
    buf_append(&messages->value, at, size);
    return 0;
}

static int on_head_end(http_parser *parser)
{
    struct message *message = current(parser);
    struct messages *messages = parser->data;
    end_value(messages, &message->text);
    messages->has_head = true;
    message->status = parser->status_code;
    if (parser->type == HTTP_REQUEST)
        buf_append_literal(&message->text, "\n\n");
    return 0;
}

static int on_body(http_parser *parser, const char *at, size_t size)
{
    buf_append(&current(parser)->text, at, size);
    return 0;
}

static int on_end(http_parser *parser)
{
    struct messages *messages = parser->data;
    messages->count++;
    messages->has_head = false;
    return messages->count == MESSAGES - 1; /* a fault: no stream has so many */
}

static void read_messages(struct str bytes, enum http_parser_type type, struct messages *messages)
{
    static const http_parser_settings settings = {.on_url = on_url,
                                                  .on_header_field = on_name,
                                                  .on_header_value = on_value,
                                                  .on_headers_complete = on_head_end,
                                                  .on_body = on_body,
                                                  .on_message_complete = on_end};
    http_parser parser = {.data = messages};
    *messages = (struct messages){0};
    http_parser_init(&parser, type);
    http_parser_execute(&parser, &settings, bytes.data, bytes.size);
}

static void free_messages(struct messages *messages)
{
    for (size_t i = 0; i < MESSAGES; i++)
        buf_free(&messages->list[i].text);
    buf_free(&messages->value);
}

/* --- Requests by chance --- */

static uint64_t chance;

static unsigned upto(unsigned most)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (unsigned)(chance >> 33) % (most + 1);
}

static bool one_in(unsigned count)
{
    return upto(count - 1) == 0;
}

#define ONE_OF(texts) (texts)[upto(COUNT_OF(texts) - 1)]

static void add(struct buf *out, const char *text)
{
    buf_append_str(out, str_of(text));
}

static const char *line_end(void)
{
    return one_in(40) ? "\n" : "\r\n";
}

static void add_text(struct buf *out, const char *letters, unsigned most)
{
    for (unsigned left = upto(most); left > 0; left--)
        buf_append_byte(out, letters[upto((unsigned)strlen(letters) - 1)]);
}

static void add_target(struct buf *out)
{
    static const char *const begins[] = {"/", "/echo", "/echo/", "/%2e/", "/a//b", "http://x/", "/..", "*"};
    add(out, ONE_OF(begins));
    add_text(out, "abcXYZ019-._~!$&'()+,;=:@%", 12);
    if (one_in(3)) {
        add(out, "?");
        add_text(out, "abc=&%20?/", 10);
    }
}

static void add_field(struct buf *out)
{
    static const char *const blanks[] = {" ", "", "  "};
    static const char *const ends[] = {"", " ", "  "};
    add(out, "X-");
    add_text(out, "abcXYZ019-_!#$%&'*+.^`|~", 10);
    add(out, ":");
    add(out, ONE_OF(blanks));
    add_text(out, "abc XYZ 019 \"(),/:;<=>?@[]{}", 30);
    add(out, ONE_OF(ends));
    add(out, line_end());
}

static void add_body(struct buf *out)
{
    static const char hidden[] = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    if (one_in(2))
        add(out, hidden);
    else
        add_text(out, "0123456789abcdef\r\n{}: ", 60);
}

static void add_chunks(struct buf *out)
{
    for (unsigned left = upto(3); left > 0; left--) {
        struct buf data = {0};
        add_body(&data);
        if (data.size)
            buf_printf(out, one_in(3) ? "%zX" : one_in(5) ? "000%zx" : "%zx", data.size);
        if (data.size) {
            add(out, "\r\n");
            buf_append_str(out, buf_str(&data));
            add(out, "\r\n");
        }
        buf_free(&data);
    }
    add(out, "0\r\n");
    if (one_in(4))
        add(out, "X-Trailer: 1\r\n");
    add(out, "\r\n");
}

static void add_framing(struct buf *out)
{
    static const char *const codings[] = {"chunked", "Chunked", "chunked ", "gzip, chunked", "identity", "xchunked"};
    struct buf body = {0};
    unsigned kind = upto(7);
    add_body(&body);
    if (kind == 0) {
        buf_printf(out, "Transfer-Encoding: %s\r\n", ONE_OF(codings));
    } else if (kind < 5) {
        static const char *const names[] = {"Content-Length: ", "content-length:", "Content-Length:  "};
        buf_printf(out, "%s%s%zu%s", ONE_OF(names), one_in(12) ? "0" : one_in(30) ? "+" : "", body.size, line_end());
        if (one_in(12))
            buf_printf(out, "Content-Length: %zu\r\n", body.size + 1); /* the same twice is refused by http-parser */
        if (one_in(12))
            add(out, "Transfer-Encoding: chunked\r\n");
    }
    if (one_in(2))
        add_field(out);
    add(out, line_end());
    if (kind == 0)
        add_chunks(out);
    else if (kind < 5)
        buf_append_str(out, buf_str(&body));
    buf_free(&body);
}

static void add_request(struct buf *out)
{
    static const char *const before[] = {"\r\n", "\n", "\r\n\r\n", "\n\n", " "};
    static const char *const methods[] = {"GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get", "NOSUCH"};
    static const char *const versions[] = {"HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/1.1 ", "http/1.1"};
    if (one_in(6))
        add(out, ONE_OF(before));
    add(out, one_in(5) ? ONE_OF(methods) : one_in(2) ? "GET" : "POST");
    add(out, one_in(40) ? "  " : " ");
    add_target(out);
    buf_printf(out, " %s\r\n", one_in(15) ? ONE_OF(versions) : "HTTP/1.1");
    if (!one_in(15))
        buf_printf(out, "Host: x%s", line_end());
    for (unsigned left = upto(3); left > 0; left--)
        add_field(out);
    if (one_in(10))
        add(out, one_in(2) ? "Connection: close\r\n" : "Connection: keep-alive\r\n");
    add_framing(out);
}

/* civetweb takes any blanks for the end of a request line, and reads over what is in trailers (SPEC_NOTES.md). */
static bool is_left_alone(const struct buf *out, size_t at)
{
    const char *start = memrchr(out->data, '\n', at), *end = memchr(out->data + at, '\n', out->size - at);
    start = start ? start + 1 : out->data;
    bool ends_request_line =
        memmem(start, (size_t)(out->data + at - start), " HTTP/", 6) && strchr("\r\n", out->data[at]);
    const char *before = start - out->data > 1 ? memrchr(out->data, '\n', (size_t)(start - 1 - out->data)) : NULL;
    before = before ? before + 1 : out->data;
    bool in_trailers = before[0] == '0' || memcmp(before, "X-Tr", 4) == 0 || (end && memcmp(start, "X-Tr", 4) == 0);
    return ends_request_line || in_trailers;
}

/* Changes or drops a byte. */
static void spoil(struct buf *out)
{
    static const char strange[] = "\r\n \t:\0,;\x7f\xff"
                                  "0aA";
    size_t at = upto((unsigned)out->size - 1);
    if (is_left_alone(out, at))
        return;
    if (one_in(3)) {
        memmove(out->data + at, out->data + at + 1, out->size - at - 1);
        out->size--;
    } else {
        out->data[at] = strange[upto(sizeof(strange) - 2)];
    }
}

/* --- Both readings --- */

/* Sends the bytes in pieces, and returns all that is answered. */
static struct buf exchange(struct str bytes)
{
    int fd = connect_to(http_port(server, "http"));
    unsigned longest = one_in(3) ? 5 : 400;
    for (size_t at = 0; at < bytes.size;) {
        size_t size = 1 + upto(longest);
        size = size < bytes.size - at ? size : bytes.size - at;
        if (send(fd, bytes.data + at, size, MSG_NOSIGNAL) < 0)
            break; /* the server has closed */
        at += size;
        if (one_in(40))
            usleep(500);
    }
    shutdown(fd, SHUT_WR);
    return receive_all(fd);
}

static void add_shown(struct buf *out, struct str bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char c = (unsigned char)bytes.data[i];
        buf_printf(out, c == '\n' ? "\\n\n" : c < ' ' || c > '~' ? "\\x%02x" : "%c", c);
    }
    buf_append_byte(out, '\0');
}

static void fail_with(struct str bytes, size_t which, struct str seen, struct str wanted)
{
    struct buf shown[3] = {{0}};
    add_shown(&shown[0], bytes);
    add_shown(&shown[1], seen);
    add_shown(&shown[2], wanted.data ? wanted : STR("no request"));
    print_message("request %zu of\n%s\n--- was seen as\n%s\n--- instead of\n%s\n", which, shown[0].data, shown[1].data,
                  shown[2].data);
    fail();
}

/* Returns how many requests were served. */
static size_t compare(struct str bytes)
{
    struct buf came = exchange(bytes);
    struct messages requests, answers;
    size_t served = 0;
    read_messages(bytes, HTTP_REQUEST, &requests);
    read_messages(buf_str(&came), HTTP_RESPONSE, &answers);
    for (size_t i = 0; i < answers.count; i++) {
        const struct message *answer = &answers.list[i];
        if (answer->status != 200)
            continue;
        struct str seen = buf_str(&answer->text), wanted = buf_str(&requests.list[i].text);
        served++;
        if (i >= requests.count || !str_equal(seen, wanted))
            fail_with(bytes, i, seen, i < requests.count ? wanted : (struct str){0});
    }
    free_messages(&requests);
    free_messages(&answers);
    buf_free(&came);
    return served;
}

TEST_WITH(requests_are_read_as_by_another_parser, start, tear_down)
{
    const char *seed = getenv("SEED");
    size_t served = 0;
    for (unsigned connection = 0; connection < CONNECTIONS; connection++) {
        struct buf bytes = {0};
        chance = 88172645463325252u + connection + (seed ? strtoull(seed, NULL, 10) : 0) * CONNECTIONS;
        for (int warm = 0; warm < 8; warm++)
            upto(1);
        for (unsigned left = 1 + upto(3); left > 0; left--)
            add_request(&bytes);
        if (one_in(4))
            spoil(&bytes);
        served += compare(buf_str(&bytes));
        buf_free(&bytes);
    }
    print_message("%zu requests on %d connections were served\n", served, CONNECTIONS);
    assert_true(served > CONNECTIONS / 2);
}
