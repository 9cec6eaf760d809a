/* The gRPC server: one thread for each completion queue, on which every method has a few calls armed (call.c). */
#include "grpc/call.h"

#include "grpc/locks.h"
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <limits.h>
#include <unistd.h>

#define ARMED_CALLS      16 /* for each method and queue: so many calls may arrive before the core has to queue them */
#define METADATA_MAX     8192 /* bytes of metadata in a request; above it the core answers RESOURCE_EXHAUSTED */
#define STREAMS_MAX      1024 /* calls at once on one connection; a client makes further ones wait */
#define QUOTA_MESSAGES   2    /* the memory quota of all connections: so many messages of the limit, plus a constant */
#define QUOTA_AT_LEAST   ((size_t)128 * 1024 * 1024)
#define ARENA_OF_MESSAGE 8 /* memory that the handling of a message may take, as a multiple of the limit */

static void *serve_queue(void *argument)
{
    struct queue *queue = argument;
    for (;;) {
        grpc_event core = grpc_completion_queue_next(queue->core, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
        if (core.type == GRPC_QUEUE_SHUTDOWN)
            return NULL;
        struct event *event = core.tag;
        event->happened(event->subject, core.success);
    }
}

static void server_shut_down(void *subject, bool ok)
{
    (void)ok;
    struct rpc_server *server = subject;
    pthread_mutex_lock(&server->lock);
    server->is_shut_down = true;
    pthread_cond_signal(&server->change);
    pthread_mutex_unlock(&server->lock);
}

static void no_log(gpr_log_func_args *arguments)
{
    (void)arguments;
}

static grpc_server *new_core(const struct rpc_options *options)
{
    int max_message = options->max_message < INT_MAX ? (int)options->max_message : INT_MAX;
    grpc_resource_quota *quota = grpc_resource_quota_create("rpc");
    grpc_resource_quota_resize(quota, (size_t)max_message * QUOTA_MESSAGES + QUOTA_AT_LEAST);
    grpc_arg args[] = {
        {.type = GRPC_ARG_POINTER,
         .key = (char *)GRPC_ARG_RESOURCE_QUOTA,
         .value.pointer = {.p = quota, .vtable = grpc_resource_quota_arg_vtable()}},
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_ALLOW_REUSEPORT, .value.integer = 0},
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, .value.integer = 0},
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, .value.integer = max_message},
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_MAX_METADATA_SIZE, .value.integer = METADATA_MAX},
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_MAX_CONCURRENT_STREAMS, .value.integer = STREAMS_MAX},
    };
    grpc_channel_args channel_args = {.num_args = sizeof(args) / sizeof(args[0]), .args = args};
    grpc_server *core = grpc_server_create(&channel_args, NULL);
    grpc_resource_quota_unref(quota);
    return core;
}

static void stop(struct rpc_server *server, size_t threads)
{
    for (size_t i = 0; i < server->queue_count; i++)
        grpc_completion_queue_shutdown(server->queues[i].core);
    for (size_t i = 0; i < server->queue_count; i++) {
        if (i < threads)
            pthread_join(server->queues[i].thread, NULL);
        else
            serve_queue(&server->queues[i]);
        grpc_completion_queue_destroy(server->queues[i].core);
    }
    grpc_server_destroy(server->core);
    pthread_cond_destroy(&server->change);
    pthread_mutex_destroy(&server->lock);
    grpc_shutdown_blocking();
    call_pools_empty();
}

void rpc_stop(struct rpc_server *server)
{
    struct event shut_down = {server_shut_down, server};
    grpc_server_shutdown_and_notify(server->core, server->queues[0].core, &shut_down);
    grpc_server_cancel_all_calls(server->core);
    pthread_mutex_lock(&server->lock);
    while (!server->is_shut_down)
        pthread_cond_wait(&server->change, &server->lock);
    pthread_mutex_unlock(&server->lock);
    stop(server, server->queue_count);
}

/* Lists the methods of all services, with their paths. */
static struct status list_methods(struct rpc_server *server, struct arena *arena)
{
    const struct rpc_options *options = &server->options;
    size_t count = 0;
    for (size_t i = 0; i < options->mount_count; i++)
        count += options->mounts[i].service->method_count;
    server->registered = arena_alloc_zero(arena, count, sizeof(*server->registered));
    if (!server->registered)
        return status_no_memory();
    for (size_t i = 0; i < options->mount_count; i++) {
        const struct rpc_service *service = options->mounts[i].service;
        for (size_t k = 0; k < service->method_count; k++) {
            const struct rpc_method *method = &service->methods[k];
            struct str path = arena_printf(arena, "/%s/%s", service->name, method->name);
            if (!path.data)
                return status_no_memory();
            server->registered[server->registered_count++] =
                (struct registered){.mount = &options->mounts[i], .method = method, .path = path};
        }
    }
    return STATUS_IS_OK;
}

struct status rpc_start(const struct rpc_options *options, struct arena *arena, struct rpc_server **started)
{
    struct rpc_server *server = arena_new_of(arena, struct rpc_server);
    size_t queue_count = options->queues ? options->queues : (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (!server)
        return status_no_memory();
    server->options = *options;
    server->queues = arena_alloc_zero(arena, queue_count, sizeof(struct queue));
    struct status status = list_methods(server, arena);
    if (!is_ok(status) || !server->queues)
        return status_no_memory();
    if (__builtin_mul_overflow(options->max_message, ARENA_OF_MESSAGE, &server->arena_budget))
        server->arena_budget = ARENA_NO_BUDGET;
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->change, NULL);

    gpr_set_log_function(no_log);
    grpc_locks_unwatched();
    grpc_init();
    server->core = new_core(options);
    for (size_t i = 0; i < server->registered_count; i++)
        server->registered[i].tag = grpc_server_register_method(server->core, server->registered[i].path.data, NULL,
                                                                GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
    for (; server->queue_count < queue_count; server->queue_count++) {
        struct queue *queue = &server->queues[server->queue_count];
        *queue = (struct queue){.server = server,
                                .pool = call_pool_of(server->queue_count),
                                .core = grpc_completion_queue_create_for_next(NULL)};
        grpc_server_register_completion_queue(server->core, queue->core, NULL);
    }
    grpc_server_credentials *plaintext = grpc_insecure_server_credentials_create();
    server->port = grpc_server_add_http2_port(server->core, options->address, plaintext);
    grpc_server_credentials_release(plaintext);
    grpc_server_start(server->core);

    size_t threads = 0;
    if (server->port > 0) {
        for (size_t i = 0; i < queue_count; i++) {
            for (size_t k = 0; k < ARMED_CALLS; k++) {
                call_arm(&server->queues[i], NULL);
                for (size_t m = 0; m < server->registered_count; m++)
                    call_arm(&server->queues[i], &server->registered[m]);
            }
        }
        while (threads < queue_count &&
               pthread_create(&server->queues[threads].thread, NULL, serve_queue, &server->queues[threads]) == 0)
            threads++;
        if (threads == queue_count) {
            *started = server;
            return STATUS_IS_OK;
        }
    }

    struct event shut_down = {server_shut_down, server};
    grpc_server_shutdown_and_notify(server->core, server->queues[0].core, &shut_down);
    stop(server, threads);
    if (server->port <= 0)
        return status_error(
            arena, STATUS_UNAVAILABLE,
            "cannot listen for gRPC on '%s': it is not an address of this machine, or the port is in use",
            options->address);
    return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "cannot start %zu threads for gRPC", queue_count);
}

int rpc_port(const struct rpc_server *server)
{
    return server->port;
}
