/* Inside of the HTTP transport: one request on its worker, from civetweb's callback to the last byte of the answer. */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include "http/http.h"

#include <civetweb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define HTTP_HEADERS_MAX 64 /* civetweb keeps no more, and says nothing about the others */

#define NO_MEMORY_STATUS 503 /* of an answer for which there is no memory */

struct http_exchange {
    struct http_request request; /* first: the handler's pointer is ours */
    struct http_worker *worker;
    struct mg_connection *connection;
    const struct mg_request_info *info;
    bool has_body;       /* a length above zero, or chunked */
    struct str encoding; /* of the body: its Content-Encoding */
    bool chunked;
    bool expects;     /* asks for 100 Continue before its body */
    bool body_read;   /* to its end */
    size_t body_size; /* of the body that was read, inflated */
    bool close;       /* after this answer */
    bool keep_1_0;    /* an HTTP/1.0 client that asked to keep the connection */
    struct http_header headers[HTTP_HEADERS_MAX], answer_headers[HTTP_ANSWER_HEADERS];
};

/* One worker thread: one connection at a time. */
struct http_worker {
    struct http_server *server;
    struct http_exchange exchange;
    struct arena arena;
    struct buf out;    /* head and body of the answer, for one write */
    struct buf answer; /* the handler's body */
    struct buf body, inflated;
    void *kept;

    /* Who waits for an answer from another thread: 0 nobody, 1 the worker waits, 2 answered. */
    atomic_int answered;

    /* For the watch: when the body must be here (monotonic nanoseconds, 0: none is awaited). */
    _Atomic int64_t deadline;
    atomic_bool timed_out;

    time_t date_of;
    char date[40];

    /* For an answer from another thread. Used seldom, and last: no request writes a cache line of its neighbour's. */
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

struct http_server {
    struct http_options options;
    struct mg_context *civetweb;
    int port;
    size_t arena_budget;
    struct http_worker *workers; /* options.threads of them */
    atomic_size_t worker_count;  /* that have started */
    struct buf no_memory;        /* the body of an answer for which there is no memory */
    char fault[256];             /* what civetweb said last, for a failed start */

    pthread_t watch;
    bool watching;
    atomic_bool stopping;
    pthread_mutex_t stop_lock;
    pthread_cond_t stop_wake;
};

int64_t http_now(void); /* monotonic nanoseconds, a few milliseconds late: what it costs is a part of every request */
bool http_draining(void);

/* Takes over what civetweb parsed of a request's head; all of it may be missing. */
void http_exchange_read_head(struct http_exchange *exchange, const struct mg_request_info *info);

/* Checks the head of a request and fills the exchange; false: the answer (a refusal) is set already. */
bool http_exchange_begin(struct http_exchange *exchange, struct http_worker *worker, struct mg_connection *connection);

/* Writes head and body, and discards what is left of the request's body. */
void http_exchange_end(struct http_exchange *exchange);

/* Sets the answer to a fault of the transport; the connection closes after it. */
void http_refuse(struct http_exchange *exchange, int status, const char *message) __attribute__((cold));

/* Writes status line and headers of an answer. */
void http_write_head(struct http_exchange *exchange, size_t body_size, struct buf *out);

/* A little body that nobody asked for is read, so that the connection can go on. */
void http_discard_body(struct http_exchange *exchange);

/* The watch: a thread that shuts the connection of a worker whose body does not come in time (civetweb's own time-out
 * starts again with each byte, and gives no access to the socket). */
struct status http_watch_start(struct http_server *server, struct arena *arena);
void http_watch_stop(struct http_server *server);

/* Waits until the client leaves or the server stops. */
void http_hang(struct http_exchange *exchange);

#endif
