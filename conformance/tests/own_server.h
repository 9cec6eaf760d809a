/* An HTTP server inside the test program, for a group of tests. Each connection has a thread, which calls the test's
 * function `converse`. */
#pragma once

#include "port.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int own_listener;
static pthread_t own_thread;
static char own_address[64]; /* "http://127.0.0.1:40123" */

/* Defined by the test: reads and answers until it or the client stops. The connection is closed afterwards. */
static void converse(int connection);

/* Reads the head of a request as a text; false: the client stopped before. */
static inline bool own_read_head(int connection, char *head, size_t room)
{
    size_t size = 0;
    ssize_t got;
    while ((got = recv(connection, head + size, room - 1 - size, 0)) > 0) {
        size += (size_t)got;
        head[size] = '\0';
        if (strstr(head, "\r\n\r\n"))
            return true;
    }
    return false;
}

static inline void *own_connection(void *argument)
{
    int *connection = argument;
    converse(*connection);
    close(*connection);
    free(connection);
    return NULL;
}

static inline void *own_accept(void *argument)
{
    int taken;
    while ((taken = accept(own_listener, NULL, NULL)) >= 0) {
        pthread_t thread;
        int *connection = malloc(sizeof(*connection));
        assert_non_null(connection);
        *connection = taken;
        assert_int_equal(pthread_create(&thread, NULL, own_connection, connection), 0);
        pthread_detach(thread);
    }
    return argument;
}

static inline int start_server(void **state)
{
    (void)state;
    int port;
    own_listener = port_bind(&port);
    assert_int_equal(listen(own_listener, 64), 0);
    snprintf(own_address, sizeof(own_address), "http://127.0.0.1:%d", port);
    return pthread_create(&own_thread, NULL, own_accept, NULL);
}

static inline int stop_server(void **state)
{
    (void)state;
    shutdown(own_listener, SHUT_RDWR);
    pthread_join(own_thread, NULL);
    return close(own_listener);
}
