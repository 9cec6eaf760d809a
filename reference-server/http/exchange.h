/* Internals of the HTTP transport: one request on its worker, the workers, and their server. This header is for
 * files of this folder. Five files handle a request, and each calls only those before it: exchange.c reads and checks
 * it, watch.c ends what takes too long, body.c reads the body, answer.c sends the answer, and serve.c calls them all.
 * The workers are in worker.c; http.c starts and stops the server. */
#pragma once

#include "base/budget.h"
#include "base/tally.h"
#include "civetweb/reaper.h"
#include "http/mount.h"

#include <civetweb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define HTTP_HEADERS_MAX 64 /* civetweb keeps no more headers, and does not say that there were more */

/* How far the body of a request is read. It stays BODY_ABSENT if there is none.
 *
 *     BODY_EXPECTED --100 Continue--> BODY_UNREAD --the handler reads it whole--> BODY_READ
 *
 * A body that cannot be read stays BODY_UNREAD. A refusal may leave one: then the rest is dropped or the connection
 * closes. */
enum body_state { BODY_ABSENT, BODY_EXPECTED, BODY_UNREAD, BODY_READ };

/* How far the answer is sent. An answer without parts stays ANSWER_DUE until the handler has returned, and is then sent
 * in one write.
 *
 *     ANSWER_DUE --the first part--> ANSWER_IN_PARTS --a part cannot be sent--> ANSWER_CUT */
enum answer_state { ANSWER_DUE, ANSWER_IN_PARTS, ANSWER_CUT };

/* Whether the worker waits for a handler that answers from another thread. Either the worker begins to wait first, or
 * the answer comes first:
 *
 *     HANDLER_RUNS --the worker--> HANDLER_AWAITED --the answer, which wakes the worker--> HANDLER_DONE
 *     HANDLER_RUNS --the answer--> HANDLER_DONE */
enum handler_state { HANDLER_RUNS, HANDLER_AWAITED, HANDLER_DONE };

/* All members belong to the thread of the worker; while a handler answers in parts from another thread, to that one. */
struct http_exchange {
    struct http_request request; /* must be first: a handler's pointer to it is a pointer to the exchange */
    struct http_worker *worker;
    const struct mount *mount; /* of the service that answers */
    struct mg_connection *connection;
    const struct mg_request_info *info;
    enum body_state body;
    enum answer_state answer;
    struct str encoding; /* the Content-Encoding of the body */
    bool chunked;        /* the body comes in chunks */
    bool close;          /* the connection closes after this answer */
    bool keep_1_0;       /* an HTTP/1.0 client asked to keep the connection */
    bool is_1_1;         /* the client knows chunks */
    int socket;          /* -1: not looked for yet */
    size_t sent;         /* bytes of the answer's body */
    struct http_header headers[HTTP_HEADERS_MAX], answer_headers[HTTP_ANSWER_HEADERS];
};

/* A worker thread. It serves one connection at a time. */
struct http_worker {
    struct http_server *server;
    struct http_exchange exchange;
    struct lease lease; /* is charged for the arena, for `answer`, `body` and `inflated`, and for `paid` */
    size_t paid;        /* bytes by http_pay */
    struct arena arena;
    struct buf out;    /* head and body of the answer, which are sent in one write */
    struct buf answer; /* the body that the handler writes */
    struct buf body, inflated;
    void **cache; /* one for each mount */

    _Atomic enum handler_state handler;

    struct http_before before; /* the last request on this connection */

    /* When the body must be complete, for the watch, in monotonic nanoseconds; 0 if no body is awaited. */
    _Atomic int64_t deadline;
    atomic_bool timed_out;

    atomic_size_t arrived; /* bytes of that body */

    struct slot slot;

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
    struct reaper reaper;
    char fault[256]; /* the first message that civetweb logged at a failed start */

    pthread_t watch;
    bool watching;
    atomic_bool stopping;
    pthread_mutex_t stop_lock;
    pthread_cond_t stop_wake;
};

/* Whether the request has a body that was not completely read. */
static inline bool http_leaves_body(const struct http_exchange *exchange)
{
    return exchange->body == BODY_EXPECTED || exchange->body == BODY_UNREAD;
}

/* Charges memory of this request that no arena or buf charges. Returns false if the request has no share left for
 * it. */
static inline bool http_pay(struct http_worker *worker, size_t size)
{
    if (!lease_take(&worker->lease, size))
        return false;
    worker->paid += size;
    return true;
}

/* --- Requests in flight (flight.c) --- */

/* Counts a request, until tally_leave gets what this returns. http_in_flight (http.h) returns how many are counted. */
struct tally_place *http_flight_begin(void);

/* Whether http_drain was called: connections end with their answers. */
bool http_draining(void);

/* --- The head (exchange.c) --- */

/* Takes over the head of a request from civetweb and finds its service. Any part of the head may be missing. */
void http_exchange_read_head(struct http_exchange *exchange, const struct mg_request_info *info);

/* Fills the exchange from the head of a request and checks it. Returns NULL, or a sentence that says what is wrong;
 * *status is then the HTTP status of the refusal. */
const char *http_exchange_begin(struct http_exchange *exchange, struct http_worker *worker,
                                struct mg_connection *connection, int *status);

/* Whether it is a token, as names of headers and methods are (RFC 9110, 5.6.2). */
bool http_is_token(struct str name);

/* --- Deadlines (watch.c) --- */

/* Starts the watch: a thread that shuts the connection of a worker whose body does not come in time. civetweb's own
 * time-out does not suffice, because it starts again with each byte. */
struct status http_watch_start(struct http_server *server, struct arena *arena);
void http_watch_stop(struct http_server *server);

/* Waits until the client leaves or the server stops. */
void http_hang(struct http_exchange *exchange);

/* --- The body, which http_read_body (http.h) reads (body.c) --- */

/* Reads and drops a small body that the handler did not read, so that the connection can go on. */
void http_discard_body(struct http_exchange *exchange);

/* Reads and drops, for a second at most, what a client still sends whose request was refused before its end. Closing at
 * once would reset the connection, and the client might lose the answer. */
void http_linger(struct http_exchange *exchange);

/* --- The answer, after http_answer (http.h) has set it (answer.c) --- */

/* Sets the answer to a fault of the transport, in the form of the service. The connection closes after it. */
void http_refuse(struct http_exchange *exchange, int status, const char *message) __attribute__((cold));

/* Sends head and body, and reads and drops the rest of the request body. */
void http_exchange_end(struct http_exchange *exchange);

/* --- The workers, and what each of them keeps from one request to the next (worker.c) --- */

/* Makes everything that the workers need before they can answer, in the arena. */
struct status http_workers_make(struct http_server *server, struct arena *arena);

/* To be called when no worker runs any more. */
void http_workers_free(struct http_server *server);

/* For civetweb, on each of its threads: returns the worker of a thread that serves connections, and frees what it has
 * kept when the thread ends. Other kinds of threads have none. */
void *http_worker_begin(const struct mg_context *context, int kind);
void http_worker_end(const struct mg_context *context, int kind, void *worker);

/* Waits until the request of the worker is answered, by whichever thread. */
void http_worker_wait(struct http_worker *worker);

/* Gives the memory of a request back, except what every request needs. */
void http_worker_clean(struct http_worker *worker);

/* --- The way of a request, for civetweb (serve.c) --- */

/* Serves one request of a connection. Returns the status of its answer. */
int http_serve(struct mg_connection *connection);

/* Answers a request that civetweb refuses before http_serve sees it. Returns 0: the answer is sent. */
int http_serve_fault(struct mg_connection *connection, int status, const char *message);
