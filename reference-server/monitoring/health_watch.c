/* Watch: who is told when the health changes. Readiness is a property of all models, which load and fail on threads of
 * their own, and nobody tells of it. So a thread looks at it, as long as somebody watches, and sends what changed. It
 * asks the repository only while it holds the lock and there is a watcher: when the last call has ended, nothing uses
 * the repository any more, and the server may close it. */
#include "inference/infer.h"
#include "monitoring/health.h"
#include "monitoring/monitoring.h"

#include <pthread.h>
#include <time.h>

#define GLANCE_NS (20 * 1000 * 1000)

/* One Watch, in the arena of its call, of which it is the context. */
struct watcher {
    struct rpc_call *call;
    struct repository *repository;
    struct watcher *next, **link; /* among those who watch; link is NULL if it has left */
    enum health told;
    bool is_known; /* the service; that of an unknown one does not change */
    bool is_full;  /* the client does not read: it is told the last state when it does */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* the first watcher has come */
    struct watcher *first;
    bool is_running;
} watchers = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

enum health health_now(struct repository *repository)
{
    return infer_is_ready(repository) ? HEALTH_SERVING : HEALTH_NOT_SERVING;
}

/* The lock is held. */
static void tell(struct watcher *watcher, enum health health)
{
    char bytes[HEALTH_MESSAGE_MAX];
    const struct str message = health_message(health, bytes);
    if (watcher->is_full || watcher->told == health)
        return;
    watcher->told = health;
    watcher->is_full = rpc_send(watcher->call, &message, 1) == RPC_FULL;
}

/* Tells everybody what is new. The lock is held. health-grpc.watch-changes */
static void tell_all(void)
{
    for (struct watcher *watcher = watchers.first; watcher; watcher = watcher->next)
        tell(watcher, watcher->is_known ? health_now(watcher->repository) : HEALTH_SERVICE_UNKNOWN);
}

static void *look(void *unused)
{
    const struct timespec glance = {.tv_nsec = GLANCE_NS};
    pthread_mutex_lock(&watchers.lock);
    for (;;) {
        while (!watchers.first)
            pthread_cond_wait(&watchers.wake, &watchers.lock);
        tell_all();
        pthread_mutex_unlock(&watchers.lock);
        nanosleep(&glance, NULL);
        pthread_mutex_lock(&watchers.lock);
    }
    return unused;
}

/* Starts the thread, which never ends. The lock is held. */
static bool start(void)
{
    pthread_t thread;
    if (!watchers.is_running && pthread_create(&thread, NULL, look, NULL) == 0) {
        pthread_detach(thread);
        watchers.is_running = true;
    }
    return watchers.is_running;
}

void health_watch(struct rpc_call *call, bool is_known)
{
    struct watcher *watcher = arena_new_of(call->arena, struct watcher);
    pthread_mutex_lock(&watchers.lock);
    bool is_watched = watcher && start();
    if (is_watched) {
        *watcher = (struct watcher){.call = call,
                                    .repository = ((const struct shared *)call->context)->repository,
                                    .next = watchers.first,
                                    .link = &watchers.first,
                                    .is_known = is_known};
        if (watcher->next)
            watcher->next->link = &watcher->next;
        watchers.first = watcher;
        call->context = watcher;
        tell(watcher, is_known ? health_now(watcher->repository) : HEALTH_SERVICE_UNKNOWN);
        pthread_cond_signal(&watchers.wake);
    }
    pthread_mutex_unlock(&watchers.lock);
    if (is_watched)
        return;
    call->status = status_no_memory();
    rpc_answer(call);
}

/* Ends the call, unless that has happened. */
static void leave(struct rpc_call *call, struct status status)
{
    struct watcher *watcher = call->context;
    pthread_mutex_lock(&watchers.lock);
    bool is_here = watcher->link != NULL;
    if (is_here) {
        if (status.code == STATUS_UNAVAILABLE && watcher->is_known)
            tell(watcher, health_now(watcher->repository));
        *watcher->link = watcher->next;
        if (watcher->next)
            watcher->next->link = watcher->link;
        watcher->link = NULL;
    }
    pthread_mutex_unlock(&watchers.lock);
    if (!is_here)
        return;
    call->status = status;
    rpc_answer(call);
}

static void cancelled(struct rpc_call *call)
{
    leave(call, status_plain(STATUS_CANCELLED, "the client has left"));
}

static void drained(struct rpc_call *call)
{
    leave(call, status_plain(STATUS_UNAVAILABLE, "the server is shutting down"));
}

static void writable(struct rpc_call *call)
{
    struct watcher *watcher = call->context;
    pthread_mutex_lock(&watchers.lock);
    watcher->is_full = false;
    pthread_mutex_unlock(&watchers.lock);
}

const struct rpc_stream health_stream = {.cancelled = cancelled, .drained = drained, .writable = writable};
