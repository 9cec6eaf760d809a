#include "http/crowd.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

#define PATIENCE 500 /* milliseconds without a byte from the client, after which a connection is idle */

void http_crowd_enter(struct http_worker *worker)
{
    worker->ends = 0;
    atomic_fetch_add(&worker->server->connections, 1);
}

void http_crowd_leave(struct http_worker *worker)
{
    atomic_fetch_sub(&worker->server->connections, 1);
}

void http_crowd_busy(struct http_worker *worker, const struct mg_request_info *info)
{
    if (!worker->ends)
        worker->ends = http_ends_of(info);
    atomic_store_explicit(&worker->serves, worker->ends, memory_order_release);
}

void http_crowd_idle(struct http_worker *worker)
{
    atomic_store_explicit(&worker->serves, 0, memory_order_release);
}

struct crowd {
    const struct http_server *server;
    http_ends *served; /* the connections with a request that is being served */
    size_t served_count;
};

static bool is_ours(const struct http_server *server, int port)
{
    for (size_t i = 0; i < server->options.listener_count; i++)
        if (server->ports[i] == port)
            return true;
    return false;
}

/* Whether the client has sent nothing for a while, and the worker has read all that it sent. */
static bool is_silent(int fd)
{
    struct tcp_info info;
    socklen_t size = sizeof(info);
    char byte;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_last_data_recv > PATIENCE &&
           recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}

/* A request that arrives at this very moment may be lost, as with any server that closes an idle connection. */
static bool end_if_idle(void *context, int fd, http_ends ends)
{
    struct crowd *crowd = context;
    if (!is_ours(crowd->server, http_own_port(ends)))
        return true;
    for (size_t i = 0; i < crowd->served_count; i++)
        if (crowd->served[i] == ends)
            return true;
    if (is_silent(fd))
        shutdown(fd, SHUT_RD);
    return true;
}

void http_crowd_look(struct http_server *server)
{
    if (atomic_load(&server->connections) < server->options.threads)
        return;
    struct crowd crowd = {.server = server, .served = calloc(server->options.threads, sizeof(*crowd.served))};
    if (!crowd.served)
        return;
    for (size_t i = 0; i < server->options.threads; i++) {
        http_ends ends = atomic_load_explicit(&server->workers[i].serves, memory_order_acquire);
        if (ends)
            crowd.served[crowd.served_count++] = ends;
    }
    http_each_socket(end_if_idle, &crowd);
    free(crowd.served);
}
