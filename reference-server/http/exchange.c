/* The head of a request. civetweb has parsed it; this file checks what civetweb does not (RFC 9112, sections 3.2 and
 * 6.3). */
#include "http/exchange.h"

#include "base/search.h"
#include "civetweb/head.h"
#include "http/host.h"

#include <ctype.h>

static bool token_in(struct str list, struct str token)
{
    bool is_in = false;
    while (list.size > 0 && !is_in)
        is_in = str_equal_ignoring_case(str_trimmed(str_take(&list, ',')), token);
    return is_in;
}

struct str http_header_value(const struct http_request *request, const char *name)
{
    struct str wanted = str_of(name), value = {0};
    for (size_t i = 0; i < request->header_count; i++) {
        const struct http_header *header = &request->headers[i];
        if (str_equal_ignoring_case(header->name, wanted))
            value = !value.data ? header->value
                                : arena_printf(request->arena, "%.*s, %.*s", STR_ARG(value), STR_ARG(header->value));
    }
    return value;
}

/* The headers that the transport uses itself. */
enum known { HOST, LENGTH, TRANSFER, CONNECTION, EXPECT, ENCODING, KNOWN_COUNT };

static const struct str known_names[KNOWN_COUNT] = {
    [HOST] = STR("Host"),
    [LENGTH] = STR("Content-Length"),
    [TRANSFER] = STR("Transfer-Encoding"),
    [CONNECTION] = STR("Connection"),
    [EXPECT] = STR("Expect"),
    [ENCODING] = STR("Content-Encoding"),
};

struct framing {
    struct str last[KNOWN_COUNT]; /* the last value; null data if the header is missing */
    size_t count[KNOWN_COUNT];
    bool no_colon; /* a header has no colon; civetweb gives it no value then */
    bool no_token; /* the name of a header has a character that none has */
    bool lengths_differ;
};

bool http_is_token(struct str name)
{
    return name.size > 0 &&
           !ANY(i, name.size, !isalnum((unsigned char)name.data[i]) && !strchr("!#$%&'*+-.^_`|~", name.data[i]));
}

/* civetweb has replaced the colon, and blanks before it, by NULs. */
static bool has_blank_before_colon(const struct mg_header *header)
{
    const char *behind = header->name + strlen(header->name) + 1;
    return header->value && behind != header->value && *behind == '\0';
}

/* Reads the headers in one pass, because the cost matters for small requests. */
static void read_framing(const struct http_exchange *exchange, struct framing *framing)
{
    *framing = (struct framing){0};
    for (size_t i = 0; i < exchange->request.header_count; i++) {
        struct str name = exchange->headers[i].name, value = exchange->headers[i].value;
        framing->no_colon |= exchange->info->http_headers[i].value == NULL;
        framing->no_token |= !http_is_token(name) || has_blank_before_colon(&exchange->info->http_headers[i]);
        for (size_t known = 0; known < KNOWN_COUNT; known++) {
            if (name.size != known_names[known].size || !str_equal_ignoring_case(name, known_names[known]))
                continue;
            framing->lengths_differ |=
                known == LENGTH && framing->count[known] > 0 && !str_equal(framing->last[known], value);
            framing->last[known] = value;
            framing->count[known]++;
        }
    }
}

/* Whether the connection of this HTTP/1.1 client is closed after the answer. civetweb keeps one whose first header
 * Connection has other options only if keep-alive is among them. */
static bool closes(const struct framing *framing)
{
    struct str options = framing->last[CONNECTION];
    return framing->count[CONNECTION] > 1 ||
           (options.data && (token_in(options, STR("close")) || !token_in(options, STR("keep-alive"))));
}

/* The faults of a head, in the order in which they are checked. `key` is the requirement that is broken; NULL if no
 * requirement is about it. */
#define HAS "the request has "
struct head_fault {
    bool is_there;
    int status;
    const char *key, *fault;
};

