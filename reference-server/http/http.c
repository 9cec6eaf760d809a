/* The HTTP server: its ports, its workers, and the way of a request through the files of this folder (exchange.h). */
#include "base/clock.h"
#include "http/answer.h"
#include "http/crowd.h"
#include "http/flight.h"
#include "http/watch.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAD_MAX "131072"            /* bytes of request line and headers; 64 kB of headers still get a proper answer */
#define KEPT_MAX ((size_t)16 * 1024) /* bytes; a worker frees larger buffers after each request */
#define WORKER   1                   /* the number that civetweb uses for a thread that serves connections */

/* Asks the system that a worker which wakes up does not interrupt another that has nearly finished its request. Under
 * load such interruptions cost more than the work for a small request. If the system refuses, nothing else changes. */
static void be_patient(void)
{
    const struct sched_param none = {0};
    sched_setscheduler(0, SCHED_BATCH, &none);
}

static void *begin_thread(const struct mg_context *context, int kind)
{
    struct http_server *server = mg_get_user_data(context);
    if (kind != WORKER)
        return NULL;
    be_patient();
    return &server->workers[atomic_fetch_add(&server->worker_count, 1)];
}

/* Frees what a worker keeps for one mount. */
static void free_kept(struct http_worker *worker, const struct mount *mount)
{
    void **kept = &worker->kept[mount->index];
    if (*kept && mount->service->worker_end)
        mount->service->worker_end(*kept);
    *kept = NULL;
}

static void end_thread(const struct mg_context *context, int kind, void *pointer)
{
    struct http_worker *worker = pointer;
    (void)context;
    if (kind != WORKER)
        return;
    const struct mounts *mounts = &worker->server->mounts;
    for (size_t i = 0; i < mounts->count; i++)
        free_kept(worker, &mounts->list[i]);
    arena_free(&worker->arena);
    buf_free(&worker->out);
    buf_free(&worker->answer);
    buf_free(&worker->body);
    buf_free(&worker->inflated);
}

static int begin_connection(const struct mg_connection *connection, void **data)
{
    (void)data;
    http_crowd_enter(mg_get_thread_pointer(connection), mg_get_request_info(connection));
    return 0;
}

static void end_connection(const struct mg_connection *connection)
{
    http_crowd_leave(mg_get_thread_pointer(connection));
}

