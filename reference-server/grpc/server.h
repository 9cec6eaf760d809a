/* Internals of the gRPC transport, for the files of this folder. A server has a few loops, each with a thread. A loop
 * has connections; a connection has one HTTP/2 session of libnghttp2 and its calls. All of these belong to the thread
 * of their loop. Other threads only post to it (loop.h) and answer calls (rpc_answer).
 *
 *     listener.c    accepts connections and gives each to the loop that has the fewest
 *     loop.c        waits for sockets, timers and posts
 *     connection.c  a socket: reads, writes, notices who stalls, says farewell
 *     session.c     HTTP/2: what libnghttp2 tells of frames, and what it asks for
 *     call.c        a call from its headers to its trailers
 *     heavy.c       calls with large or compressed messages wait in line
 *     slow.c        handlers that take long run elsewhere
 *     answer.c      the answer of a call in frames
 *     streaming.c   what a call with many messages has beside that
 *     course.c      the same for its handler: what has happened to the call, and when it is over
 *     request_fields.c, message.c, inflate.c, headers.c, output.c, timer.c, blocks.c
 *                   one idea each, and no sockets */
#ifndef GRPC_SERVER_H
#define GRPC_SERVER_H

#include "base/budget.h"
#include "base/buf.h"
#include "base/tally.h"
#include "grpc/blocks.h"
#include "grpc/message.h"
#include "grpc/output.h"
#include "grpc/request_fields.h"
#include "grpc/rpc.h"
#include "grpc/timer.h"

#include <nghttp2/nghttp2.h>
#include <pthread.h>

#define METADATA_MAX   ((size_t)8192)      /* bytes of headers of a call, counted as HTTP/2 does: 32 more for each */
#define STREAMS_MAX    1024                /* calls at once on one connection */
#define CALL_SIZE      ((size_t)36 * 1024) /* what a call takes at least, with a chunk of its arena */
#define STREAM_WINDOW  (256 * 1024)        /* bytes of a call that may come before its message is admitted */
#define SESSION_WINDOW (16 * 1024 * 1024)
#define READ_SIZE      ((size_t)128 * 1024)
#define TRAILING_MAX   8
#define DROPPED_MAX    ((size_t)64 * 1024) /* bytes that a client may send on after the answer */
#define SECOND         1000000000          /* nanoseconds */

struct loop;
struct connection;

/* What epoll_wait tells about; it lies first in its owner. */
struct source {
    void (*happened)(struct source *source, uint32_t events);
};

/* Something that a loop shall take on its own thread. */
struct post {
    struct post *next;
    void (*take)(struct loop *loop, struct post *post);
};

/* Calls whose message is large or compressed, in the order in which their turn comes (heavy.c). */
struct heavy {
    struct server_call *first, **last;
    bool is_blocked; /* all of them wait for memory, or for another loop */
};

struct loop {
    struct source wake; /* somebody has posted */
    struct rpc_server *server;
    pthread_t thread;
    int epoll, wake_fd; /* -1: not open */
    int64_t now;        /* when this turn began */
    struct timers timers;
    struct timer retry; /* for calls that wait for memory */
    struct heavy heavy;
    struct purse purse, large_purse;
    struct blocks blocks; /* of the sessions */
    struct server_call *free_calls;
    size_t free_call_count;
    struct output *free_outputs;
    struct connection *connections, *dirty, *closed;
    size_t owed; /* calls that a handler has, or that were answered and are still posted */
    bool is_stopping, is_draining;
    struct post stop, drain;
    uint8_t *buffer; /* READ_SIZE bytes: what was read in this turn */

    atomic_size_t connection_count;
    pthread_mutex_t lock; /* for what follows */
    struct post *posts, **last_post;
};

struct registered {
    const struct rpc_mount *mount;
    const struct rpc_method *method;
    struct str path;
};

#define LISTEN_MAX 8

struct listening {
    struct source source;
    struct listener *listener;
    int fd;
};

struct listener {
    struct loop *loop; /* on which connections are accepted */
    struct listening sockets[LISTEN_MAX];
    size_t count;
    int port;
    struct connection *spare; /* for the next client; NULL without memory */
    struct timer retry;       /* set while there is no memory or file descriptor for a connection */
};

