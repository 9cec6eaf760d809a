#include "grpc/listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG     1024
#define ACCEPT_MAX  64              /* in one turn of the loop */
#define RETRY_AFTER (100 * 1000000) /* nanoseconds */

static void set_watched(struct listener *listener, bool is_watched)
{
    loop_watch(&listener->all->loop, listener->fd, &listener->source, is_watched ? EPOLLIN : 0);
}

static void retry(struct timer *timer)
{
    set_watched(OWNER_OF(timer, struct listener, retry), true);
}

/* Stops accepting for a moment. What waits stays in the queue of the system. */
static void pause_accepting(struct listener *listener)
{
    struct loop *loop = &listener->all->loop;
    if (timer_set(&loop->timers, &listener->retry, loop->now + RETRY_AFTER))
        set_watched(listener, false);
}

/* Returns the connections of the loop that has the fewest. */
static struct connections *fewest(struct connections *all)
{
    struct connections *fewest = all;
    for (; all; all = all->next)
        if (atomic_load(&all->count) < atomic_load(&fewest->count))
            fewest = all;
    return fewest;
}

static bool is_full(const struct listener *listener)
{
    size_t count = 0;
    for (struct connections *all = listener->all; all; all = all->next)
        count += atomic_load(&all->count);
    return listener->most && count >= listener->most;
}

static bool is_shortage(int fault)
{
    return fault == EMFILE || fault == ENFILE || fault == ENOBUFS || fault == ENOMEM;
}

/* Accepts one connection. Returns false if there is none, or none can be accepted at the moment. The memory for it was
 * allocated before, and the memory for the next one is allocated afterwards: so one client is served even when memory
 * is short. */
static bool accept_one(struct listener *listener)
{
    if (is_full(listener)) {
        pause_accepting(listener);
        return false;
    }
    if (!listener->spare)
        listener->spare = connection_new(listener->all->size);
    int fd = listener->spare ? accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;
    if (fd < 0) {
        if (!listener->spare || is_shortage(errno))
            pause_accepting(listener);
        return listener->spare && (errno == ECONNABORTED || errno == EINTR);
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    struct connection *connection = listener->spare;
    listener->spare = connection_new(listener->all->size);
    connection_begin(connection, fd, fewest(listener->all), &listener->all->loop);
    return true;
}

static void arrived(struct loop_source *source, uint32_t)
{
    for (int i = 0; i < ACCEPT_MAX && accept_one((struct listener *)source); i++)
        ;
}

/* --- The address --- */

static int listen_at(const struct addrinfo *address)
{
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (address->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){0}, sizeof(int));
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int fault = errno;
    close(fd);
    errno = fault;
    return -1;
}

static int port_of(int fd)
{
    struct sockaddr_in6 at = {0}; /* the port of IPv4 stands at the same place */
    socklen_t size = sizeof(at);
    return getsockname(fd, (struct sockaddr *)&at, &size) == 0 ? ntohs(at.sin6_port) : 0;
}

/* Returns the address that "HOST:PORT" or "[HOST]:PORT" names, or NULL. */
static struct addrinfo *address_of(const char *text, struct arena *arena)
{
    const char *colon = strrchr(text, ':');
    if (!colon)
        return NULL;
    struct str host = {text, (size_t)(colon - text)};
    if (host.size > 1 && host.data[0] == '[' && host.data[host.size - 1] == ']')
        host = (struct str){host.data + 1, host.size - 2};
    host = arena_copy(arena, host);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found = NULL;
    return host.data && getaddrinfo(host.data, colon + 1, &hints, &found) == 0 ? found : NULL;
}

struct status listener_open(struct listener *listener, struct connections *all, const char *text, struct arena *arena)
{
    listener->source.happened = arrived;
    listener->retry.due = retry;
    errno = EADDRNOTAVAIL;
    struct addrinfo *address = address_of(text, arena);
    struct status status = STATUS_IS_OK;
    listener->fd = address ? listen_at(address) : -1;
    if (listener->fd < 0)
        status = status_error(arena, STATUS_UNAVAILABLE, "cannot listen for gRPC on '%s': %m", text);
    if (address)
        freeaddrinfo(address);
    TRY(status);
    listener->all = all;
    listener->port = port_of(listener->fd);
    listener->spare = connection_new(all->size);
    set_watched(listener, true);
    return status;
}

void listener_close(struct listener *listener)
{
    if (!listener->all)
        return;
    loop_unwatch(&listener->all->loop, listener->fd);
    close(listener->fd);
    free(listener->spare);
    timer_clear(&listener->all->loop.timers, &listener->retry);
    listener->all = NULL;
}
