/* A free port of this machine for a small server inside a test program. */
#pragma once

#include "tests/scratch.h"

#include <arpa/inet.h>
#include <sys/socket.h>

/* Returns a socket that is bound to a free port. The test itself calls listen. */
static inline int port_bind(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return listener;
}
