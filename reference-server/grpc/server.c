/* The gRPC server: its table of methods, its loops, its start and its end. It uses all layers:
 *
 *     server                               starts and stops
 *     dispatch                             has methods called (rpc.h is what these see)
 *     streaming, incoming                  calls with many messages              outgoing, attention, course
 *     queue, offload, request, answer      what a call needs on its way
 *     call                                 a call: its state and its memory      message, inflate
 *     session                              HTTP/2 by libnghttp2                  request_fields, headers, blocks
 *     listener
 *     connection                           a socket and its bytes                output, secure
 *     loop                                 a thread that waits                   timer
 *
 * Each file calls and includes only files below it, or further right on its line. The files on the right do one thing
 * each and know no socket, except secure. A layer calls the layer above only through functions that it was given. The
 * structs of a layer (of a loop, and of a connection) begin with the struct of the layer below. */
#include "base/search.h"
#include "grpc/dispatch.h"
#include "grpc/listener.h"
#include "grpc/offload.h"
#include "grpc/queue.h"

#include <unistd.h>

/* The budget of large messages is BUDGET_AT_LEAST and this multiple of the limit of a message. */
#define BUDGET_MESSAGES  2
#define BUDGET_AT_LEAST  ((size_t)128 * 1024 * 1024)
#define BUDGET_AT_MOST   ((size_t)192 * 1024 * 1024) /* the most that the budget of all other messages may be */
#define ARENA_OF_MESSAGE 8 /* memory that the handling of a message may take, as a multiple of the limit */
#define PATIENCE         30.0

/* A loop with all layers. */
struct worker {
    struct calls calls; /* must be first */
    struct post stop, drain;
    struct rpc_server *server;
};

struct rpc_server {
    struct call_shared shared;
    struct http2 http2;
    struct offload offload;
    struct listener listener; /* on the loop of the first worker */
    struct worker *workers;
    size_t worker_count;
};

/* --- Workers --- */

static struct connections *connections_of(struct worker *worker)
{
    return &worker->calls.sessions.connections;
}

static int end_turn(struct loop *loop)
{
    struct worker *worker = (struct worker *)loop;
    bool is_blocked = worker->calls.queued.first && queue_attend(&worker->calls);
    connections_end_turn(connections_of(worker));
    if (connections_of(worker)->is_stopping && worker->calls.handed_over == 0)
        return LOOP_ENDS;
    return worker->calls.queued.first ? is_blocked : LOOP_WAITS;
}

static void stop_worker(struct post *post)
{
    struct worker *worker = OWNER_OF(post, struct worker, stop);
    struct connections *all = connections_of(worker);
    all->is_stopping = true;
    if (worker->server->listener.all == all)
        listener_close(&worker->server->listener);
    while (all->first)
        session_end((struct session *)all->first);
}

static void drain_worker(struct post *post)
{
    struct worker *worker = OWNER_OF(post, struct worker, drain);
    worker->calls.is_draining = true;
    for (struct connection *at = connections_of(worker)->first; at; at = at->next)
        dispatch_drain((struct peer *)at);
}

static struct status open_worker(struct worker *worker, struct rpc_server *server, struct arena *arena)
{
    struct connections *connections = connections_of(worker);
    const struct rpc_options *options = &server->shared.options;
    worker->server = server;
    worker->stop.take = stop_worker;
    worker->drain.take = drain_worker;
    connections->size = sizeof(struct peer);
    connections->tls = options->tls;
    connections->patience = (int64_t)((options->patience > 0 ? options->patience : PATIENCE) * CLOCK_SECOND);
    worker->calls.ready = dispatch_ready;
    calls_open(&worker->calls, &server->shared, dispatch_retry);
    return sessions_open(&worker->calls.sessions, &server->http2, end_turn, arena);
}

static void close_worker(struct worker *worker)
{
    calls_close(&worker->calls);
    sessions_close(&worker->calls.sessions);
}

/* --- The server --- */

