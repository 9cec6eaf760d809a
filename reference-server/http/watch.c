#include "http/exchange.h"

#include "base/clock.h"

#include <poll.h>
#include <sys/socket.h>

#define GLANCES     30  /* looks in the time that a body may take; each look reads memory of every worker */
#define HANG_GLANCE 0.1 /* seconds */
#define NAP_MAX     0.25

/* Whether the body of a worker has come slowly for a while, and others wait. */
static bool drips(struct http_worker *worker, int64_t deadline)
{
    double seconds = worker->server->options.body_timeout - (double)(deadline - clock_coarse()) / 1e9;
    return seconds > REAPER_SLOW_BODY && (double)atomic_load(&worker->arrived) < seconds * REAPER_SLOW_RATE &&
           reaper_is_full(&worker->server->reaper);
}

static void look_at(struct http_worker *worker)
{
    int64_t deadline = atomic_load(&worker->deadline);
    if (deadline == 0 || (clock_coarse() < deadline && !drips(worker, deadline)))
        return;
    if (!atomic_compare_exchange_strong(&worker->deadline, &deadline, 0))
        return;
    atomic_store(&worker->timed_out, true);
    int fd = socket_of(worker->exchange.info);
    if (fd >= 0)
        shutdown(fd, SHUT_RD);
}

static void nap(struct http_server *server, double seconds)
{
    int64_t until = clock_now() + (int64_t)(seconds * CLOCK_SECOND);
    pthread_mutex_lock(&server->stop_lock);
    if (!atomic_load(&server->stopping))
        clock_wait(&server->stop_wake, &server->stop_lock, until);
    pthread_mutex_unlock(&server->stop_lock);
}

static void *watch(void *argument)
{
    struct http_server *server = argument;
    double glance = server->options.body_timeout / GLANCES;
    while (!atomic_load(&server->stopping)) {
        for (size_t i = 0; i < server->options.threads; i++)
            look_at(&server->workers[i]);
        reaper_sweep(&server->reaper);
        nap(server, glance < NAP_MAX ? glance : NAP_MAX);
    }
    return NULL;
}

struct status http_watch_start(struct http_server *server, struct arena *arena)
{
    if (pthread_create(&server->watch, NULL, watch, server) != 0)
        return status_error(arena, STATUS_UNAVAILABLE, "no thread could be started for the HTTP port");
    server->watching = true;
    return STATUS_IS_OK;
}

void http_watch_stop(struct http_server *server)
{
    pthread_mutex_lock(&server->stop_lock);
    atomic_store(&server->stopping, true);
    pthread_cond_broadcast(&server->stop_wake);
    pthread_mutex_unlock(&server->stop_lock);
    if (server->watching)
        pthread_join(server->watch, NULL);
    server->watching = false;
}

bool http_is_awaited(const struct http_request *request)
{
    struct http_exchange *exchange = (struct http_exchange *)(uintptr_t)request;
    if (exchange->socket < 0)
        exchange->socket = socket_of(exchange->info);
    struct pollfd client = {.fd = exchange->socket, .events = POLLRDHUP};
    return client.fd >= 0 && poll(&client, 1, 0) == 0;
}

void http_hang(struct http_exchange *exchange)
{
    struct http_server *server = exchange->worker->server;
    while (!atomic_load(&server->stopping) && http_is_awaited(&exchange->request))
        nap(server, HANG_GLANCE);
}
