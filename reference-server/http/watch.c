#include "http/watch.h"

#include "base/clock.h"
#include "http/crowd.h"

#include <poll.h>
#include <sys/socket.h>

#define GLANCES     30  /* looks in the time that a body may take; each look reads memory of every worker */
#define HANG_GLANCE 0.1 /* seconds */
#define NAP_MAX     0.25

int64_t http_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * CLOCK_SECOND + now.tv_nsec;
}

/* Whether the body of a worker has come slowly for a while, and others wait. */
static bool drips(struct http_worker *worker, int64_t deadline)
{
    double seconds = worker->server->options.body_timeout - (double)(deadline - http_now()) / 1e9;
    return seconds > HTTP_SLOW_BODY && (double)atomic_load(&worker->arrived) < seconds * HTTP_SLOW_RATE &&
           http_crowd_is_full(worker->server);
}

static void look_at(struct http_worker *worker)
{
    int64_t deadline = atomic_load(&worker->deadline);
    if (deadline == 0 || (http_now() < deadline && !drips(worker, deadline)))
        return;
    if (!atomic_compare_exchange_strong(&worker->deadline, &deadline, 0))
        return;
    atomic_store(&worker->timed_out, true);
    int fd = http_find_socket(worker->exchange.info);
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
        http_crowd_look(server);
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
    http_crowd_free(server);
}

bool http_is_awaited(const struct http_request *request)
{
    struct http_exchange *exchange = (struct http_exchange *)(uintptr_t)request;
    if (exchange->socket < 0)
        exchange->socket = http_find_socket(exchange->info);
    struct pollfd client = {.fd = exchange->socket, .events = POLLRDHUP};
    return client.fd >= 0 && poll(&client, 1, 0) == 0;
}

void http_hang(struct http_exchange *exchange)
{
    struct http_server *server = exchange->worker->server;
    while (!atomic_load(&server->stopping) && http_is_awaited(&exchange->request))
        nap(server, HANG_GLANCE);
}
