#include "civetweb/reaper.h"

#include "base/clock.h"
#include "base/search.h"

#include <linux/sockios.h>
#include <linux/tcp.h> /* netinet/tcp.h does not know how many bytes a client has taken */
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define PATIENCE      500 /* milliseconds without a byte from the client, after which a connection is idle */
#define HEAD_PATIENCE ((int64_t)5000000000) /* nanoseconds for the head of a request, or for a handshake */

void reaper_add(struct reaper *reaper, struct slot *slot)
{
    slot->next = reaper->slots;
    reaper->slots = slot;
    reaper->slot_count++;
}

void reaper_enter(struct reaper *reaper, struct slot *slot, const struct mg_request_info *info)
{
    atomic_store(&slot->since, clock_coarse());
    atomic_store(&slot->ends, info ? socket_ends_of(info) : 0);
    atomic_fetch_add(&reaper->connections, 1);
    slot->is_counted = true;
}

void reaper_leave(struct reaper *reaper, struct slot *slot)
{
    atomic_store(&slot->ends, 0);
    if (slot->is_counted)
        atomic_fetch_sub(&reaper->connections, 1);
    slot->is_counted = false;
}

void reaper_busy(struct slot *slot, const struct mg_request_info *info)
{
    if (atomic_load_explicit(&slot->ends, memory_order_relaxed) == 0)
        atomic_store(&slot->ends, socket_ends_of(info));
    atomic_store_explicit(&slot->serves, true, memory_order_release);
}

void reaper_idle(struct slot *slot)
{
    atomic_store_explicit(&slot->since, clock_coarse(), memory_order_relaxed);
    atomic_store_explicit(&slot->serves, false, memory_order_release);
}

bool reaper_is_full(struct reaper *reaper)
{
    return atomic_load(&reaper->connections) >= reaper->slot_count;
}

/* --- The look --- */

struct look {
    const struct reaper *reaper;
    int64_t now;
    size_t count; /* connections */
};

static bool is_ours(const struct reaper *reaper, const struct connection_socket *socket)
{
    return ANY(i, reaper->port_count, reaper->ports[i] == socket_own_port(socket->ends));
}

static struct slot *slot_of(const struct reaper *reaper, socket_ends ends)
{
    struct slot *slot = reaper->slots;
    while (slot && atomic_load_explicit(&slot->ends, memory_order_relaxed) != ends)
        slot = slot->next;
    return slot;
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

/* Whether bytes of an answer have waited for the client for a while, in which it took few. */
static bool takes_slowly(struct pace *pace, int64_t now, const struct connection_socket *socket)
{
    struct tcp_info info;
    socklen_t size = sizeof(info);
    int waiting = 0;
    if (getsockopt(socket->fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || ioctl(socket->fd, SIOCOUTQ, &waiting) != 0)
        return false;
    double seconds = (double)(now - pace->since) / 1e9;
    bool is_slow = (double)(info.tcpi_bytes_acked - pace->taken) < seconds * REAPER_SLOW_RATE;
    bool begins = waiting == 0 || pace->ends != socket->ends;
    if (begins || seconds > REAPER_SLOW_AFTER)
        *pace = (struct pace){socket->ends, now, info.tcpi_bytes_acked};
    return !begins && seconds > REAPER_SLOW_AFTER && is_slow;
}

/* Ends a connection together with what the system still has to send on it. */
static void cut(int fd)
{
    const struct linger at_once = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    shutdown(fd, SHUT_RDWR);
}

/* Returns since when the connection waits for a request, or, as far as looks have seen, for a worker or for its
 * handshake: then no worker has told of it yet. */
static int64_t waits_since(const struct look *look, const struct slot *slot, const struct connection_socket *socket)
{
    int64_t never = 0;
    if (slot)
        return atomic_load(&slot->since);
    atomic_compare_exchange_strong(socket->seen, &never, look->now);
    return atomic_load(socket->seen);
}

/* A request that arrives at this very moment may be lost, as with any server that closes an idle connection. */
static void end_idle(const struct look *look, const struct slot *slot, const struct connection_socket *socket)
{
    bool is_late = look->now - waits_since(look, slot, socket) > HEAD_PATIENCE;
    if (is_read(socket->fd) && (is_silent(socket->fd) || is_late))
        shutdown(socket->fd, SHUT_RD);
}

static void end_what_holds_up(void *context, const struct connection_socket *socket)
{
    const struct look *look = context;
    struct slot *slot = slot_of(look->reaper, socket->ends);
    if (!is_ours(look->reaper, socket))
        return;
    if (!slot || !atomic_load_explicit(&slot->serves, memory_order_acquire))
        end_idle(look, slot, socket);
    else if (takes_slowly(&slot->pace, look->now, socket))
        cut(socket->fd);
}

static void count_ours(void *context, const struct connection_socket *socket)
{
    struct look *look = context;
    look->count += is_ours(look->reaper, socket);
}

/* Whether no worker is free. A handshake of TLS holds one, too, before civetweb tells of the connection. */
static bool is_crowded(struct reaper *reaper, struct look *look)
{
    if (reaper->tls && !reaper_is_full(reaper))
        sockets_each(count_ours, look);
    return reaper_is_full(reaper) || look->count >= reaper->slot_count;
}

void reaper_sweep(struct reaper *reaper)
{
    struct look look = {.reaper = reaper, .now = clock_coarse()};
    if (is_crowded(reaper, &look))
        sockets_each(end_what_holds_up, &look);
}
