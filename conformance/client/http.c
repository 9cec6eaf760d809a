/* HTTP by libcurl. It adds nothing that the request does not name: no redirects, no proxy, and no Expect, Accept,
 * User-Agent or Content-Type of libcurl's own; the path is sent byte for byte. Faults of an answer that libcurl
 * accepts, such as two different Content-Lengths, are found here. */
#include "client/http.h"

#include "base/search.h"
#include "client/http1.h"
#include "client/line.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct http_client {
    CURL *curl;   /* for the exchange that runs; made anew each time, because libcurl 7.88, if it is used again, takes a
                     folded header at the beginning of an answer for a continuation of the last header of the answer
                     before, which is freed */
    CURLM *multi; /* keeps the connections */
    struct str base; /* "http://127.0.0.1:8000", NUL-terminated */
    const struct client_options *options;
};

/* What has arrived of an answer so far. */
struct arrival {
    struct arena *arena;
    struct answer *answer;
    struct header_list headers, trailers;
    struct buf body;
    size_t limit;        /* most bytes of the body */
    size_t header_bytes; /* bytes of all headers, those of interim answers included */
    bool endless_headers, head_complete;
};

static pthread_once_t curl_once = PTHREAD_ONCE_INIT;

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_ALL);
    http_parser_set_max_header_size(ANSWER_HEADERS_MAX); /* for raw connections; by itself it reads 80 KB */
}

struct http_client *http_client_create(const struct client_options *options, struct str base)
{
    pthread_once(&curl_once, start_curl);
    struct http_client *client = memory_zeroed(sizeof *client);
    client->options = options;
    client->base = base;
    client->multi = curl_multi_init();
    if (client->multi == NULL)
        memory_exhausted();
    return client;
}

void http_client_destroy(struct http_client *client)
{
    if (client == NULL)
        return;
    curl_multi_cleanup(client->multi);
    free(client);
}

static struct str trimmed(struct str s)
{
    while (s.size > 0 && strchr(" \t\r\n", s.data[s.size - 1]) != NULL)
        s.size--;
    return str_trimmed(s);
}

static size_t on_header(char *bytes, size_t, size_t size, void *context)
{
    struct arrival *arrival = context;
    struct str line = {bytes, size};
    arrival->header_bytes += size;
    if (arrival->header_bytes > ANSWER_HEADERS_MAX || arrival->headers.count + arrival->trailers.count >= HEADERS_MAX) {
        arrival->endless_headers = true;
        return 0;
    }
    /* the final answer begins after an interim one: only its own headers count */
    if (str_starts(line, STR("HTTP/"))) {
        arrival->headers.count = 0;
        arrival->head_complete = false;
        return size;
    }
    if (trimmed(line).size == 0) {
        arrival->head_complete = true;
        return size;
    }
    if (!str_has(line, ':'))
        return size;
    struct str name = str_take(&line, ':'), value = trimmed(line);
    struct header header = {arena_copy(arrival->arena, name), arena_copy(arrival->arena, value)};
    header_list_add(arrival->head_complete ? &arrival->trailers : &arrival->headers, header, arrival->arena);
    return size;
}

static size_t on_body(char *bytes, size_t, size_t size, void *context)
{
    struct arrival *arrival = context;
    size_t room = arrival->limit - arrival->body.size;
    if (size > room) {
        buf_append(&arrival->body, bytes, room);
        arrival->answer->truncated = true;
        return 0;
    }
    buf_append(&arrival->body, bytes, size);
    return arrival->body.failed ? 0 : size;
}

/* --- The request --- */

static struct curl_slist *add_line(struct curl_slist *list, struct str name, struct str value, struct arena *arena)
{
    struct str line;
    if (value.data == NULL)
        line = arena_printf(arena, "%.*s:", STR_ARG(name)); /* curl sends no such header */
    else if (value.size == 0)
        line = arena_printf(arena, "%.*s;", STR_ARG(name)); /* curl sends it empty */
    else
        line = arena_printf(arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(value));
    struct curl_slist *longer = curl_slist_append(list, line.data);
    if (longer == NULL)
        memory_exhausted();
    return longer;
}

static struct curl_slist *header_lines(const struct http_client *client, const struct request *request,
                                       const struct header *extra, struct arena *arena)
{
    static const char *const unasked[] = {"Accept", "User-Agent", "Expect", "Content-Type"};
    struct curl_slist *list = NULL;
    for (size_t i = 0; i < COUNT_OF(unasked); i++)
        if (!headers_have(&request->headers, unasked[i]))
            list = add_line(list, str_of(unasked[i]), (struct str){0}, arena);
    for (size_t i = 0; i < request->headers.count; i++)
        list = add_line(list, request->headers.entries[i].name, request->headers.entries[i].value, arena);
    for (size_t i = 0; i < client->options->headers.count; i++) {
        struct header header = header_of_line(client->options->headers.items[i]);
        struct str name = arena_copy(arena, header.name);
        if (!headers_have(&request->headers, name.data))
            list = add_line(list, name, header.value, arena);
    }
    if (extra != NULL)
        list = add_line(list, extra->name, extra->value, arena);
    return list;
}

static void set_body(CURL *curl, const struct request *request)
{
    static const char *const with_content[] = {"POST", "PUT", "PATCH"};
    bool send = request->has_body;
    for (size_t i = 0; i < COUNT_OF(with_content); i++)
        send = send || str_is(request->method, with_content[i]); /* RFC 9110, 8.6: send Content-Length: 0 */
    if (send) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body.size > 0 ? request->body.data : "");
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.size);
    }
}

