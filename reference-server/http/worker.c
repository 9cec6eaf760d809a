#include "http/exchange.h"

#include <sched.h>

#define KEPT_MAX ((size_t)16 * 1024) /* bytes; a worker frees larger buffers after each request */
#define SERVES   1                   /* the number that civetweb uses for a thread that serves connections */

struct status http_workers_make(struct http_server *server, struct arena *arena)
{
    size_t mounts = server->options.mount_count;
    server->workers = arena_alloc_zero(arena, server->options.threads, sizeof(*server->workers));
    void **cache = arena_alloc_zero(arena, server->options.threads, mounts * sizeof(*cache));
    NEED(server->workers && cache);
    for (size_t i = 0; i < server->options.threads; i++) {
        struct http_worker *worker = &server->workers[i];
        worker->server = server;
        reaper_add(&server->reaper, &worker->slot);
        worker->cache = cache + i * mounts;
        worker->lease = (struct lease){.budget = &server->budget, .own = HTTP_OWN};
        worker->arena = arena_new(ARENA_NO_BUDGET);
        worker->arena.lease = worker->answer.lease = worker->body.lease = worker->inflated.lease = &worker->lease;
        pthread_mutex_init(&worker->lock, NULL);
        pthread_cond_init(&worker->wake, NULL);
    }
    return STATUS_IS_OK;
}

void http_workers_free(struct http_server *server)
{
    for (size_t i = 0; i < server->options.threads; i++) {
        pthread_mutex_destroy(&server->workers[i].lock);
        pthread_cond_destroy(&server->workers[i].wake);
    }
}

/* Asks the system that a worker that wakes up does not interrupt another one that has nearly finished its request.
 * Under load such interruptions cost more than the work for a small request. A refusal of the system does no harm. */
static void avoid_preempting_workers(void)
{
    const struct sched_param none = {0};
    sched_setscheduler(0, SCHED_BATCH, &none);
}

void *http_worker_begin(const struct mg_context *context, int kind)
{
    struct http_server *server = mg_get_user_data(context);
    if (kind != SERVES)
        return NULL;
    avoid_preempting_workers();
    return &server->workers[atomic_fetch_add(&server->worker_count, 1)];
}

/* Frees what a worker keeps for one mount. */
static void free_cache(struct http_worker *worker, const struct mount *mount)
{
    void **cache = &worker->cache[mount - worker->server->mounts.list];
    if (*cache && mount->service->free_cache)
        mount->service->free_cache(*cache);
    *cache = NULL;
}

void http_worker_end(const struct mg_context *, int kind, void *ended)
{
    struct http_worker *worker = ended;
    if (kind != SERVES)
        return;
    const struct mounts *mounts = &worker->server->mounts;
    for (size_t i = 0; i < mounts->count; i++)
        free_cache(worker, &mounts->list[i]);
    arena_free(&worker->arena);
    buf_free(&worker->out);
    buf_free(&worker->answer);
    buf_free(&worker->body);
    buf_free(&worker->inflated);
}

void http_worker_wait(struct http_worker *worker)
{
    enum handler_state state = HANDLER_RUNS;
    if (!atomic_compare_exchange_strong(&worker->handler, &state, HANDLER_AWAITED))
        return;
    pthread_mutex_lock(&worker->lock);
    while (atomic_load(&worker->handler) != HANDLER_DONE)
        pthread_cond_wait(&worker->wake, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
}

static void shrink(struct buf *buf)
{
    buf->failed = false;
    if (buf->capacity > KEPT_MAX)
        buf_free(buf);
}

/* Takes back the buf of the answer; deviations may have replaced it by another one. */
static void take_back(struct http_worker *worker, struct buf *answer)
{
    if (answer->lease != &worker->lease)
        buf_free(answer);
    worker->answer = *answer;
    worker->answer.lease = &worker->lease;
}

void http_worker_clean(struct http_worker *worker)
{
    struct http_exchange *exchange = &worker->exchange;
    take_back(worker, &exchange->request.answer_buf);
    shrink(&worker->answer);
    shrink(&worker->out);
    shrink(&worker->body);
    shrink(&worker->inflated);
    if (exchange->request.body.size > KEPT_MAX)
        free_cache(worker, exchange->mount);
    arena_reset(&worker->arena, ARENA_NO_BUDGET);
    lease_return(&worker->lease, worker->paid);
    lease_settle(&worker->lease);
    lease_change(&worker->lease, &worker->server->budget);
    worker->lease.shortage = SHORTAGE_NONE;
    worker->paid = 0;
}
