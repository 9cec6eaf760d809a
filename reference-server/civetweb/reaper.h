/* What holds others up gives way. Each connection holds a worker; when all workers are taken, those connections are
 * ended on which nothing happens, which take too long for the head of a request or for the handshake of TLS, whose body
 * drips, or whose answer is taken in drips, so that those behind them are served (RFC 9112, section 9.5: a server may
 * close an idle connection at any time). */
#pragma once

#include "civetweb/sockets.h"

#include <stdatomic.h>
#include <stddef.h>

/* While others wait, a client must send its body, and take its answer, faster than this. */
#define REAPER_SLOW_AFTER 5.0           /* seconds, of an answer */
#define REAPER_SLOW_BODY  1.0           /* seconds, of a body */
#define REAPER_SLOW_RATE  (16.0 * 1024) /* bytes a second */

/* What a worker tells of its connection. */
struct slot {
    struct slot *next;
    _Atomic socket_ends ends; /* 0: it has none */
    _Atomic int64_t since;    /* it waits for a request */
    atomic_bool serves;
    bool is_counted; /* civetweb tells of the end of a handshake that failed, too, but not of its beginning */

    /* Only for the look: since when bytes of an answer have waited in the connection for the client to take them, and
     * how many it had taken by then. */
    struct pace {
        socket_ends ends;
        int64_t since;
        uint64_t taken;
    } pace;
};

struct reaper {
    struct slot *slots; /* one for each worker; they are added before a connection comes */
    size_t slot_count;
    const int *ports; /* of the server */
    size_t port_count;
    bool tls;
    atomic_size_t connections; /* slots that have one */
};

void reaper_add(struct reaper *reaper, struct slot *slot);

/* The worker has a new connection, or has none any more. */
void reaper_enter(struct reaper *reaper, struct slot *slot, const struct mg_request_info *info);
void reaper_leave(struct reaper *reaper, struct slot *slot);

/* The worker begins to serve a request of its connection, or has served it. */
void reaper_busy(struct slot *slot, const struct mg_request_info *info);
void reaper_idle(struct slot *slot);

/* Says whether all workers are taken. */
bool reaper_is_full(struct reaper *reaper);

/* Ends what holds others up if no worker is free. To be called a few times a second, by one thread. */
void reaper_sweep(struct reaper *reaper);
