/* The gRPC transport: the C core's completion queues behind calls and answers. It knows no protocol: services and their
 * methods are rows of tables given at the start; any other method is answered UNIMPLEMENTED with its name.
 *
 * Messages above the limit are RESOURCE_EXHAUSTED, compressed ones (gzip, deflate) inflated up to the same limit, and
 * nothing is allocated for what a peer merely claims. No request ever blocks a completion-queue thread. */
#ifndef GRPC_RPC_H
#define GRPC_RPC_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include <stdint.h>

struct ProtobufCMessageDescriptor;
struct rpc_method;
struct rpc_service;

/* What becomes of an answer; only deviations choose another than RPC_SEND. */
enum rpc_fate {
    RPC_SEND,
    RPC_HANG,  /* nothing is sent, the client waits until it gives up */
    RPC_RESET, /* the call is cancelled without an answer */
};

struct rpc_call {
    struct arena *arena;               /* freed when the answer is sent and the call is over */
    struct str path;                   /* "/inference.GRPCInferenceService/ModelInfer" */
    const struct rpc_method *method;   /* NULL: there is no such method */
    const struct rpc_service *service; /* that the path names; the first one if there is no such service */
    void *context;                     /* the service's, from its mount */
    const struct str *slices;          /* the request message, decompressed, in order */
    size_t slice_count;
    size_t message_size;

    const struct switches *switches; /* set by `begin` (deviations), read by handlers */
    const char *refused_by;          /* the requirement that refused (its slug, or its whole key), or NULL */
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
    const char *name;                                          /* "ServerLive" */
    void (*handle)(struct rpc_call *call);                     /* must answer, now or later; must not block */
    const struct ProtobufCMessageDescriptor *request, *answer; /* as published */
    uint32_t model_field; /* of the request, that names the model it is for; 0: none does */
};

/* A protocol on this transport, as its folder gives it. */
struct rpc_service {
    const char *name;    /* "inference.GRPCInferenceService" */
    const char *profile; /* under which its calls are judged, in front of the keys of requirements: "v2-grpc" */
    const struct rpc_method *methods;
    size_t method_count;
};

struct rpc_mount {
    const struct rpc_service *service;
    void *context;
};

/* What it points to lives as long as the server. */
struct rpc_options {
    const char *address; /* "127.0.0.1:8001"; port 0: any */
    size_t queues;       /* completion queues, a thread each; 0: one a core */
    size_t max_message;
    const struct rpc_mount *mounts; /* one at least */
    size_t mount_count;
    void (*begin)(struct rpc_call *call);  /* may be NULL */
    void (*finish)(struct rpc_call *call); /* after the answer is set, before it is sent; may alter it; may be NULL */
};

struct rpc_server;
struct status rpc_start(const struct rpc_options *options, struct arena *arena, struct rpc_server **server);
int rpc_port(const struct rpc_server *server);

/* Cancels what is still running (drain first), waits for the threads, frees all but calls that a handler still holds:
 * those go when it answers. */
void rpc_stop(struct rpc_server *server);

size_t rpc_in_flight(void);

#endif
