#include "http/head.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* Where civetweb has the bytes of heads on this thread. A thread has one place for all of its connections, and what it
 * reads first of all is the beginning of a head, for which it has the whole of that place. A civetweb that reads
 * otherwise would leave this NULL, and no request line would stand there. */
static _Thread_local const char *place;

void http_head_comes(const void *to, size_t size)
{
    if (!place && size == HTTP_HEAD_MAX)
        place = to;
}

/* Stands in front of the function of the C library: civetweb calls this one. Over TLS it calls SSL_read, which
 * tls/shim/ has. */
ssize_t recv(int fd, void *to, size_t size, int flags)
{
    http_head_comes(to, size);
    return recvfrom(fd, to, size, flags, NULL, NULL);
}

bool http_head_is_first(const char *request_line)
{
    uintptr_t before = (uintptr_t)request_line - (uintptr_t)place;
    return before == 0 || (before == 1 && place[0] == '\n') || (before == 2 && memcmp(place, "\r\n", 2) == 0);
}