static void wait_for_answer(struct http_worker *worker)
{
    int nobody = 0;
    if (!atomic_compare_exchange_strong(&worker->answered, &nobody, 1))
        return;
    pthread_mutex_lock(&worker->lock);
    while (atomic_load(&worker->answered) != 2)
        pthread_cond_wait(&worker->wake, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
}

static void shrink(struct buf *buf)
{
    buf->failed = false;
    if (buf->capacity > KEPT_MAX)
        buf_free(buf);
}

/* Takes back the buf in which the answer was written; deviations may have put another one in its place. */
static void take_back(struct http_worker *worker, struct buf *answer)
{
    if (answer->purse != &worker->purse)
        buf_free(answer);
    worker->answer = *answer;
    worker->answer.purse = &worker->purse;
}

/* Gives the memory of a request back, but for what every request needs. */
static void clean_up(struct http_worker *worker)
{
    struct http_exchange *exchange = &worker->exchange;
    take_back(worker, &exchange->request.answer_buf);
    shrink(&worker->answer);
    shrink(&worker->out);
    shrink(&worker->body);
    shrink(&worker->inflated);
    if (exchange->body_size > KEPT_MAX)
        free_kept(worker, exchange->mount);
    arena_reset(&worker->arena, ARENA_NO_BUDGET);
    purse_return(&worker->purse, worker->paid);
    purse_settle(&worker->purse);
    purse_change(&worker->purse, &worker->server->budget);
    worker->purse.shortage = SHORTAGE_NONE;
    worker->paid = 0;
}

static int serve(struct mg_connection *connection)
{
    struct http_worker *worker = mg_get_thread_pointer(connection);
    struct http_server *server = worker->server;
    struct http_exchange *exchange = &worker->exchange;
    struct http_request *request = &exchange->request;
    struct tally_place *place = http_flight_begin();
    int status;
    http_crowd_busy(worker, mg_get_request_info(connection));
    const char *fault = http_exchange_begin(exchange, worker, connection, &status);
    if (server->options.begin)
        server->options.begin(request);
    if (fault) {
        http_refuse(exchange, status, fault);
    } else {
        request->service->handle(request);
        wait_for_answer(worker);
    }
    if (server->options.finish)
        server->options.finish(request);
    status = request->status;
    http_exchange_end(exchange);
    clean_up(worker);
    http_flight_end(place);
    http_crowd_idle(worker);
    return status;
}

/* Answers requests that civetweb refuses before a handler sees them. */
static int answer_fault(struct mg_connection *connection, int status, const char *message)
{
    struct http_worker *worker = mg_get_thread_pointer(connection);
    struct http_exchange *exchange = &worker->exchange;
    buf_clear(&worker->answer);
    exchange->worker = worker;
    exchange->connection = connection;
    exchange->body_size = 0;
    http_exchange_read_head(exchange, mg_get_request_info(connection));
    exchange->has_body = exchange->keep_1_0 = false;
    if (status == 400)
        message =
            "the head of the request is malformed, or has more than " HEAD_MAX " bytes"; /* it does not say which */
    if (status == 411)
        status = 400; /* civetweb says 411 for a Content-Length that it cannot read; RFC 9112, 6.3 demands 400 */
    if (worker->server->options.begin)
        worker->server->options.begin(&exchange->request);
    http_refuse(exchange, status, message && *message ? message : mg_get_response_code_text(connection, status));
    if (worker->server->options.finish)
        worker->server->options.finish(&exchange->request);
    http_exchange_end(exchange);
    clean_up(worker);
    return 0;
}

static int keep_log(const struct mg_connection *connection, const char *message)
{
    struct http_server *server = mg_get_user_data(mg_get_context(connection));
    if (server && !server->civetweb && !server->fault[0]) /* only the first message tells the cause */
        snprintf(server->fault, sizeof(server->fault), "%s", message);
    return 1;
}

/* "127.0.0.1:8000,127.0.0.1:9000"; an "s" behind a port has civetweb speak TLS there. */
static const char *joined_addresses(const struct http_options *options, struct arena *arena)
{
    struct str all = STR("");
    for (size_t i = 0; i < options->listener_count && all.data; i++)
        all = arena_printf(arena, "%s%s%s%s", all.data, i ? "," : "", options->listeners[i].address,
                           options->tls ? "s" : "");
    return all.data;
}

static int give_tls(void **context, void *server)
{
    *context = ((struct http_server *)server)->options.tls;
    return *context != NULL;
}

/* civetweb calls this when the ports are open and before a worker runs. */
static void take_ports(const struct mg_context *context)
{
    struct http_server *server = mg_get_user_data(context);
    const struct http_options *options = &server->options;
    struct mg_server_port ports[HTTP_LISTENERS_MAX];
    int count = mg_get_server_ports(context, HTTP_LISTENERS_MAX, ports);
    for (int i = 0; i < count; i++) {
        server->ports[i] = ports[i].port;
        mounts_set_port(&server->mounts, options->listeners[i].name, ports[i].port);
    }
}

static struct status start_civetweb(struct http_server *server, struct arena *arena)
{
    const struct http_options *options = &server->options;
    const char *addresses = joined_addresses(options, arena);
    char threads[24], body_timeout[24], idle_timeout[24];
    snprintf(threads, sizeof(threads), "%zu", options->threads);
    snprintf(body_timeout, sizeof(body_timeout), "%ld", (long)(options->body_timeout * 1000));
    snprintf(idle_timeout, sizeof(idle_timeout), "%ld", (long)(options->idle_timeout * 1000));
    const char *settings[][2] = {
        {"listening_ports", addresses},
        {"num_threads", threads},
        {"connection_queue", "256"},
        {"listen_backlog", "512"},
        {"enable_keep_alive", "yes"},
        {"keep_alive_timeout_ms", idle_timeout},
        {"request_timeout_ms", body_timeout},
        {"tcp_nodelay", "1"},
        {"decode_url", "no"},
        {"max_request_size", HEAD_MAX},
        {"enable_auth_domain_check", "no"}, /* this server accepts an absolute target with any host name */
        {NULL, NULL},
    };
    static const struct mg_callbacks callbacks = {
        .init_context = take_ports,
        .begin_request = serve,
        .log_message = keep_log,
        .http_error = answer_fault,
        .init_thread = begin_thread,
        .init_connection = begin_connection,
        .external_ssl_ctx = give_tls,
        .connection_close = end_connection,
        .exit_thread = end_thread,
    };
    char text[256] = "";
    struct mg_init_data init = {.callbacks = &callbacks, .user_data = server, .configuration_options = settings[0]};
    struct mg_error_data fault = {.text = text, .text_buffer_size = sizeof(text)};
    if (!addresses)
        return status_no_memory();
    server->civetweb = mg_start2(&init, &fault);
    if (!server->civetweb)
        return status_error(arena, STATUS_UNAVAILABLE, "cannot listen for HTTP on '%s': %s", addresses,
                            server->fault[0] ? server->fault : text);
    return STATUS_IS_OK;
}

/* Makes everything that a worker needs before it can answer. */
static struct status make_workers(struct http_server *server, struct arena *arena)
{
    size_t mounts = server->options.mount_count;
    server->workers = arena_alloc_zero(arena, server->options.threads, sizeof(*server->workers));
    void **kept = arena_alloc_zero(arena, server->options.threads, mounts * sizeof(*kept));
    if (!server->workers || !kept)
        return status_no_memory();
    for (size_t i = 0; i < server->options.threads; i++) {
        struct http_worker *worker = &server->workers[i];
        worker->server = server;
        worker->kept = kept + i * mounts;
        worker->purse = (struct purse){.budget = &server->budget, .own = HTTP_OWN};
        worker->arena = arena_new(ARENA_NO_BUDGET);
        worker->arena.purse = worker->answer.purse = worker->body.purse = worker->inflated.purse = &worker->purse;
        pthread_mutex_init(&worker->lock, NULL);
        pthread_cond_init(&worker->wake, NULL);
    }
    return STATUS_IS_OK;
}

static struct status check_listeners(const struct http_options *options, struct arena *arena)
{
    if (options->listener_count > HTTP_LISTENERS_MAX)
        return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "this server listens for HTTP at %d addresses at most",
                            HTTP_LISTENERS_MAX);
    for (size_t i = 0; i < options->listener_count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct http_listener *one = &options->listeners[j], *other = &options->listeners[i];
            const char *port = strrchr(one->address, ':'), *same = strrchr(other->address, ':');
            if (strcmp(port, same) == 0 && strcmp(port, ":0") != 0)
                return status_error(arena, STATUS_INVALID_ARGUMENT,
                                    "%s and %s cannot share port %s: a request is told from another by its port",
                                    one->name, other->name, port + 1);
        }
    }
    return STATUS_IS_OK;
}

