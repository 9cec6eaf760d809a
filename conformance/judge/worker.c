#include "judge/worker.h"

void worker_open(struct worker *worker, const struct servers *servers, void *context)
{
    *worker = (struct worker){
        .context = context, .servers = servers, .clients_arena = memory_arena(), .arena = memory_arena()};
    worker->clients = arena_alloc_zero(&worker->clients_arena, servers->count, sizeof(struct client *));
    worker->histories =
        arena_alloc_zero(&worker->clients_arena, servers->count * ENDPOINTS_MAX, sizeof(struct history));
    for (size_t i = 0; i < servers->count; i++)
        worker->clients[i] = client_create(&servers->list[i].client, &worker->clients_arena);
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
    size_t started = 0;
    struct worker *workers = arena_alloc_zero(arena, count, sizeof(*workers));
    for (size_t i = 0; i < count; i++) {
        worker_open(&workers[i], servers, context);
        workers[i].work = work;
    }
    while (started < count && pthread_create(&workers[started].thread, NULL, begin, &workers[started]) == 0)
        started++;
    for (size_t i = started; i < count; i++)
        worker_close(&workers[i]);
    *left = false;
    for (size_t i = 0; i < started && !*left; i++)
        *left = !task_join(workers[i].thread, end);
    return started > 0 ? STATUS_IS_OK : status_error(arena, STATUS_INTERNAL, "no thread could be started");
}
