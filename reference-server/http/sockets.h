/* The sockets of connections, which civetweb hides. They are found among the open files of the process. */
#ifndef HTTP_SOCKETS_H
#define HTTP_SOCKETS_H

#include <civetweb.h>
#include <stdbool.h>
#include <stdint.h>

/* The address and port of the client and the port of the server, which no two connections share; 0 if they are not
 * known. */
typedef uint64_t http_ends;

http_ends http_ends_of(const struct mg_request_info *info);

static inline int http_own_port(http_ends ends)
{
    return (int)(ends & 0xFFFF);
}

/* Calls `take` for each IPv4 connection of the process, until it returns false. This is slow: the system is asked about
 * each open file. */
void http_each_socket(bool (*take)(void *context, int fd, http_ends ends), void *context);

/* Returns the socket of a connection; -1 if it is gone. It is as slow. */
int http_find_socket(const struct mg_request_info *info);

#endif
