/* reference-server/grpc/ is the gRPC transport: calls and answers over HTTP/2 by libnghttp2, as "gRPC over HTTP/2"
 * describes them (server.c shows the way through its files). It may include proto/base/ and proto/wire/. It knows no
 * protocol: services and their methods are tables that are given at the start. It answers any other method with
 * UNIMPLEMENTED and its name.
 *
 * A message above the limit fails with RESOURCE_EXHAUSTED; a compressed one (gzip, deflate) is inflated up to a lower
 * limit (inflate.h). A message that is only announced takes no memory yet; the budget is charged before address space
 * is reserved. No handler may block: it would stop all connections of its loop. The handler of a large message that is
 * not raw data is called on another thread (offload.c). */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include <stdint.h>

struct ProtobufCMessageDescriptor;
struct rpc_method;
struct rpc_service;

/* What is done with an answer. Only deviations choose anything but RPC_SEND. */
enum rpc_delivery {
    RPC_SEND,
    RPC_HANG,  /* nothing is sent; the client waits until it gives up */
    RPC_RESET, /* the call is cancelled without an answer */
};

/* What a deviation changes in an answer at the level of HTTP/2. A field replaces the header or trailer of its name; a
 * field without a value removes it. The fields lie in the arena of the call. */
struct rpc_form {
    bool says_compressed; /* the prefix of the message says that it is compressed, although it is not */
    const struct rpc_field {
        struct str name, value;
    } * fields;
    size_t field_count;
};

/* Custom metadata of a request, in order. */
struct rpc_metadata {
    struct rpc_metadata *next;
    struct str key, value;
};

struct rpc_call {
    struct arena *arena;                            /* freed when the answer is sent and the call is over */
    struct str path;                                /* "/inference.GRPCInferenceService/ModelInfer" */
    const struct rpc_method *method;                /* NULL if the method does not exist */
    const struct rpc_service *service;              /* the service in the path, or the first one if it does not exist */
    void *context;                                  /* of the service, from its mount */
    void *own;                                      /* belongs to the handler */
    struct str message;                             /* the request, inflated; may be written to */
    struct str encoding, content_type, timeout, te; /* as its header says */
    struct rpc_metadata *metadata;                  /* as it was sent; may be read until rpc_answer */

    const char *refused_by; /* the requirement that a refusal enforces (its slug or its whole key), or NULL */
    void *deviation;        /* the deviations of this call; only deviations/ uses it */
    const void *logged;     /* set by `arrive`, for `leave` */

    /* The answer; the handler sets it before rpc_answer. If the status is OK, the message is the pieces in order; each
     * lies in the arena or is static. */
    struct status status;
    struct str *pieces;
    size_t piece_count;
    int http_status;             /* an HTTP status that is sent instead of a gRPC answer, such as 415; 0: none */
    enum rpc_delivery delivery;  /* may be set by `begin` and `finish` */
    const struct rpc_form *form; /* may be set by `finish` */
};

/* Sends call->status, and call->pieces if it is OK. Must be called exactly once, on any thread. The call must not be
 * used afterwards. */
void rpc_answer(struct rpc_call *call);

/* Answer OK with a message. rpc_answer_bytes takes packed bytes, which lie in the arena; null data means that there was
 * no memory for them. rpc_answer_message packs the message into the arena. */
struct ProtobufCMessage;
void rpc_answer_bytes(struct rpc_call *call, struct str message);
void rpc_answer_message(struct rpc_call *call, const struct ProtobufCMessage *message);

/* Answers with an error, and names the requirement that was broken if there is one. */
void rpc_refuse(struct rpc_call *call, struct status status) __attribute__((cold));

/* Whether the client still waits for the answer. May be called on any thread before rpc_answer. */
bool rpc_is_awaited(const struct rpc_call *call);

/* Frees the request message, which otherwise lives as long as the call, or until rpc_next. A handler that has copied
 * what it needs may call this before it returns. */
void rpc_release_message(struct rpc_call *call);

/* Returns the first custom metadata of that key; an empty str with null data if there is none. */
struct str rpc_metadata(const struct rpc_call *call, const char *key);

/* Returns the name of the model in the request, which points into the message; empty if it names none. */
struct str rpc_model(const struct rpc_call *call);

/* Adds trailing metadata to the answer; at most 8 are sent. The key is static, in lower case; the value, of printable
 * ASCII, is copied. */
void rpc_trailing_metadata(struct rpc_call *call, const char *key, struct str value);

struct rpc_method {
    const char *name;                                          /* "ServerLive" */
    void (*handle)(struct rpc_call *call);                     /* must answer, now or later; must not block */
    const struct ProtobufCMessageDescriptor *request, *answer; /* descriptors of the published schema */
    uint32_t model_field;            /* the field of the request that names the model; 0 if it has none */
    const struct rpc_stream *stream; /* of a method with many messages; NULL: one request and one answer */
    /* Returns the offset of the byte of a request that should stand at a multiple of 64, so that the data after it
     * can be used where it stands. Only the start of a large request is given. NULL: it does not matter. */
    size_t (*aligned)(struct str start);
};

/* --- Calls with many messages ---
 *
 * A method with a `stream` answers with any number of messages: rpc_send sends one, and rpc_answer ends the call with
 * the status (its `pieces` are not sent). If it has no function `message`, it takes one request, and `handle` gets it.
 * Otherwise `handle` is called when the call begins, before any message has come; it need not do anything.
 *
 * All functions are called on the thread of the call's loop, one at a time, and must not block. Each may be NULL. When
 * another thread calls rpc_answer, they may still be called until the loop has noticed it; so the handler must note in
 * its own memory, in the arena of the call, that the call is over. */
