/* What the tests of the HTTP transport share: sockets to it, and how services of theirs refuse. */
#pragma once

#include "http/http.h"
#include "tests/scratch.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static int connect_to(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 60}, sizeof(struct timeval));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

/* Returns all that comes until the server closes the connection. The caller frees it. */
static struct buf receive_all(int fd)
{
    struct buf all = {0};
    for (ssize_t size; (size = recv(fd, buf_reserve(&all, 65536), 65536, 0)) > 0;)
        all.size += (size_t)size;
    close(fd);
    return all;
}

static const char *write_refusal(struct http_request *request, int, const char *message)
{
    buf_append_str(&request->answer_buf, str_of(message));
    return "text/plain";
}
