/* Inside of the gRPC transport: the server with its queues, and the calls that wait there and pass through. */
#ifndef GRPC_CALL_H
#define GRPC_CALL_H

#include "base/tally.h"
#include "grpc/rpc.h"

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdatomic.h>

#define TRAILING_MAX 8

/* The tag of whatever the core is asked for: what is called when it has happened. `ok`: as asked. */
struct event {
    void (*happened)(void *subject, bool ok);
    void *subject;
};

struct registered {
    const struct rpc_mount *mount;
    const struct rpc_method *method;
    struct str path;
    void *tag; /* the core's name for it */
};

struct queue {
    struct rpc_server *server;
    struct call_pool *pool;
    grpc_completion_queue *core;
    pthread_t thread;
};

struct rpc_server {
    struct rpc_options options;
    grpc_server *core;
    int port;
    struct registered *registered; /* the methods of all services */
    size_t registered_count;
    struct queue *queues;
    size_t queue_count;
    size_t arena_budget;

    pthread_mutex_t lock;
    pthread_cond_t change;
    bool is_shut_down;
};

enum phase {
    PHASE_HANDLING, /* inside the handler */
    PHASE_DEFERRED, /* the handler has returned without an answer */
    PHASE_ANSWERED,
    PHASE_ABANDONED, /* nobody waits for the answer any more */
};

struct server_call {
    struct rpc_call rpc; /* first: both have one address */
    struct rpc_server *server;
    struct queue *queue;
    const struct registered *registered; /* NULL: no row of the table */
    struct event arrived, closed, sent;

    grpc_call *handle;
    grpc_call_details details;    /* of a call that no row of the table is for */
    gpr_timespec deadline;        /* the core writes it; the handler may take as long as it likes */
    grpc_metadata_array metadata; /* its elements belong to the handle */
    grpc_byte_buffer *request, *answer;
    grpc_metadata trailing[TRAILING_MAX];
    size_t trailing_count;
    int close_cancelled; /* written by the core */

    _Atomic enum phase phase;
    atomic_size_t pending, holders;
    struct tally_place *place; /* where it is counted */

    struct arena arena;
    struct call_pool *pool;
    struct server_call *next; /* in the pool */
};

/* Asks the core for the next call of a method (NULL: of any other) on a queue; it is handled when it comes. */
void call_arm(struct queue *queue, const struct registered *registered);

/* --- Memory of calls (call_pool.c) --- */

/* The pool of a queue, which has it alone up to 16 queues. Pools outlive every server. */
struct call_pool *call_pool_of(size_t queue);

/* A call whose public and private parts are clear but for the arena and the metadata's memory; never NULL. Any thread
 * gives it back, to the pool that it came from. */
struct server_call *call_take(struct call_pool *pool, size_t arena_budget);
void call_give_back(struct server_call *call);

/* Frees what lies in all pools. */
void call_pools_empty(void);

#endif
