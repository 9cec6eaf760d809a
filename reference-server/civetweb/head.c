#include "civetweb/head.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* Where civetweb has the bytes of heads on this thread. A thread has one place for all of its connections, and what it
 * reads first of all is the beginning of a head, for which it has the whole of that place. A civetweb that reads
 * otherwise would leave this NULL, and no request line would stand there. */
static _Thread_local const char *place;
static _Thread_local size_t reads;
static _Thread_local bool is_at_end;

static size_t behind_place(const void *at)
{
    return (size_t)((uintptr_t)at - (uintptr_t)place);
}

void http_head_comes(const void *to, size_t size)
{
    if (!place && size == HTTP_HEAD_MAX)
        place = to;
    reads += behind_place(to) < HTTP_HEAD_MAX;
}

size_t http_head_reads(void)
{
    size_t count = reads;
    reads = 0;
    return count;
}

bool http_head_is_at_end(void)
{
    return is_at_end;
}

/* Stands in front of the function of the C library: civetweb calls this one. Over TLS it calls SSL_read, which
 * civetweb/shim/ has. */
ssize_t recv(int fd, void *to, size_t size, int flags)
{
    http_head_comes(to, size);
    ssize_t got = recvfrom(fd, to, size, flags, NULL, NULL);
    is_at_end = got == 0;
    return got;
}

bool http_head_is_first(const char *request_line)
{
    return behind_place(request_line) == 0 || http_head_is_behind_empty_line(request_line);
}

static bool stands_at(const char *at, const char bytes[4])
{
    return behind_place(at) <= HTTP_HEAD_MAX - 4 && memcmp(at, bytes, 4) == 0;
}

/* civetweb writes NULs over the line ends after the version and each value, and over the last byte of the head. Of
 * other bytes it writes NULs over blanks and further line ends after the version. */
bool http_head_ends_as_it_must(const struct mg_request_info *info)
{
    const char *line = info->http_version + strlen(info->http_version);
    if (info->num_headers <= 0)
        return stands_at(line, "\0\0\0");
    const struct mg_header *last = &info->http_headers[info->num_headers - 1];
    return info->http_headers[0].name - line == 2 && last->value &&
           stands_at(last->value + strlen(last->value), "\0\0\r");
}

bool http_head_is_behind_empty_line(const char *request_line)
{
    size_t before = behind_place(request_line);
    return (before == 1 && place[0] == '\n') || (before == 2 && memcmp(place, "\r\n", 2) == 0);
}
