/* The gRPC server: its table of methods, its loops, its start and its end. */
#include "grpc/server.h"

#include <unistd.h>

#define BUDGET_MESSAGES  2 /* the budget of large messages: so many of the limit, plus a constant */
#define BUDGET_AT_LEAST  ((size_t)128 * 1024 * 1024)
#define BUDGET_AT_MOST   ((size_t)192 * 1024 * 1024) /* the one of all others */
#define ARENA_OF_MESSAGE 8 /* memory that the handling of a message may take, as a multiple of the limit */
#define PATIENCE         30.0

/* Lists the methods of all services, with their paths. */
static struct status list_methods(struct rpc_server *server, struct arena *arena)
{
    const struct rpc_options *options = &server->options;
    size_t count = 0;
    for (size_t i = 0; i < options->mount_count; i++)
        count += options->mounts[i].service->method_count;
    server->methods = arena_alloc_zero(arena, count, sizeof(*server->methods));
    if (!server->methods)
        return status_no_memory();
    for (size_t i = 0; i < options->mount_count; i++) {
        const struct rpc_service *service = options->mounts[i].service;
        for (size_t k = 0; k < service->method_count; k++) {
            const struct rpc_method *method = &service->methods[k];
            struct str path = arena_printf(arena, "/%s/%s", service->name, method->name);
            if (!path.data)
                return status_no_memory();
            server->methods[server->method_count++] = (struct registered){&options->mounts[i], method, path};
        }
    }
    return STATUS_IS_OK;
}

static size_t multiple(size_t size, size_t factor, size_t more)
{
    size_t product;
    if (__builtin_mul_overflow(size, factor, &product) || __builtin_add_overflow(product, more, &product))
        return ARENA_NO_BUDGET;
    return product;
}

/* Ends the threads that run, the one that accepts first, so that no connection is handed to a loop that has ended. */
static void stop(struct rpc_server *server, size_t threads)
{
    for (size_t i = 0; i < threads; i++) {
        loop_post(&server->loops[i], &server->loops[i].stop);
        pthread_join(server->loops[i].thread, NULL);
    }
    if (threads == 0)
        listener_close(server);
    for (size_t i = 0; i < server->loop_count; i++)
        loop_close(&server->loops[i]);
    nghttp2_session_callbacks_del(server->callbacks);
    nghttp2_option_del(server->option);
}

void rpc_stop(struct rpc_server *server)
{
    stop(server, server->loop_count);
}

static struct status open_all(struct rpc_server *server, size_t loop_count, struct arena *arena)
{
    struct status status = list_methods(server, arena);
    server->loops = arena_alloc_zero(arena, loop_count, sizeof(*server->loops));
    if (is_ok(status) && !server->loops)
        status = status_no_memory();
    if (is_ok(status))
        status = session_prepare(server);
    while (is_ok(status) && server->loop_count < loop_count)
        status = loop_open(&server->loops[server->loop_count++], server, arena);
    return is_ok(status) ? listener_open(server, arena) : status;
}

struct status rpc_start(const struct rpc_options *options, struct arena *arena, struct rpc_server **started)
{
    struct rpc_server *server = arena_new_of(arena, struct rpc_server);
    if (!server)
        return status_no_memory();
    server->options = *options;
    server->patience = (int64_t)((options->patience > 0 ? options->patience : PATIENCE) * SECOND);
    server->arena_budget = multiple(options->max_message, ARENA_OF_MESSAGE, 0);
    server->large_budget.limit = multiple(options->max_message, BUDGET_MESSAGES, BUDGET_AT_LEAST);
    server->budget.limit = server->large_budget.limit < BUDGET_AT_MOST ? server->large_budget.limit : BUDGET_AT_MOST;
    atomic_flag_clear(&server->is_inflating);
    size_t loop_count = options->loops ? options->loops : (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    struct status status = open_all(server, loop_count, arena);
    size_t threads = 0;
    while (is_ok(status) && threads < loop_count) {
        if (loop_start(&server->loops[threads]))
            threads++;
        else
            status = status_error(arena, STATUS_RESOURCE_EXHAUSTED, "cannot start %zu threads for gRPC", loop_count);
    }
    if (is_ok(status))
        *started = server;
    else
        stop(server, threads);
    return status;
}

void rpc_drain(struct rpc_server *server)
{
    for (size_t i = 0; i < server->loop_count; i++)
        loop_post(&server->loops[i], &server->loops[i].drain);
}

int rpc_port(const struct rpc_server *server)
{
    return server->listener.port;
}
