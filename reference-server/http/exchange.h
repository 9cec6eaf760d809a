/* Inside of the HTTP transport: one request on its worker, the workers, and their server. What happens to a request is
 * in five files, each of which calls only those before it: its head is read and checked (exchange.c), a watch ends what
 * takes too long (watch.c), its body is read (body.c), the answer is sent (answer.c), and http.c leads through all. */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include "http/mount.h"

#include <civetweb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define HTTP_HEADERS_MAX 64 /* civetweb keeps no more, and says nothing about the others */

struct http_exchange {
    struct http_request request; /* first: the handler's pointer is ours */
    struct http_worker *worker;
    const struct mount *mount; /* of the service that answers */
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
    void **kept; /* one a mount */

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
    struct mounts mounts;
    int ports[HTTP_LISTENERS_MAX];
    struct mg_context *civetweb;
    size_t arena_budget;
    struct http_worker *workers; /* options.threads of them */
    atomic_size_t worker_count;  /* that have started */
    char fault[256];             /* what civetweb said last, for a failed start */

    pthread_t watch;
    bool watching;
    atomic_bool stopping;
    pthread_mutex_t stop_lock;
    pthread_cond_t stop_wake;
};

/* Takes over what civetweb parsed of a request's head, all of which may be missing, and finds its service. */
void http_exchange_read_head(struct http_exchange *exchange, const struct mg_request_info *info);

/* Fills the exchange from the head of a request, and checks it. NULL, or a sentence that says what is wrong with it and
 * the *status of the refusal. */
const char *http_exchange_begin(struct http_exchange *exchange, struct http_worker *worker,
                                struct mg_connection *connection, int *status);

#endif