/* Calls whose handlers run on a thread of their own, oldest first (slow.c). */
struct slow {
    pthread_t thread;
    bool is_started, is_stopping;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct server_call *first, **last;
};

struct rpc_server {
    struct rpc_options options;
    int64_t patience;           /* nanoseconds */
    struct registered *methods; /* of all services */
    size_t method_count;
    size_t arena_budget;
    struct budget budget;       /* of all messages and answers */
    struct budget large_budget; /* of messages that are above their share of that, while they are not answered */
    atomic_flag is_inflating;   /* by one call at a time, if it is more than a step */
    struct slow slow;
    struct listener listener;
    struct loop *loops;
    size_t loop_count;
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
};

/* --- loop.c --- */

struct status loop_open(struct loop *loop, struct rpc_server *server, struct arena *arena);
bool loop_start(struct loop *loop);
void loop_close(struct loop *loop); /* frees what a loop has; its thread must have ended, or not begun */

/* Makes the loop take the post soon. May be called on any thread. */
void loop_post(struct loop *loop, struct post *post);
bool loop_watch(struct loop *loop, int fd, struct source *source, uint32_t events);

/* Must be called before a watched file is closed: while another thread asks the system about the file (http/sockets.h
 * asks about all), closing does not end it, and its events would still come. */
void loop_unwatch(struct loop *loop, int fd);

/* --- listener.c --- */

struct status listener_open(struct rpc_server *server, struct arena *arena);
void listener_close(struct rpc_server *server);

/* --- connection.c --- */

struct connection {
    struct source source;
    struct post post; /* hands a new connection to its loop */
    struct loop *loop;
    struct connection *next, **link; /* among the connections of the loop */
    struct connection *next_dirty;   /* among those that are flushed at the end of this turn, while `is_dirty` */
    struct connection *next_closed;  /* among those that are freed at the end of this turn */
    int fd;                          /* -1: closed */
    struct ssl_st *tls;              /* NULL: plain */
    bool is_shaking;                 /* the handshake of TLS is not done */
    nghttp2_session *session;
    struct output *output;     /* NULL: nothing waits */
    struct server_call *calls; /* oldest first */
    struct server_call **last_call;
    struct server_call *complete; /* whose requests have come as a whole, and are not handled yet; oldest first */
    struct server_call **last_complete;
    struct server_call *arriving;             /* whose request came last; NULL: it is over */
    const struct registered *last_registered; /* the method that was called last */
    size_t held;                              /* bytes of the budget that its calls hold */
    struct timer timer;
    int64_t received_at, written_at;
    bool is_greeted; /* the client's SETTINGS have come */
    bool is_pinged, is_dirty, is_blocked;
    bool is_due;      /* an answer waits to be written */
    bool is_read;     /* its frames are being read; then it is written */
    bool is_draining; /* the first GOAWAY is sent */
    bool is_ending;   /* all is said; waits until the client closes */
    size_t unheard;   /* bytes that came since then */
    void *received;   /* the state of options.receive */
};

/* Returns a connection for a socket that is still to be accepted; NULL without memory. */
struct connection *connection_new(void);
void connection_adopt(struct loop *loop, struct post *post);
void connection_close(struct connection *connection);
void connection_flush(struct connection *connection);
void connection_drain(struct connection *connection);
void connection_end_drain(struct connection *connection);

/* Has connection_flush called at the end of this turn. */
void connection_mark(struct connection *connection);

/* --- session.c --- */

struct status session_prepare(struct rpc_server *server);
bool session_open(struct connection *connection);

/* Resets the stream of a call that is answered, if its client goes on sending. */
void session_ask_to_stop(const struct server_call *call);

/* --- call.c --- */

enum phase {
    PHASE_HANDLING, /* the call arrives, or its handler runs */
    PHASE_DEFERRED, /* the handler has returned without an answer */
    PHASE_ANSWERED,
    PHASE_ABANDONED, /* nobody waits for the answer; the call belongs to the handler */
};

struct metadata_row {
    struct metadata_row *next;
    struct str key, value;
};

struct trailer {
    struct str key, value;
};

