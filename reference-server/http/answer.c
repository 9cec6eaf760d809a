/* Answers. The head is written by hand and sent together with the body in one call, because a second small write would
 * cost more than everything else. */
#include "http/exchange.h"

#include "base/search.h"
#include "json/number.h"

#include <limits.h>

#define ONE_WRITE ((size_t)256 * 1024) /* a larger body is sent from where it lies */

/* Returns the header Date of now, until the worker's next call. */
static struct str date_line(struct http_worker *worker)
{
    time_t now = time(NULL);
    if (now != worker->date_of) {
        struct tm parts;
        gmtime_r(&now, &parts);
        strftime(worker->date, sizeof(worker->date), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
        worker->date_of = now;
    }
    return str_of(worker->date);
}

static void append_header(struct buf *out, struct str name, struct str value)
{
    buf_append_str(out, name);
    buf_append_literal(out, ": ");
    buf_append_str(out, value);
    buf_append_literal(out, "\r\n");
}

static void write_head(struct http_exchange *exchange, size_t body_size, struct buf *out)
{
    struct http_request *request = &exchange->request;
    char number[NUMBER_TEXT_MAX];
    buf_append_literal(out, "HTTP/1.1 ");
    buf_append(out, number, number_write_int64(request->status, number));
    buf_append_byte(out, ' ');
    buf_append_str(out, request->reason.size
                            ? request->reason
                            : str_of(mg_get_response_code_text(exchange->connection, request->status)));
    buf_append_literal(out, "\r\n");
    if (request->content_type.size > 0)
        append_header(out, STR("Content-Type"), request->content_type);
    if (request->content_length.data)
        append_header(out, STR("Content-Length"), request->content_length);
    else if (!request->no_content_length)
        append_header(out, STR("Content-Length"), (struct str){number, number_write_uint64(body_size, number)});
    bool said = false; /* whether a deviation has added a header Connection */
    for (size_t i = 0; i < request->answer_header_count; i++) {
        append_header(out, request->answer_headers[i].name, request->answer_headers[i].value);
        said |= str_equal_ignoring_case(request->answer_headers[i].name, STR("Connection"));
    }
    buf_append_str(out, date_line(exchange->worker));
    if (exchange->close && !said)
        buf_append_literal(out, "Connection: close\r\n");
    else if (exchange->keep_1_0 && !said)
        buf_append_literal(out, "Connection: keep-alive\r\n");
    buf_append_literal(out, "\r\n");
}

/* Returns false if the client does not take the bytes: it has disconnected, or did not read for too long. Then nothing
 * more is sent on this connection, since the client would read another answer as a part of this one. */
static bool write_all(struct http_exchange *exchange, struct str bytes)
{
    while (bytes.size > 0) {
        size_t part = bytes.size < INT_MAX ? bytes.size : INT_MAX;
        int n = mg_write(exchange->connection, bytes.data, part);
        if (n <= 0) {
            mg_disable_connection_keep_alive(exchange->connection);
            return false;
        }
        exchange->sent += (size_t)n;
        bytes = str_from(bytes, (size_t)n);
    }
    return true;
}

static void send_prepared(struct http_exchange *exchange)
{
    const struct lease *lease = &exchange->worker->lease;
    bool is_compressed = lease->budget == &exchange->worker->server->inflated_budget;
    const struct prepared_answer *answer = &exchange->mount->prepared[is_compressed][lease->shortage];
    struct str text = answer->text;
    if (str_is(exchange->request.method, "HEAD"))
        text.size = answer->head;
    exchange->request.status = answer->status;
    exchange->close = true;
    mg_disable_connection_keep_alive(exchange->connection);
    struct str date = date_line(exchange->worker);
    size_t head = answer->head + date.size;
    if (write_all(exchange, (struct str){text.data, answer->date}) && write_all(exchange, date))
        write_all(exchange, str_from(text, answer->date));
    exchange->sent -= exchange->sent < head ? exchange->sent : head;
}

static void send_answer(struct http_exchange *exchange)
{
    struct http_request *request = &exchange->request;
    struct buf *out = &exchange->worker->out;
    struct str body = request->answer_buf.size > 0 ? buf_str(&request->answer_buf) : request->answer_body;
    size_t tail = SUM(i, request->answer_tail_count, request->answer_tail[i].size), pieces = request->answer_tail_count;
    if (exchange->worker->lease.shortage || request->answer_buf.failed) {
        send_prepared(exchange);
        return;
    }
    bool together = body.size + tail <= ONE_WRITE && http_pay(exchange->worker, body.size + tail);
    buf_clear(out);
    write_head(exchange, body.size + tail, out);
    size_t head = out->size;
    if (str_is(request->method, "HEAD")) {
        body.size = 0;
        pieces = 0;
    }
    if (together) {
        buf_append_str(out, body);
        for (size_t i = 0; i < pieces; i++)
            buf_append_str(out, request->answer_tail[i]);
    }
    if (out->failed) {
        send_prepared(exchange);
        return;
    }
    bool goes_on = write_all(exchange, buf_str(out));
    exchange->sent -= exchange->sent < head ? exchange->sent : head;
    goes_on = goes_on && !together && write_all(exchange, body);
    for (size_t i = 0; i < pieces && goes_on; i++)
        goes_on = write_all(exchange, request->answer_tail[i]);
}

/* --- Bodies in parts --- */

#define COLLECTED_MAX ((size_t)1024 * 1024)

static void write_head_of_parts(struct http_exchange *exchange, const char *content_type, struct buf *out)
{
    struct http_request *request = &exchange->request;
    request->status = 200;
    request->content_type = str_of(content_type);
    request->no_content_length = true;
    exchange->close |= !exchange->is_1_1 || http_draining() || http_leaves_body(exchange);
    if (exchange->is_1_1)
        http_answer_header(request, STR("Transfer-Encoding"), STR("chunked"));
    write_head(exchange, 0, out);
    exchange->answer = ANSWER_IN_PARTS;
}

bool http_send_part(struct http_request *request, const char *content_type, struct str bytes)
{
    struct http_exchange *exchange = (struct http_exchange *)request;
    struct buf *out = &exchange->worker->out;
    if (request->deviation) {
        buf_append_str(&request->answer_buf, bytes);
        return request->answer_buf.size <= COLLECTED_MAX && !request->answer_buf.failed;
    }
    buf_clear(out);
    if (exchange->answer == ANSWER_DUE)
        write_head_of_parts(exchange, content_type, out);
    if (exchange->is_1_1)
        buf_printf(out, "%zx\r\n", bytes.size);
    buf_append_str(out, bytes);
    if (exchange->is_1_1)
        buf_append_literal(out, "\r\n");
    size_t sent = exchange->sent;
    if (out->failed || !write_all(exchange, buf_str(out)))
        exchange->answer = ANSWER_CUT;
    exchange->sent = sent + bytes.size;
    return exchange->answer != ANSWER_CUT;
}

static void end_parts(struct http_exchange *exchange)
{
    exchange->close |= exchange->answer == ANSWER_CUT;
    if (exchange->is_1_1 && exchange->answer != ANSWER_CUT)
        write_all(exchange, STR("0\r\n\r\n"));
    if (exchange->close)
        mg_disable_connection_keep_alive(exchange->connection);
}

static void tell_log(const struct http_exchange *exchange)
{
    const struct http_options *options = &exchange->worker->server->options;
    if (options->leave)
        options->leave(&exchange->request, exchange->sent);
}

void http_exchange_end(struct http_exchange *exchange)
{
    struct http_request *request = &exchange->request;
    if (exchange->answer != ANSWER_DUE) {
        end_parts(exchange);
        tell_log(exchange);
        return;
    }
    bool is_costly = exchange->chunked || exchange->body == BODY_EXPECTED || exchange->info->content_length > 64 * 1024;
    if (http_leaves_body(exchange) && is_costly)
        exchange->close = true;
    if (request->delivery != HTTP_SEND || request->no_content_length || request->content_length.data || http_draining())
        exchange->close = true;
    if (exchange->close)
        mg_disable_connection_keep_alive(exchange->connection);
    switch (request->delivery) {
    case HTTP_SEND:
        send_answer(exchange);
        http_discard_body(exchange);
        http_linger(exchange);
        break;
    case HTTP_STAY:
        send_answer(exchange);
        http_hang(exchange);
        break;
    case HTTP_HANG:
        http_hang(exchange);
        break;
    case HTTP_CLOSE:
        break;
    }
    tell_log(exchange);
}

void http_answer_header(struct http_request *request, struct str name, struct str value)
{
    if (request->answer_header_count < HTTP_ANSWER_HEADERS)
        request->answer_headers[request->answer_header_count++] = (struct http_header){name, value};
}

void http_answer(struct http_request *request, int status, const char *content_type)
{
    struct http_worker *worker = ((struct http_exchange *)request)->worker;
    request->status = status;
    request->content_type = str_of(content_type);
    if (atomic_exchange(&worker->handler, HANDLER_DONE) == HANDLER_AWAITED) {
        pthread_mutex_lock(&worker->lock);
        pthread_cond_signal(&worker->wake);
        pthread_mutex_unlock(&worker->lock);
    }
}

void http_refuse(struct http_exchange *exchange, int status, const char *message)
{
    struct http_request *request = &exchange->request;
    exchange->close = true;
    if (request->service->status_of_a_refusal)
        status = request->service->status_of_a_refusal;
    http_answer(request, status, request->service->write_refusal(request, status, message));
}
