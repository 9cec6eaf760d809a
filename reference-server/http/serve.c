#include "http/exchange.h"

#include "base/search.h"
#include "civetweb/head.h"

#define TEXT_AS_IS(number) #number
#define TEXT_OF(number)    TEXT_AS_IS(number) /* of the value of a macro */

/* civetweb does not say which of the two it is. */
#define BAD_HEAD "the head of the request is malformed, or has more than " TEXT_OF(HTTP_HEAD_MAX) " bytes"

/* Calls the handler of the request, or refuses the request if there is a fault, and sends the answer. */
static void answer(struct http_worker *worker, int status, const char *fault)
{
    struct http_exchange *exchange = &worker->exchange;
    struct http_request *request = &exchange->request;
    const struct http_options *options = &worker->server->options;
    if (options->begin)
        options->begin(request);
    if (fault) {
        http_refuse(exchange, status, fault);
    } else {
        request->service->handle(request);
        http_worker_wait(worker);
    }
    if (options->finish)
        options->finish(request);
    bool is_answered = request->status < 400 && !request->refused_by;
    worker->before = (struct http_before){is_answered ? HTTP_ANSWERED : HTTP_REFUSED, exchange->info->content_length};
    http_exchange_end(exchange);
    http_worker_clean(worker);
}

int http_serve(struct mg_connection *connection)
{
    struct http_worker *worker = mg_get_thread_pointer(connection);
    struct tally_place *place = http_flight_begin();
    int status;
    reaper_busy(&worker->slot, mg_get_request_info(connection));
    const char *fault = http_exchange_begin(&worker->exchange, worker, connection, &status);
    answer(worker, status, fault);
    tally_leave(place);
    reaper_idle(&worker->slot);
    return worker->exchange.request.status;
}

/* Whether civetweb has given up a head because it does not know the method: then it has read the request line, and not
 * begun with the headers. */
static bool is_method_unknown(const struct mg_request_info *info)
{
    static const char *const known[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"};
    if (!info->request_method || !info->http_version || info->num_headers != 0)
        return false;
    return http_is_token(str_of(info->request_method)) &&
           ALL(i, COUNT_OF(known), strcmp(info->request_method, known[i]) != 0);
}

int http_serve_fault(struct mg_connection *connection, int status, const char *message)
{
    struct http_worker *worker = mg_get_thread_pointer(connection);
    struct http_exchange *exchange = &worker->exchange;
    buf_clear(&worker->answer);
    exchange->worker = worker;
    exchange->connection = connection;
    http_exchange_read_head(exchange, mg_get_request_info(connection));
    exchange->body = BODY_ABSENT;
    exchange->keep_1_0 = false;
    const char *refused_by = NULL;
    if (status == 400 && is_method_unknown(mg_get_request_info(connection))) {
        status = 501; /* RFC 9110, 9.1 */
        message = "this server does not know the method of the request";
        refused_by = "http.method-unknown";
    } else if (status == 400) {
        message = BAD_HEAD;
        if (http_header_value(&exchange->request, "Transfer-Encoding").size > 0)
            refused_by = "http.transfer-coding-known"; /* civetweb knows no other than chunked */
    }
    if (status == 411) {
        status = 400; /* civetweb says 411 for a Content-Length that it cannot read; RFC 9112, 6.3 demands 400 */
        refused_by = "http.length-valid";
    }
    exchange->request.refused_by = refused_by;
    answer(worker, status, message && *message ? message : mg_get_response_code_text(connection, status));
    return 0;
}