struct server_call {
    struct rpc_call rpc; /* must be first: both structs have the same address */
    struct loop *loop;
    struct connection *connection; /* NULL: it is gone */
    struct server_call *next, **link;
    struct server_call *next_slow;
    bool ends_inflation; /* rpc_server.is_inflating is its own until its handler has returned there */
    struct server_call *next_complete, *next_heavy, **heavy_link; /* heavy_link is NULL: not in line */
    int32_t stream;
    _Atomic enum phase phase;
    struct post answered;
    struct tally_place *place; /* where the call is counted as in flight; NULL: not counted */

    /* The request */
    struct request_fields fields;
    const struct registered *registered; /* NULL if the method is in no table */
    struct metadata_row *metadata, **last_metadata;
    size_t metadata_size;
    struct timer deadline;
    int64_t timeout;
    struct message message;
    struct purse *purse; /* from which it holds: one of its loop's */
    size_t held;         /* bytes of that */
    bool is_inflating;   /* rpc_server.is_inflating is its own */
    bool is_inflated;    /* the message is ready to be handled */
    int64_t progress_at; /* when a byte of it came or went */
    bool is_post, is_grpc, has_bad_timeout, is_without_memory;
    bool is_begun;    /* it is handled or refused; what comes now is dropped */
    bool is_complete; /* it waits to be handled */
    bool is_waiting;  /* to be admitted */
    bool is_owed;     /* counted in loop->owed */
    bool is_closed;   /* its stream is closed */
    bool is_late;     /* its time was over before it was answered */
    bool is_reset;    /* because its request is malformed */
    size_t dropped;   /* bytes that came when it was handled or refused */

    struct streaming *streaming; /* NULL: one request and one answer */

    /* The answer (answer.c) */
    size_t trailing_count;
    uint8_t head[MESSAGE_HEAD];
    const struct str *pieces; /* of the message that is being sent */
    size_t left;              /* bytes that are not yet in a frame, with the head */
    size_t piece, at;         /* where in the pieces they begin */
    bool is_sent;             /* all of it is in frames */
    size_t sent;              /* bytes of it in frames */
    size_t unwritten;         /* parts of it in an output */

    /* What follows is not cleared for a new call. */
    struct arena arena;
    struct trailer trailing[TRAILING_MAX];
};

/* Returns NULL without memory, or if the connection holds too much of the budget. */
struct server_call *call_new(struct connection *connection, int32_t stream);
void call_take_header(struct server_call *call, struct str name, struct str value);
void call_end_headers(struct server_call *call);
void call_take_trailer(struct server_call *call, struct str name, struct str value);
void call_end_trailers(struct server_call *call, bool is_end);
void call_take_data(struct server_call *call, struct str bytes);
void call_end(struct server_call *call);

/* Handles the calls whose requests are complete. */
void calls_handle(struct connection *connection);

/* The stream is closed, or the connection is. The call may be freed. */
void call_close(struct server_call *call);

/* A part of its answer is written, or dropped. */
void call_part_written(struct server_call *call);

/* Admits calls that wait for memory. Returns whether some still wait. */
bool calls_admit(struct connection *connection);

/* Says how many bytes of the budget the call holds from now on. */
void call_hold(struct server_call *call, size_t size);

/* Has the handler read the message, which is ready: where it stands, or what was inflated from it. */
void call_show_message(struct server_call *call);

/* Says whether `claim` bytes more may come, by the rule of shares (base/budget.h), and has the call hold from the purse
 * for messages of this size. */
bool call_may_claim(struct server_call *call, size_t claim);

/* Handles a call that takes one message, or refuses it if the status is not OK. */
void call_handle(struct server_call *call, struct status status);

/* Has the call wait for memory: calls_admit will be called again. Fails if nothing is left even for that. */
struct status call_wait_for_memory(struct server_call *call);

/* The connection needs the call no more: it is freed, or left to its handler. */
void call_leave(struct server_call *call);

bool call_is_stalled(const struct server_call *call, int64_t since);
void call_free(struct server_call *call);
void calls_free(struct loop *loop);

/* --- heavy.c--- */

void heavy_open(struct loop *loop);

/* Says whether the call has to wait in line with its message, which is complete. It leaves the line when call_handle or
 * streaming_take_inflated is called. */