/* Does what curl_easy_perform does, over the connections of the client. */
static CURLcode transfer(const struct http_client *client)
{
    CURLcode code = CURLE_OUT_OF_MEMORY;
    int running = 1, left;
    if (curl_multi_add_handle(client->multi, client->curl) != CURLM_OK)
        return code;
    while (curl_multi_perform(client->multi, &running) == CURLM_OK && running > 0)
        if (curl_multi_poll(client->multi, NULL, 0, 1000, NULL) != CURLM_OK)
            break;
    const CURLMsg *message = curl_multi_info_read(client->multi, &left);
    if (message != NULL)
        code = message->data.result;
    curl_multi_remove_handle(client->multi, client->curl);
    return code;
}

/* --- The outcome --- */

static void set_trouble(struct arrival *arrival, enum outcome outcome, struct str trouble)
{
    arrival->answer->outcome = outcome;
    arrival->answer->trouble = trouble;
}

static void set_outcome(CURLcode code, const char *detail, struct arrival *arrival)
{
    if (arrival->endless_headers) {
        set_trouble(arrival, OUTCOME_GARBLED, STR("the headers do not end"));
        return;
    }
    if (arrival->answer->truncated)
        code = CURLE_OK;
    if (code == CURLE_RECV_ERROR && strstr(detail, "chunk") != NULL)
        code = CURLE_BAD_CONTENT_ENCODING;
    curl_outcome(code, detail, arrival->arena, arrival->answer);
    if (arrival->answer->outcome == OUTCOME_ANSWERED && !arrival->head_complete)
        set_trouble(arrival, OUTCOME_CLOSED, STR("the connection was closed within the headers"));
}

/* RFC 9112, 6.3: an answer cannot be delimited if its Content-Length is no number, or if it has two different ones.
 * libcurl accepts both. */
static void check_content_lengths(struct arrival *arrival)
{
    struct answer *answer = arrival->answer;
    struct str first = {0};
    for (size_t i = 0; i < answer->headers.count; i++) {
        if (!str_equal_ignoring_case(answer->headers.entries[i].name, STR("content-length")))
            continue;
        if (answer->headers.entries[i].value.size >= 19 || !str_is_digits(answer->headers.entries[i].value))
            set_trouble(arrival, OUTCOME_GARBLED, STR("Content-Length is no possible length"));
        else if (first.data == NULL)
            first = answer->headers.entries[i].value;
        else if (!str_equal(first, answer->headers.entries[i].value))
            set_trouble(arrival, OUTCOME_GARBLED, STR("the answer has two different Content-Lengths"));
    }
}

/* --- The exchange --- */

/* Returns the path that is sent: that of the request after that of the target's own address, NUL-terminated. */
static struct str whole_path(const struct http_client *client, const struct request *request, struct arena *arena)
{
    const char *authority = strstr(client->base.data, "://");
    const char *below = authority ? strchr(authority + 3, '/') : NULL;
    return arena_printf(arena, "%s%.*s", below ? below : "", STR_ARG(request->path));
}

static void set_request(struct http_client *client, const struct request *request, struct curl_slist *lines,
                        struct arrival *arrival, char *detail)
{
    CURL *curl = client->curl;
    curl_setup(curl, client->options, detail);
    curl_easy_setopt(curl, CURLOPT_URL, client->base.data);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION,
                     (long)(str_is(request->http_version, "HTTP/1.0") ? CURL_HTTP_VERSION_1_0 : CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(curl, CURLOPT_REQUEST_TARGET, whole_path(client, request, arrival->arena).data);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, arrival);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, arrival);
    set_body(curl, request);
    if (str_is(request->method, "HEAD"))
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L); /* libcurl then waits for no body */
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, arena_copy(arrival->arena, request->method).data);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines);
    if (client->options->one_connection)
        curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
}

static void take_answer(CURL *curl, CURLcode code, const char *detail, struct arrival *arrival)
{
    struct answer *answer = arrival->answer;
    long status = 0, connections = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(curl, CURLINFO_NUM_CONNECTS, &connections);
    answer->status = (int)status;
    answer->reused = connections == 0;
    answer->headers = arrival->headers;
    answer->trailers = arrival->trailers;
    if (answer->truncated && arrival->body.size > TRUNCATED_KEEPS)
        arrival->body.size = TRUNCATED_KEEPS;
    answer->body = arena_copy(arrival->arena, buf_str(&arrival->body));
    set_outcome(code, detail, arrival);
    if (answer->outcome == OUTCOME_ANSWERED)
        check_content_lengths(arrival);
}

void http_exchange(struct http_client *client, const struct request *request, const struct header *extra,
                   struct arena *arena, struct answer *answer)
{
    struct arrival arrival = {.arena = arena, .answer = answer, .limit = answer_max(client->options, request)};
    char detail[CURL_ERROR_SIZE];
    client->curl = curl_easy_init();
    if (client->curl == NULL)
        memory_exhausted();
    struct curl_slist *lines = header_lines(client, request, extra, arena);
    set_request(client, request, lines, &arrival, detail);
    CURLcode code = transfer(client);
    take_answer(client->curl, code, detail, &arrival);
    curl_easy_cleanup(client->curl);
    curl_slist_free_all(lines);
    buf_free(&arrival.body);
}
