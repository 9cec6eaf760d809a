/* The gRPC transport: the C core's completion queues behind calls and answers. It knows no protocol: methods are rows
 * of a table given at the start; any other method is answered UNIMPLEMENTED with its name.
 *
 * Messages above the limit are RESOURCE_EXHAUSTED, compressed ones (gzip, deflate) inflated up to the same limit, and
 * nothing is allocated for what a peer merely claims. No request ever blocks a completion-queue thread. */
#ifndef GRPC_RPC_H
#define GRPC_RPC_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"

/* What becomes of an answer; only deviations choose another than RPC_SEND. */
enum rpc_fate {
    RPC_SEND,
    RPC_HANG,  /* nothing is sent, the client waits until it gives up */
    RPC_RESET, /* the call is cancelled without an answer */
};

struct rpc_call {
    struct arena *arena;      /* freed when the answer is sent and the call is over */
    struct str method;        /* "/inference.GRPCInferenceService/ModelInfer" */
    const struct str *slices; /* the request message, decompressed, in order */
    size_t slice_count;
    size_t message_size;
    void *context; /* the server's, from the options */

    const struct switches *switches; /* set by `begin` (deviations), read by handlers */
    const char *refused_by;          /* full key of the requirement that refused, or NULL: trailing metadata if asked */
    const void *deviation;           /* deviations/ keeps its choice here */

    /* The answer, set before rpc_answer: status, and if ok the message as pieces in order (each in the arena or
     * static). */
    struct status status;
    struct str *pieces;
    size_t piece_count;
    enum rpc_fate fate; /* may be set by `finish` */
};

/* Sends call->status, and call->pieces when ok. Any thread, exactly once. */
void rpc_answer(struct rpc_call *call);

/* Frees the request message, which else lives as long as the call: a handler that has copied what it needs lets go of
 * the rest. Before the handler returns. */
void rpc_release_message(struct rpc_call *call);

/* First request metadata of that key; empty str with null data if there is none. Only in `begin`, in `finish` and
 * before the handler returns. */
struct str rpc_metadata(const struct rpc_call *call, const char *key);

/* Adds trailing metadata to the answer, at most 8; both are copied. What HTTP/2 cannot carry is left out. */
void rpc_trailing_metadata(struct rpc_call *call, const char *key, struct str value);

struct rpc_method {
    const char *path;                      /* "/inference.GRPCInferenceService/ServerLive" */
    void (*handle)(struct rpc_call *call); /* must answer, now or later; must not block */
};

struct rpc_options {
    const char *address; /* "127.0.0.1:8001"; port 0: any */
    size_t queues;       /* completion queues, a thread each; 0: one a core */
    size_t max_message;
    const struct rpc_method *methods;
    size_t method_count;
    void (*begin)(struct rpc_call *call);  /* may be NULL */
    void (*finish)(struct rpc_call *call); /* after the answer is set, before it is sent; may alter it; may be NULL */
    void *context;
};

struct rpc_server;
struct status rpc_start(const struct rpc_options *options, struct arena *arena, struct rpc_server **server);
int rpc_port(const struct rpc_server *server);

/* Cancels what is still running (drain first), waits for the threads, frees all but calls that a handler still holds:
 * those go when it answers. */
void rpc_stop(struct rpc_server *server);

size_t rpc_in_flight(void);

#endif
