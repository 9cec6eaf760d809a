#include "http/crowd.h"

#include "http/watch.h"

#include <linux/sockios.h>
#include <linux/tcp.h> /* netinet/tcp.h does not know how many bytes a client has taken */
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define PATIENCE      500 /* milliseconds without a byte from the client, after which a connection is idle */
#define HEAD_PATIENCE ((int64_t)5000000000) /* nanoseconds for the head of a request, or for a handshake */

void http_crowd_enter(struct http_worker *worker, const struct mg_request_info *info)
{
    atomic_store(&worker->since, http_now());
    atomic_store(&worker->ends, info ? http_ends_of(info) : 0);
    atomic_fetch_add(&worker->server->connections, 1);
}

void http_crowd_leave(struct http_worker *worker)
{
    atomic_store(&worker->ends, 0);
    atomic_fetch_sub(&worker->server->connections, 1);
}

void http_crowd_busy(struct http_worker *worker, const struct mg_request_info *info)
{
    if (atomic_load_explicit(&worker->ends, memory_order_relaxed) == 0)
        atomic_store(&worker->ends, http_ends_of(info));
    atomic_store_explicit(&worker->serves, true, memory_order_release);
}

void http_crowd_idle(struct http_worker *worker)
{
    atomic_store_explicit(&worker->since, http_now(), memory_order_relaxed);
    atomic_store_explicit(&worker->serves, false, memory_order_release);
}

bool http_crowd_is_full(struct http_server *server)
{
    return atomic_load(&server->connections) >= server->options.threads;
}

/* --- The look --- */

struct crowd {
    struct http_server *server;
    int64_t now;
    struct stranger *strangers; /* of this look */
    size_t stranger_count, stranger_most;
};

static bool is_ours(const struct http_server *server, int port)
{
    for (size_t i = 0; i < server->options.listener_count; i++)
        if (server->ports[i] == port)
            return true;
    return false;
}

static struct http_worker *worker_of(const struct http_server *server, http_ends ends)
{
    for (size_t i = 0; i < server->options.threads; i++)
        if (atomic_load_explicit(&server->workers[i].ends, memory_order_relaxed) == ends)
            return &server->workers[i];
    return NULL;
}

/* Whether the worker has read all that the client sent. */
static bool is_read(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}

/* Whether the client has sent nothing for a while. */
static bool is_silent(int fd)
{
    struct tcp_info info;
    socklen_t size = sizeof(info);
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_last_data_recv > PATIENCE;
}

/* Returns since when a connection is seen that no worker says to have: it waits for one, or for its handshake. */
static int64_t seen_since(struct crowd *crowd, http_ends ends)
{
    const struct http_server *server = crowd->server;
    int64_t since = crowd->now;
    for (size_t i = 0; i < server->stranger_count; i++)
        if (server->strangers[i].ends == ends)
            since = server->strangers[i].since;
    if (crowd->stranger_count < crowd->stranger_most)
        crowd->strangers[crowd->stranger_count++] = (struct stranger){ends, since};
    return since;
}

/* Whether bytes of an answer have waited for the client for a while, in which it took few. */
static bool takes_slowly(const struct crowd *crowd, struct http_worker *worker, int fd, http_ends ends)
{
    struct tcp_info info;
    socklen_t size = sizeof(info);
    struct pace *pace = &worker->pace;
    int waiting = 0;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || ioctl(fd, SIOCOUTQ, &waiting) != 0)
        return false;
    double seconds = (double)(crowd->now - pace->since) / 1e9;
    bool is_slow = (double)(info.tcpi_bytes_acked - pace->taken) < seconds * HTTP_SLOW_RATE;
    bool begins = waiting == 0 || pace->ends != ends;
    if (begins || seconds > HTTP_SLOW_AFTER)
        *pace = (struct pace){ends, crowd->now, info.tcpi_bytes_acked};
    return !begins && seconds > HTTP_SLOW_AFTER && is_slow;
}

/* Ends a connection together with what the system still has to send on it. */
static void cut(int fd)
{
    const struct linger at_once = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    shutdown(fd, SHUT_RDWR);
}

/* A request that arrives at this very moment may be lost, as with any server that closes an idle connection. */
static bool end_if_it_holds_up(void *context, int fd, http_ends ends)
{
    struct crowd *crowd = context;
    if (!is_ours(crowd->server, http_own_port(ends)))
        return true;
    struct http_worker *worker = worker_of(crowd->server, ends);
    if (worker && atomic_load_explicit(&worker->serves, memory_order_acquire)) {
        if (takes_slowly(crowd, worker, fd, ends))
            cut(fd);
        return true;
    }
    int64_t since = worker ? atomic_load(&worker->since) : seen_since(crowd, ends);
    if (is_read(fd) && (is_silent(fd) || crowd->now - since > HEAD_PATIENCE))
        shutdown(fd, SHUT_RD);
    return true;
}

struct census {
    const struct http_server *server;
    size_t count;
};

static bool count_ours(void *context, int fd, http_ends ends)
{
    struct census *census = context;
    (void)fd;
    census->count += is_ours(census->server, http_own_port(ends));
    return true;
}

/* Whether no worker is free. A handshake of TLS holds one, too, before civetweb tells of the connection. */
static bool is_crowded(struct http_server *server)
{
    struct census census = {server, 0};
    if (http_crowd_is_full(server))
        return true;
    if (server->options.tls)
        http_each_socket(count_ours, &census);
    return census.count >= server->options.threads;
}

void http_crowd_look(struct http_server *server)
{
    struct crowd crowd = {.server = server, .now = http_now(), .stranger_most = 2 * server->options.threads};
    if (is_crowded(server) && (crowd.strangers = calloc(crowd.stranger_most, sizeof(*crowd.strangers))))
        http_each_socket(end_if_it_holds_up, &crowd);
    free(server->strangers);
    server->strangers = crowd.strangers;
    server->stranger_count = crowd.stranger_count;
}

void http_crowd_free(struct http_server *server)
{
    free(server->strangers);
    server->strangers = NULL;
}
