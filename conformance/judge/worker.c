#include "judge/worker.h"

struct status worker_open(struct worker *worker, const struct servers *servers, void *context, struct arena *arena)
{
    *worker = (struct worker){
        .context = context, .servers = servers, .clients_arena = memory_arena(), .arena = memory_arena()};
    worker->clients = arena_alloc_zero(&worker->clients_arena, servers->count, sizeof(struct client *));
    worker->histories =
        arena_alloc_zero(&worker->clients_arena, servers->count * ENDPOINTS_MAX, sizeof(struct history));
    struct status status = STATUS_IS_OK;
    for (size_t i = 0; i < servers->count && is_ok(status); i++)
        status = client_create(&servers->list[i].client, &worker->clients_arena, &worker->clients[i]);
    status.message = arena_copy(arena, status.message);
    return status;
}

void worker_close(struct worker *worker)
{
    for (size_t i = 0; i < worker->servers->count; i++)
        client_destroy(worker->clients[i]);
    arena_free(&worker->clients_arena);
    arena_free(&worker->arena);
}

struct client *worker_client(const struct worker *worker, const struct server *server)
{
    return worker->clients[server - worker->servers->list];
}

struct history *worker_histories(const struct worker *worker, const struct server *server)
{
    return &worker->histories[(size_t)(server - worker->servers->list) * ENDPOINTS_MAX];
}

void worker_forget(struct worker *worker)
{
    arena_free(&worker->arena);
    worker->arena = memory_arena();
}

static void *begin(void *argument)
{
    struct worker *worker = argument;
    worker->work(worker);
    worker_close(worker);
    return NULL;
}

struct status workers_run(const struct servers *servers, size_t count, void (*work)(struct worker *worker),
                          void *context, struct task_end *end, struct arena *arena, bool *left)
{
    size_t opened = 0, started = 0;
    struct worker *workers = arena_alloc_zero(arena, count, sizeof(*workers));
    struct status status = STATUS_IS_OK;
    for (; opened < count && is_ok(status); opened++) {
        status = worker_open(&workers[opened], servers, context, arena);
        workers[opened].work = work;
    }
    while (started < opened && is_ok(status) &&
           pthread_create(&workers[started].thread, NULL, begin, &workers[started]) == 0)
        started++;
    if (started == 0 && is_ok(status))
        status = status_error(arena, STATUS_INTERNAL, "no thread could be started");
    for (size_t i = started; i < opened; i++)
        worker_close(&workers[i]);
    *left = false;
    for (size_t i = 0; i < started && !*left; i++)
        *left = !task_join(workers[i].thread, end);
    return status;
}
