/* Internals of the gRPC transport: the server with its queues, and its calls. This header is for files of this
 * folder. */
#ifndef GRPC_CALL_H
#define GRPC_CALL_H

#include "base/tally.h"
#include "grpc/rpc.h"

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdatomic.h>

#define TRAILING_MAX 8

/* The tag of an operation of the core. The function is called when the operation has ended; `ok` says whether it
 * worked. */
struct event {
    void (*happened)(void *subject, bool ok);
    void *subject;
};

struct registered {
    const struct rpc_mount *mount;
    const struct rpc_method *method;
    struct str path;
    void *tag; /* the tag under which the core knows the method */
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
    PHASE_HANDLING, /* the handler runs */
    PHASE_DEFERRED, /* the handler has returned without an answer */
    PHASE_ANSWERED,
    PHASE_ABANDONED, /* the client has left; nobody waits for the answer */
};

struct server_call {
    struct rpc_call rpc; /* must be first: both structs have the same address */
    struct rpc_server *server;
    struct queue *queue;
    const struct registered *registered; /* NULL if the method is in no table */
    struct event arrived, closed, sent;

    grpc_call *handle;
    grpc_call_details details;    /* only set if the method is in no table */
    gpr_timespec deadline;        /* the core writes it; the handler does not use it */
    grpc_metadata_array metadata; /* its elements belong to `handle` */
    grpc_byte_buffer *request, *answer;
    grpc_metadata trailing[TRAILING_MAX];
    size_t trailing_count;
    int close_cancelled; /* the core writes it */

    _Atomic enum phase phase;
    atomic_size_t pending, holders;
    struct tally_place *place; /* where the call is counted as in flight */

    struct arena arena;
    struct call_pool *pool;
    struct server_call *next; /* the next one in the pool */
};

/* Asks the core for the next call of a method on a queue; NULL means any method that is in no table. */
void call_arm(struct queue *queue, const struct registered *registered);

/* --- Memory of calls (call_pool.c) --- */

/* Returns the pool of a queue. With more than 16 queues, some share a pool. Pools outlive every server. */
struct call_pool *call_pool_of(size_t queue);

/* call_take returns a call for a queue; never NULL. All of it is clear except the arena and the memory for metadata.
 * call_give_back may run on any thread; the call goes back to its pool. */
struct server_call *call_take(struct call_pool *pool, size_t arena_budget);
void call_give_back(struct server_call *call);

/* Frees the calls of all pools. */
void call_pools_empty(void);

#endif
