/* Starts and stops the HTTP server: its ports, its workers, and the way civetweb is told to run them. */
#include "base/clock.h"
#include "base/search.h"
#include "civetweb/head.h"
#include "http/exchange.h"

#include <stdio.h>

/* --- What civetweb calls --- */

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

static int begin_connection(const struct mg_connection *connection, void **)
{
    struct http_worker *worker = mg_get_thread_pointer(connection);
    worker->before = (struct http_before){HTTP_NOTHING, 0};
    http_head_reads(); /* what the end of the connection before has added is nobody's */
    reaper_enter(&worker->server->reaper, &worker->slot, mg_get_request_info(connection));
    return 0;
}

static void end_connection(const struct mg_connection *connection)
{
    struct http_worker *worker = mg_get_thread_pointer(connection);
    reaper_leave(&worker->server->reaper, &worker->slot);
}

static int give_tls(void **context, void *server)
{
    *context = ((struct http_server *)server)->options.tls;
    return *context != NULL;
}

static int keep_log(const struct mg_connection *connection, const char *message)
{
    struct http_server *server = mg_get_user_data(mg_get_context(connection));
    if (server && !server->civetweb && !server->fault[0]) /* only the first message tells the cause */
        snprintf(server->fault, sizeof(server->fault), "%s", message);
    return 1;
}

static const struct mg_callbacks callbacks = {
    .init_context = take_ports,
    .init_thread = http_worker_begin,
    .init_connection = begin_connection,
    .external_ssl_ctx = give_tls,
    .begin_request = http_serve,
    .http_error = http_serve_fault,
    .log_message = keep_log,
    .connection_close = end_connection,
    .exit_thread = http_worker_end,
};

/* --- The start --- */

/* "127.0.0.1:8000,127.0.0.1:9000"; an "s" after a port has civetweb speak TLS there. */
static const char *joined_addresses(const struct http_options *options, struct arena *arena)
{
    struct str all = STR("");
    for (size_t i = 0; i < options->listener_count && all.data; i++)
        all = arena_printf(arena, "%s%s%s%s", all.data, i ? "," : "", options->listeners[i].address,
                           options->tls ? "s" : "");
    return all.data;
}

/* Starts civetweb with its settings, which are texts. */
static struct mg_context *start_with(struct http_server *server, const char *addresses, struct mg_error_data *fault)
{
    const struct http_options *options = &server->options;
    char threads[24], waiting[24], body_timeout[24], idle_timeout[24], head_max[24];
    snprintf(threads, sizeof(threads), "%zu", options->threads);
    snprintf(waiting, sizeof(waiting), "%zu", options->waiting);
    snprintf(body_timeout, sizeof(body_timeout), "%ld", (long)(options->body_timeout * 1000));
    snprintf(idle_timeout, sizeof(idle_timeout), "%ld", (long)(options->idle_timeout * 1000));
    snprintf(head_max, sizeof(head_max), "%d", HTTP_HEAD_MAX);
    const char *settings[][2] = {
        {"listening_ports", addresses},
        {"num_threads", threads},
        {"connection_queue", waiting},
        {"listen_backlog", "512"},
        {"enable_keep_alive", "yes"},
        {"keep_alive_timeout_ms", idle_timeout},
        {"request_timeout_ms", body_timeout},
        {"tcp_nodelay", "1"},
        {"decode_url", "no"},
        {"max_request_size", head_max},
        {"enable_auth_domain_check", "no"}, /* this server accepts an absolute target with any host name */
        {NULL, NULL},
    };
    struct mg_init_data init = {.callbacks = &callbacks, .user_data = server, .configuration_options = settings[0]};
    return mg_start2(&init, fault);
}

static struct status start_civetweb(struct http_server *server, struct arena *arena)
{
    char text[256] = "";
    struct mg_error_data fault = {.text = text, .text_buffer_size = sizeof(text)};
    const char *addresses = joined_addresses(&server->options, arena);
    NEED(addresses);
    server->civetweb = start_with(server, addresses, &fault);
    if (!server->civetweb)
        return status_error(arena, STATUS_UNAVAILABLE, "cannot listen for HTTP on '%s': %s", addresses,
                            server->fault[0] ? server->fault : text);
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
                return status_invalid(arena,
                                      "%s and %s cannot share port %s: a request is told from another by its port",
                                      one->name, other->name, port + 1);
        }
    }
    return STATUS_IS_OK;
}

struct status http_start(const struct http_options *options, struct arena *arena, struct http_server **result)
{
    struct http_server *server = arena_new_of(arena, struct http_server);
    NEED(server);
    server->options = *options;
    server->budget.limit = options->memory;
    server->reaper =
        (struct reaper){.ports = server->ports, .port_count = options->listener_count, .tls = options->tls};
    server->inflated_budget.limit = http_inflated_memory(options);
    TRY(check_listeners(options, arena));
    TRY(mounts_make(options, arena, &server->mounts));
    TRY(http_workers_make(server, arena));
    pthread_mutex_init(&server->stop_lock, NULL);
    clock_cond_init(&server->stop_wake);
    bool has_tls = mg_init_library(MG_FEATURES_TLS) & MG_FEATURES_TLS;
    struct status status = options->tls && !has_tls ? status_error(arena, STATUS_UNAVAILABLE,
                                                                   "civetweb finds no OpenSSL, so HTTP cannot use TLS")
                                                    : start_civetweb(server, arena);
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
    return FIRST(i, server->options.listener_count, strcmp(server->options.listeners[i].name, listener) == 0,
                 server->ports[i], 0);
}

void http_stop(struct http_server *server)
{
    http_watch_stop(server);
    if (server->civetweb)
        mg_stop(server->civetweb);
    mg_exit_library();
    http_workers_free(server);
    pthread_mutex_destroy(&server->stop_lock);
    pthread_cond_destroy(&server->stop_wake);
}