struct status http_start(const struct http_options *options, struct arena *arena, struct http_server **result)
{
    struct http_server *server = arena_new_of(arena, struct http_server);
    if (!server)
        return status_no_memory();
    server->options = *options;
    server->budget.limit = options->memory;
    server->inflated_budget.limit = http_inflated_memory(options);
    struct status status = check_listeners(options, arena);
    if (is_ok(status))
        status = mounts_make(options, arena, &server->mounts);
    if (is_ok(status))
        status = make_workers(server, arena);
    if (!is_ok(status)) {
        mounts_free(&server->mounts);
        return status;
    }
    pthread_mutex_init(&server->stop_lock, NULL);
    clock_cond_init(&server->stop_wake);
    bool has_tls = mg_init_library(MG_FEATURES_TLS) & MG_FEATURES_TLS;
    if (options->tls && !has_tls)
        status = status_error(arena, STATUS_UNAVAILABLE, "civetweb finds no OpenSSL, so HTTP cannot use TLS");
    else
        status = start_civetweb(server, arena);
    if (is_ok(status))
        status = http_watch_start(server, arena);
    if (!is_ok(status)) {
        http_stop(server);
        return status;
    }
    *result = server;
    return STATUS_IS_OK;
}

int http_port(const struct http_server *server, const char *listener)
{
    for (size_t i = 0; i < server->options.listener_count; i++)
        if (strcmp(server->options.listeners[i].name, listener) == 0)
            return server->ports[i];
    return 0;
}

void http_stop(struct http_server *server)
{
    http_watch_stop(server);
    if (server->civetweb)
        mg_stop(server->civetweb);
    mg_exit_library();
    for (size_t i = 0; i < server->options.threads; i++) {
        pthread_mutex_destroy(&server->workers[i].lock);
        pthread_cond_destroy(&server->workers[i].wake);
    }
    mounts_free(&server->mounts);
    pthread_mutex_destroy(&server->stop_lock);
    pthread_cond_destroy(&server->stop_wake);
}