bool heavy_is_for(const struct server_call *call);
void heavy_join(struct server_call *call);
void heavy_leave(struct server_call *call); /* if it is there */

/* Does a step of what those in line need. To be called once in a turn of the loop. */
void heavy_attend(struct loop *loop);

/* --- slow.c --- */

bool slow_start(struct rpc_server *server);
void slow_stop(struct rpc_server *server); /* when the loops have ended */

/* Says whether the handler of a call, whose message is ready, would hold its loop up. */
bool slow_is_for(const struct server_call *call);

/* Has the handler run on the other thread. The call is owed from now on. */
void slow_handle(struct server_call *call);

/* --- answer.c --- */

/* Sends what the handler has set. */
void answer_send(struct server_call *call);

/* Sends a refusal without a call: to a stream for which there is none, or whose handler keeps it. `message` must be
 * ASCII. */
void answer_plainly(struct connection *connection, int32_t stream, enum status_code code, const char *message);

/* How many bytes of an answer a DATA frame takes that has a payload of `size`, so that its padding fits, too. */
size_t answer_room(const struct server_call *call, size_t size);

/* Puts the next `size` bytes of the answer into the output. */
void answer_put(struct server_call *call, struct output *output, size_t size);

/* The parts of an answer with many messages: the headers, before what the provider gives; a message, which answer_put
 * then puts; the trailers behind the last one, with the status of the handler, or with one that the transport gives. */
void answer_begin(struct server_call *call, const nghttp2_data_provider *provider);
void answer_load(struct server_call *call, const struct str *message);
void answer_end(struct server_call *call);
void answer_fail(struct server_call *call, const struct status *status, struct arena *arena);

/* --- streaming.c --- */

/* A message that waits to be sent. */
struct queued {
    struct queued *next;
    struct str bytes; /* behind this struct */
};

/* What a call with many messages has beside a server_call. The messages come one after another into call->message.
 * Those that go are queued here by any thread. A thread that has changed something posts the call to its loop, which
 * then attends to all that is to be done. */
struct streaming {
    struct post post;
    struct server_call *call;
    struct queued *sending; /* the message that answer_put puts */

    /* What has come */
    struct arena arena; /* of the message */
    struct buf backlog;
    struct str unread; /* bytes behind the message; they lie in the backlog, or where libnghttp2 has them */
    bool is_lent;      /* the handler has the message */
    bool is_ended;     /* the client sends no more */
    bool is_end_told;
    bool is_laden; /* the handler holds memory for requests */

    /* What goes */
    bool has_begun;   /* the headers are sent */
    bool is_answered; /* by the handler, or by `fault` */
    bool is_failed;   /* the call ends with `fault`, whatever the handler says */
    struct status fault;

    pthread_mutex_t lock; /* for what follows */
    struct queued *first, **last;
    size_t queued, held_outside; /* bytes */
    bool is_next_wanted, is_full, is_crowded, is_short_of_memory;
    bool is_gone; /* the handler was told, or has answered: nothing is sent any more */
    bool is_posted, is_attended, is_attended_again; /* the loop will attend, does, and must once more */
};

/* Returns NULL without memory. */
struct streaming *streaming_new(struct server_call *call);
void streaming_free(struct streaming *streaming);

/* Does all that is to be done: hands over messages, tells the handler, has answers sent. */
void streaming_attend(struct server_call *call);
void streaming_take_data(struct server_call *call, struct str bytes);
void streaming_take_end(struct server_call *call);
bool streaming_admit(struct server_call *call);

/* The message is inflated, or cannot be. */
void streaming_take_inflated(struct server_call *call, struct status status);

/* Ends the call with what the handler has answered. */
void streaming_answer(struct server_call *call);

/* Ends the call with a status of the transport, and tells the handler. */
void streaming_fail(struct server_call *call, struct status status);

/* Tells the handler that the stream is closed. Returns whether the call may be left at once; otherwise it is, when the
 * loop has taken the post of the call. */
bool streaming_close(struct server_call *call);
bool streaming_is_posted(struct server_call *call);
bool streaming_is_stalled(const struct server_call *call);
void streaming_drain(struct server_call *call);

#endif