struct rpc_stream {
    /* A message has come: call->message. It stays valid until rpc_next is called, now or later, on any thread; only
     * then is the next one handed over. Meanwhile the client may send no more than a window of HTTP/2 (256 KiB). */
    void (*message)(struct rpc_call *call);
    /* The client has half-closed the stream, and all its messages have been handed over. This is called once, instead
     * of `message`. */
    void (*half_closed)(struct rpc_call *call);
    /* More may be sent, after rpc_send has said RPC_FULL. */
    void (*writable)(struct rpc_call *call);
    /* Nobody waits for answers any more: the client cancelled the call or disconnected, its deadline has passed, or it
     * sent something that is not a message. This is called at most once. The handler must stop its work and still call
     * rpc_answer, now or later; until then the call belongs to it. */
    void (*cancelled)(struct rpc_call *call);
    /* The server drains: a call that only waits for further messages should be answered (gRPC, "Status codes":
     * UNAVAILABLE). For a call that begins later, this is called directly after it has begun. */
    void (*drained)(struct rpc_call *call);
};

enum rpc_pace {
    RPC_GO_ON,
    RPC_FULL, /* the message is queued; no more should be sent until `writable` is called */
    RPC_GONE, /* nobody waits for answers; the message is dropped */
};

/* Queues a message of a call with many messages: a copy of the pieces in order. May be called on any thread, but by one
 * at a time, between the beginning of the call and rpc_answer. A call may queue only 64 KiB, and less when its
 * connection has used its share of the memory, so that a client that does not read stops the model instead of filling
 * the memory. */
enum rpc_pace rpc_send(struct rpc_call *call, const struct str *pieces, size_t count);

/* Frees the message and asks for the next one. May be called on any thread, once for each message. */
void rpc_next(struct rpc_call *call);

/* Tells how many bytes the handler holds for the call outside of the call. They count towards the share of its
 * connection. When the share is used up, no further message is handed over until the handler holds less. May be called
 * on any thread, like rpc_send. */
void rpc_charge(struct rpc_call *call, size_t size);

/* A protocol on this transport; its folder defines it. */
struct rpc_service {
    const char *name;    /* "inference.GRPCInferenceService" */
    const char *profile; /* under which its calls are judged; the keys of its requirements start so: "v2-grpc" */
    const struct rpc_method *methods;
    size_t method_count;
};

struct nghttp2_session;

struct rpc_mount {
    const struct rpc_service *service;
    void *context;
};

/* The options. What they point to must live as long as the server. */
struct rpc_options {
    const char *address;    /* "127.0.0.1:8001", "[::1]:8001"; port 0 means any free port */
    struct ssl_ctx_st *tls; /* the SSL_CTX of its connections; NULL: without TLS */
    size_t loops;           /* each with a thread; 0: one for each core */
    size_t connections;     /* the most that are open at once; further ones wait to be accepted; 0: no limit */
    size_t max_message;
    size_t padding;  /* bytes that a frame of an answer gets in addition, at most 255 */
    double patience; /* seconds that a client may let the server wait for the next byte; 0: 30 */
    /* For deviations: called instead of nghttp2_session_mem_recv with the bytes of a connection; may be NULL. *state
     * belongs to the connection; it is NULL at first, and is freed with the connection. Returns a negative value to end
     * the connection. */
    long (*receive)(struct nghttp2_session *session, void **state, const uint8_t *bytes, size_t size);
    unsigned takes_malformed;       /* also for deviations: bits of enum malformed (request_fields.h); requests with
                                       these faults are accepted */
    const struct rpc_mount *mounts; /* at least one */
    size_t mount_count;
    void (*begin)(struct rpc_call *call); /* may be NULL */
    /* Called between the answer and its sending; may change the answer; may be NULL. */
    void (*finish)(struct rpc_call *call);
    /* Called before a message of a call with many is handed over, on the thread of the loop, if `begin` has set
     * call->deviation; may be NULL. */
    void (*before_message)(struct rpc_call *call);
    /* Called to release call->deviation when the call is freed, however it ended, if `begin` has set it; may be
     * NULL. */
    void (*release)(struct rpc_call *call);
    /* Called for each message of rpc_send, on its thread, if `begin` has set call->deviation; may be NULL. May replace
     * the message by another one, in `arena`, or by null data: it is not sent then. */
    void (*alter)(struct rpc_call *call, struct arena *arena, struct str *message);
    void (*arrive)(struct rpc_call *call); /* for a log: called before `begin`; may be NULL */
    /* For a log: called when the call is over and `sent` bytes of messages went out; may be NULL. The handler may still
     * use the call then, so only `path` and `logged` may be read. */
    void (*leave)(const struct rpc_call *call, enum status_code code, size_t sent);
};

struct rpc_server;
struct status rpc_start(const struct rpc_options *options, struct arena *arena, struct rpc_server **server);
int rpc_port(const struct rpc_server *server);

/* Asks all clients to begin no more calls on their connections, and closes each connection when its calls are over. New
 * connections are still served. */
void rpc_drain(struct rpc_server *server);

/* Cancels the calls that still run (so drain first), waits for the threads, and frees the server. A call that a handler
 * still holds is freed when the handler answers. */
void rpc_stop(struct rpc_server *server);

size_t rpc_in_flight(void);