static const char *fault_of(struct http_exchange *exchange, const struct framing *framing, bool version_1_1,
                            int *status)
{
    const struct mg_request_info *info = exchange->info;
    const struct http_service *service = exchange->mount->service;
    struct str transfer = framing->last[TRANSFER], expect = framing->last[EXPECT];
    size_t hosts = framing->count[HOST];
    bool has_length = framing->count[LENGTH] > 0, needs_host = version_1_1 && !(service->needs_no_host && hosts == 0);
    const struct head_fault faults[] = {
        {!http_head_is_first(info->request_method), 400, NULL, HAS "more before its first line than one empty line"},
        {info->num_headers >= HTTP_HEADERS_MAX, 431, NULL, HAS "too many headers: this server takes 63"},
        {framing->no_colon, 400, NULL, HAS "a header without a colon"},
        {framing->no_token, 400, NULL, HAS "a header whose name is no token"},
        {!http_head_ends_as_it_must(info), 400, NULL,
         HAS "no empty line, CRLF, after a last header that ends with CRLF"},
        {transfer.data && !str_equal_ignoring_case(transfer, STR("chunked")), 400, NULL,
         HAS "a Transfer-Encoding other than chunked"},
        {needs_host && hosts == 0, 400, "http.host", HAS "no Host header"},
        {needs_host && hosts > 1, 400, "http.host", HAS "more than one Host header"},
        {needs_host && !host_is_valid(framing->last[HOST]), 400, "http.host-valid",
         HAS "a Host that is no host and port"},
        {has_length && !str_is_digits(framing->last[LENGTH]), 400, "http.length-valid",
         HAS "a Content-Length that is not a decimal number"},
        {framing->lengths_differ, 400, "http.length-valid", HAS "two Content-Length headers that differ"},
        {has_length && transfer.data && !service->takes_two_framings, 400, "http.length-and-chunked",
         HAS "both Content-Length and Transfer-Encoding"},
        {expect.data && !str_equal_ignoring_case(expect, STR("100-continue")), 417, NULL,
         HAS "an Expect header that this server does not know"},
        {framing->count[ENCODING] > 1, 415, NULL, HAS "more than one Content-Encoding"},
    };
    const struct head_fault *found = FIND(faults, i, COUNT_OF(faults), faults[i].is_there);
    if (!found)
        return NULL;
    *status = found->status;
    if (found->key)
        exchange->request.refused_by = found->key;
    return found->fault;
}

void http_exchange_read_head(struct http_exchange *exchange, const struct mg_request_info *info)
{
    struct http_worker *worker = exchange->worker;
    size_t count = info->num_headers > 0 ? (size_t)info->num_headers : 0; /* -1 if they could not be read */
    bool absolute = info->request_uri && *info->request_uri != '/';       /* RFC 9112, 3.2.2: http://HOST/PATH */
    exchange->info = info;
    exchange->answer = ANSWER_DUE;
    exchange->socket = -1;
    for (size_t i = 0; i < count; i++) {
        const char *value = info->http_headers[i].value;
        exchange->headers[i] =
            (struct http_header){str_of(info->http_headers[i].name), value ? str_trimmed(str_of(value)) : STR("")};
    }
    exchange->request = (struct http_request){
        .arena = &worker->arena,
        .method = str_of(info->request_method),
        .path = str_of(absolute ? info->local_uri_raw : info->request_uri),
        .query = str_of(info->query_string),
        .target = str_of(info->request_uri),
        .version = str_of(info->http_version),
        .arrival = {.is_as_it_came = true,
                    .reads = http_head_reads(),
                    .behind_empty_line = http_head_is_behind_empty_line(info->request_method),
                    .before = worker->before},
        .headers = exchange->headers,
        .header_count = count,
        .answer_headers = exchange->answer_headers,
        .answer_buf = worker->answer,
    };
    const struct mount *mount = mount_of(&worker->server->mounts, info->server_port, exchange->request.path);
    exchange->mount = mount;
    exchange->request.service = mount->service;
    exchange->request.context = mount->context;
    exchange->request.cache = &worker->cache[mount - worker->server->mounts.list];
    exchange->sent = 0;
    if (worker->server->options.arrive)
        worker->server->options.arrive(&exchange->request);
}

const char *http_exchange_begin(struct http_exchange *exchange, struct http_worker *worker,
                                struct mg_connection *connection, int *status)
{
    const struct mg_request_info *info = mg_get_request_info(connection);
    exchange->worker = worker;
    exchange->connection = connection;
    exchange->close = exchange->keep_1_0 = false;
    exchange->body = BODY_ABSENT;
    buf_clear(&worker->answer);
    http_exchange_read_head(exchange, info);
    atomic_store_explicit(&worker->handler, HANDLER_RUNS, memory_order_relaxed);

    struct framing framing;
    read_framing(exchange, &framing);
    bool version_1_1 = strcmp(info->http_version, "1.1") == 0;
    exchange->is_1_1 = version_1_1;
    exchange->encoding = framing.last[ENCODING];
    exchange->chunked = framing.last[TRANSFER].size > 0;
    if (exchange->chunked || info->content_length > 0)
        exchange->body = framing.last[EXPECT].size > 0 && version_1_1 ? BODY_EXPECTED : BODY_UNREAD;
    exchange->keep_1_0 = !version_1_1 && token_in(framing.last[CONNECTION], STR("keep-alive"));
    exchange->close = version_1_1 ? closes(&framing) : !exchange->keep_1_0;
    exchange->close |= exchange->chunked && framing.count[LENGTH] > 0;
    return fault_of(exchange, &framing, version_1_1, status);
}