/* Lists the methods of all services, with their paths. */
static struct status list_methods(struct call_shared *shared, struct arena *arena)
{
    const struct rpc_options *options = &shared->options;
    size_t count = SUM(i, options->mount_count, options->mounts[i].service->method_count);
    shared->methods = arena_alloc_zero(arena, count, sizeof(*shared->methods));
    NEED(shared->methods);
    for (size_t i = 0; i < options->mount_count; i++) {
        const struct rpc_service *service = options->mounts[i].service;
        for (size_t k = 0; k < service->method_count; k++) {
            const struct rpc_method *method = &service->methods[k];
            struct str path = arena_printf(arena, "/%s/%s", service->name, method->name);
            NEED(path.data);
            shared->methods[shared->method_count++] = (struct registered){&options->mounts[i], method, path};
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
        struct loop *loop = &connections_of(&server->workers[i])->loop;
        loop_post(loop, &server->workers[i].stop);
        pthread_join(loop->thread, NULL);
    }
    if (threads == 0)
        listener_close(&server->listener);
    offload_stop(&server->offload);
    for (size_t i = 0; i < server->worker_count; i++)
        close_worker(&server->workers[i]);
    http2_close(&server->http2);
}

void rpc_stop(struct rpc_server *server)
{
    stop(server, server->worker_count);
}

/* Sets `worker_count` to the number of those that stop() has to close. */
static struct status open_all(struct rpc_server *server, size_t count, struct arena *arena)
{
    TRY(list_methods(&server->shared, arena));
    server->workers = arena_alloc_zero(arena, count, sizeof(*server->workers));
    NEED(server->workers);
    TRY(http2_open(&server->http2));
    while (server->worker_count < count)
        TRY(open_worker(&server->workers[server->worker_count++], server, arena));
    for (size_t i = 1; i < count; i++)
        connections_of(&server->workers[i - 1])->next = connections_of(&server->workers[i]);
    server->listener.most = server->shared.options.connections;
    return listener_open(&server->listener, connections_of(server->workers), server->shared.options.address, arena);
}

struct status rpc_start(const struct rpc_options *options, struct arena *arena, struct rpc_server **started)
{
    struct rpc_server *server = arena_new_of(arena, struct rpc_server);
    NEED(server);
    struct call_shared *shared = &server->shared;
    shared->options = *options;
    shared->arena_budget = multiple(options->max_message, ARENA_OF_MESSAGE, 0);
    shared->large_budget.limit = multiple(options->max_message, BUDGET_MESSAGES, BUDGET_AT_LEAST);
    shared->budget.limit = shared->large_budget.limit < BUDGET_AT_MOST ? shared->large_budget.limit : BUDGET_AT_MOST;
    shared->offload = &server->offload;
    atomic_flag_clear(&shared->is_inflating);
    server->http2 =
        (struct http2){.handler = &dispatch_handler, .padding = options->padding, .receive = options->receive};
    size_t count = options->loops ? options->loops : (size_t)sysconf(_SC_NPROCESSORS_ONLN), threads = 0;
    struct status status = open_all(server, count, arena);
    if (is_ok(status) && !offload_start(&server->offload))
        status = status_error(arena, STATUS_RESOURCE_EXHAUSTED, "cannot start a thread for slow calls of gRPC");
    while (is_ok(status) && threads < count) {
        if (loop_start(&connections_of(&server->workers[threads])->loop))
            threads++;
        else
            status = status_error(arena, STATUS_RESOURCE_EXHAUSTED, "cannot start %zu threads for gRPC", count);
    }
    if (is_ok(status))
        *started = server;
    else
        stop(server, threads);
    return status;
}

void rpc_drain(struct rpc_server *server)
{
    for (size_t i = 0; i < server->worker_count; i++)
        loop_post(&connections_of(&server->workers[i])->loop, &server->workers[i].drain);
}

int rpc_port(const struct rpc_server *server)
{
    return server->listener.port;
}
