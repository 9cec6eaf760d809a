/* Internals of the HTTP transport: one request on its worker, the workers, and their server. This header is for
 * files of this folder. Seven files handle a request, and each calls only those before it: head.c knows where the head
 * begins, exchange.c reads and checks it, crowd.c ends what holds others up, watch.c what takes too long, body.c reads
 * the body, answer.c sends the answer, and serve.c calls them all. The workers are in worker.c; http.c starts and stops
 * the server. */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include "base/budget.h"
#include "http/mount.h"
#include "http/sockets.h"

#include <civetweb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define HTTP_HEADERS_MAX 64 /* civetweb keeps no more headers, and does not say that there were more */

struct http_exchange {
    struct http_request request; /* must be first: a handler's pointer to it is a pointer to the exchange */
    struct http_worker *worker;
    const struct mount *mount; /* of the service that answers */
    struct mg_connection *connection;
    const struct mg_request_info *info;
    bool has_body;       /* a length above zero, or chunked */
    struct str encoding; /* the Content-Encoding of the body */
    bool chunked;
    bool expects;   /* the client waits for 100 Continue before it sends the body */
    bool body_read; /* the body was read to its end */
    bool close;     /* the connection closes after this answer */
    bool keep_1_0;  /* an HTTP/1.0 client asked to keep the connection */
    bool is_1_1;    /* the client knows chunks */
    bool in_parts;  /* the head is sent; the body comes in parts */
    bool is_cut;    /* a part could not be sent */
    int socket;     /* -1: not looked for yet */
    size_t sent;    /* bytes of the answer's body */
    struct http_header headers[HTTP_HEADERS_MAX], answer_headers[HTTP_ANSWER_HEADERS];
};

/* A worker thread. It serves one connection at a time. */
struct http_worker {
    struct http_server *server;
    struct http_exchange exchange;
    struct purse purse; /* pays for the arena, for `answer`, `body` and `inflated`, and for what follows */
    size_t paid;        /* bytes by http_pay */
    struct arena arena;
    struct buf out;    /* head and body of the answer, which are sent in one write */
    struct buf answer; /* the body that the handler writes */
    struct buf body, inflated;
    void **kept; /* one for each mount */

    /* State of an answer from another thread: 0 nobody waits, 1 the worker waits, 2 answered. */
    atomic_int answered;

    /* When the body must be complete, for the watch, in monotonic nanoseconds; 0 if no body is awaited. */
    _Atomic int64_t deadline;
    atomic_bool timed_out;

    atomic_size_t arrived; /* bytes of that body */

    /* For crowd.c: the ends of its connection, since when it waits for a request, and whether it serves one. */
    _Atomic http_ends ends;
    _Atomic int64_t since;
    atomic_bool serves;

    /* Only for crowd.c: since when bytes of an answer have waited in the connection for the client to take them, and
     * how many it had taken by then. */
    struct pace {
        http_ends ends;
        int64_t since;
        uint64_t taken;
    } pace;

    time_t date_of;
    char date[40];

    /* For answers from other threads. These members are used seldom and come last, so that no request writes to a cache
     * line of another worker. */
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

struct http_server {
    struct http_options options;
    struct mounts mounts;
    int ports[HTTP_LISTENERS_MAX];
    struct mg_context *civetweb;
    struct budget budget;
    struct budget inflated_budget; /* of requests whose body is compressed */
    struct http_worker *workers;   /* options.threads of them */
    atomic_size_t worker_count;    /* workers that have started */
    atomic_size_t connections;     /* workers that have a connection */
    char fault[256];               /* the first message that civetweb logged at a failed start */

    /* Connections of which no worker has told yet, and since when they are seen; only for crowd.c. */
    struct stranger {
        http_ends ends;
        int64_t since;
    } * strangers;
    size_t stranger_count;

    pthread_t watch;
    bool watching;
    atomic_bool stopping;
    pthread_mutex_t stop_lock;
    pthread_cond_t stop_wake;
};

/* Pays for memory of this request that no arena and no buf pays for. Returns false if it has no share for it. */
static inline bool http_pay(struct http_worker *worker, size_t size)
{
    if (!purse_take(&worker->purse, size))
        return false;
    worker->paid += size;
    return true;
}

/* Takes over the head of a request from civetweb and finds its service. Any part of the head may be missing. */
void http_exchange_read_head(struct http_exchange *exchange, const struct mg_request_info *info);

/* Fills the exchange from the head of a request and checks it. Returns NULL, or a sentence that says what is wrong;
 * *status is then the HTTP status of the refusal. */
const char *http_exchange_begin(struct http_exchange *exchange, struct http_worker *worker,
                                struct mg_connection *connection, int *status);

#endif
