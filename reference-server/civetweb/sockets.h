/* The sockets of connections, which civetweb shows to nobody: it accepts them by the function of sockets.c. */
#pragma once

#include <civetweb.h>
#include <stdbool.h>
#include <stdint.h>

/* The address and port of the client and the port of the server, which no two connections share; 0 if they are not
 * known. */
typedef uint64_t socket_ends;

socket_ends socket_ends_of(const struct mg_request_info *info);

static inline int socket_own_port(socket_ends ends)
{
    return (int)(ends & 0xFFFF);
}

struct connection_socket {
    int fd;
    socket_ends ends;
    _Atomic int64_t *seen; /* 0 at first; what reaper.c notes here lasts as long as the connection */
};

/* Calls `take` for each connection over IPv4 that civetweb has accepted and not closed yet. */
void sockets_each(void (*take)(void *context, const struct connection_socket *socket), void *context);

/* Returns the socket of a connection; -1 if it is gone. */
int socket_of(const struct mg_request_info *info);
