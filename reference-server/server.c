#include "server.h"

#include "backends/backends.h"
#include "base/search.h"
#include "deviations/deviations.h"
#include "models/compute.h"
#include "monitoring/log.h"
#include "services/token.h"

/* --- The steps of a start --- */

static struct status share_descriptors(struct server *server, struct arena *arena)
{
    return descriptors_share(server->options.connections, arena, &server->descriptors);
}

static struct status open_log(struct server *server, struct arena *arena)
{
    const struct options *options = &server->options;
    return options->log ? log_open(options->log, options->log_json, arena) : STATUS_IS_OK;
}

static struct status open_tls(struct server *server, struct arena *arena)
{
    const struct options *options = &server->options;
    const struct tls_options chosen = {options->tls_certificate, options->tls_key, options->tls_client_ca};
    return chosen.certificate ? tls_open(&chosen, arena, &server->tls) : STATUS_IS_OK;
}

static struct status start_compute(struct server *, struct arena *arena)
{
    return compute_start(0, arena);
}

static struct status open_repository(struct server *server, struct arena *arena)
{
    const struct options *options = &server->options;
    const struct repository_options chosen = {
        .paths = options->models.list,
        .path_count = options->models.count,
        .loads = options->loads.list,
        .load_count = options->loads.count,
        .backends = backends,
    };
    return repository_open(&chosen, arena, &server->shared.repository);
}

static struct status read_token(struct server *server, struct arena *arena)
{
    const char *file = server->options.repository_token;
    return file ? token_read(file, arena, &server->shared.repository_token) : STATUS_IS_OK;
}

/* Opens the services of each transport, in the order of their table. */
static struct status open_services(struct server *server, struct arena *arena)
{
    struct http_options *http = &server->http_options;
    struct rpc_options *rpc = &server->rpc_options;
    struct http_mount *http_mounts = arena_alloc_zero(arena, service_count, sizeof(*http_mounts));
    struct rpc_mount *rpc_mounts = arena_alloc_zero(arena, service_count, sizeof(*rpc_mounts));
    NEED(http_mounts && rpc_mounts);
    for (size_t i = 0; i < service_count; i++) {
        const struct service *service = &services[i];
        if (!service_is_wanted(&server->options, service->name))
            continue;
        void *context = service->open ? service->open(&server->shared, arena) : &server->shared;
        NEED(context);
        if (service->http)
            http_mounts[http->mount_count++] = (struct http_mount){service->http, context};
        if (service->grpc)
            rpc_mounts[rpc->mount_count++] = (struct rpc_mount){service->grpc, context};
    }
    http->mounts = http_mounts;
    rpc->mounts = rpc_mounts;
    return STATUS_IS_OK;
}

/* Reads at which addresses each transport listens. */
static struct status take_endpoints(struct server *server, struct arena *arena)
{
    struct http_options *http = &server->http_options;
    struct http_listener *listeners = arena_alloc_zero(arena, ENDPOINT_COUNT, sizeof(*listeners));
    NEED(listeners);
    for (size_t i = 0; i < ENDPOINT_COUNT; i++) {
        const struct endpoint *endpoint = &server->options.endpoints[i];
        if (endpoint->is_grpc)
            server->rpc_options.address = endpoint->address;
        else if (endpoint->address)
            listeners[http->listener_count++] = (struct http_listener){endpoint->name, endpoint->address};
    }
    http->listeners = listeners;
    return STATUS_IS_OK;
}

static bool models_are_ready(void *repository)
{
    return repository_ready(repository);
}

static struct status start_http(struct server *server, struct arena *arena)
{
    struct http_options *options = &server->http_options;
    options->tls = tls_for_http(server->tls);
    options->threads = server->descriptors.http;
    options->waiting = server->descriptors.http_waiting;
    options->max_message = server->options.max_message;
    options->memory = server->options.http_memory;
    options->body_timeout = 30;
    options->idle_timeout = 60;
    if (deviations_are_possible()) {
        deviations_ask_ready(models_are_ready, server->shared.repository);
        options->begin = deviations_http_begin;
        options->finish = deviations_http_finish;
    }
    if (server->options.log) {
        options->arrive = log_http_arrive;
        options->leave = log_http_leave;
    }
    return options->listener_count > 0 ? http_start(options, arena, &server->http) : STATUS_IS_OK;
}

static struct status start_grpc(struct server *server, struct arena *arena)
{
    struct rpc_options *options = &server->rpc_options;
    options->tls = tls_for_http2(server->tls);
    options->max_message = server->options.max_message;
    options->padding = server->options.grpc_padding;
    options->connections = server->descriptors.grpc;
    if (deviations_are_possible())
        deviations_of_rpc(options);
    if (server->options.log) {
        options->arrive = log_rpc_arrive;
        options->leave = log_rpc_leave;
    }
    return options->address ? rpc_start(options, arena, &server->rpc) : STATUS_IS_OK;
}

/* --- All of them --- */

size_t server_stop(struct server *server)
{
    if (server->http)
        http_stop(server->http);
    if (server->rpc)
        rpc_stop(server->rpc);
    tls_close(server->tls);
    compute_stop();
    return repository_close(server->shared.repository);
}

struct status server_start(struct server *server, struct arena *arena)
{
    static struct status (*const steps[])(struct server * server, struct arena * arena) = {
        share_descriptors, open_log,      open_tls,       start_compute, open_repository,
        read_token,        open_services, take_endpoints, start_http,    start_grpc,
    };
    struct status status = STATUS_IS_OK;
    server->shared.options = &server->options;
    server->shared.name = "oip-reference-server";
    server->shared.version = VERSION;
    for (size_t i = 0; i < COUNT_OF(steps) && is_ok(status); i++)
        status = steps[i](server, arena);
    if (!is_ok(status))
        server_stop(server);
    return status;
}
