/* A call: the part of its request that has come, the part of its answer that is still to be sent, and the memory that
 * it holds. This layer keeps calls. The layers above read requests (request.h), write answers (answer.h) and call
 * methods (dispatch.h).
 *
 * The course of a call, on the thread of its loop:
 *
 *     ARRIVES ---> COMPLETE ---> DUE ---> BEGUN ---> RESET       and from each of them to CLOSED
 *
 * ARRIVES may be followed by BEGUN at once (the call is refused, or its method takes many messages), or by RESET (the
 * request is malformed).
 *
 * Three parties may need a call: its stream, the handler that has not answered yet, and the output that still has parts
 * of its answer. The loop frees the call when none of them needs it. `phase`, which any thread may change, says whether
 * the handler has it:
 *
 *     HANDLING ---> DEFERRED ---> ANSWERED       HANDLING may go to ANSWERED at once
 *                       +-------> ABANDONED
 *
 * If the stream ends while the handler still has the call (the client gave up, or the deadline has passed), the loop
 * tries to change DEFERRED to ABANDONED. If that succeeds, the call belongs to the handler: rpc_answer frees it without
 * touching the loop, which may be gone by then. */
#pragma once

#include "base/budget.h"
#include "grpc/message.h"
#include "grpc/request_fields.h"
#include "grpc/rpc.h"
#include "grpc/session.h"

#include <assert.h>

#define CALL_SIZE    ((size_t)36 * 1024) /* what a call takes at least, with a chunk of its arena */
#define TRAILING_MAX 8

struct registered {
    const struct rpc_mount *mount;
    const struct rpc_method *method;
    struct str path;
};

/* What the calls of a server share. */
struct call_shared {
    struct rpc_options options;
    struct registered *methods; /* of all services */
    size_t method_count;
    size_t arena_budget;
    struct budget budget;       /* of all messages and answers */
    struct budget large_budget; /* of messages that are above their share of that, while they are not answered */
    atomic_flag is_inflating;   /* one call at a time inflates more than a first step (queue.h) */
    struct offload *offload;
};

/* Calls whose turn will come, in order. A call is in one list at a time. */
struct call_list {
    struct server_call *first, **last;
};

/* The calls of one loop. */
struct calls {
    struct sessions sessions; /* must be first */
    struct call_shared *shared;
    struct lease lease, large_lease;
    struct timer retry;      /* for calls that wait for memory */
    struct call_list queued; /* those whose message is large or compressed (queue.h) */
    /* A queued message is ready, or cannot be read. The call has left the list, but queue_leave must still be called:
     * until then no other message is inflated. */
    void (*ready)(struct server_call *call, struct status status);
    struct server_call *free; /* for the next calls */
    size_t free_count;
    size_t handed_over; /* calls that a handler has, or that were answered and are still posted */
    bool is_draining;
};

/* A connection with its calls. */
struct peer {
    struct session session;    /* must be first */
    struct server_call *first; /* the oldest */
    struct server_call **last;
    struct call_list complete;                /* those that are COMPLETE */
    const struct registered *last_registered; /* the method that was called last */
    size_t charged;                           /* bytes of the budget that its calls hold */
};

enum call_state {
    CALL_ARRIVES,
    CALL_COMPLETE, /* the request has come as a whole, and is handled when all frames are read that came with it */
    CALL_DUE,      /* it is handled now, or when its queued message is ready */
    CALL_BEGUN,    /* handled or refused; a message that comes now is dropped, if the method does not take many */
    CALL_RESET,    /* what comes now is dropped */
    CALL_CLOSED,   /* its stream is closed */
};

enum call_phase {
    PHASE_HANDLING, /* the call arrives, or its handler runs */
    PHASE_DEFERRED, /* the handler has returned without an answer */
    PHASE_ANSWERED,
    PHASE_ABANDONED, /* nobody waits for the answer; the call belongs to the handler */
};

/* What becomes of a message:
 *
 *     WAITS <---> COMES ---> QUEUED ---> READY ---> LENT ---> COMES       COMES may go to LENT, WAITS to QUEUED */
enum intake {
    INTAKE_COMES,
    INTAKE_WAITS,  /* until there is memory for all of it */
    INTAKE_QUEUED, /* it is large or compressed (queue.h) */
    INTAKE_READY,
    INTAKE_LENT, /* one of many: the handler has it, until it asks for the next one */
};

/* NONE ---> BEGUN ---> GIVEN ---> SENT       NONE may go to GIVEN at once */
enum answer_state {
    ANSWER_NONE,
    ANSWER_BEGUN, /* one of many messages is on its way */
    ANSWER_GIVEN, /* nothing will be added */
    ANSWER_SENT,  /* all of it is in frames */
};

struct trailer {
    struct str key, value;
};

/* All fields but `phase` belong to the thread of the loop; of `rpc`, what rpc.h says belongs to the handler while it
 * has the call. */
struct server_call {
    struct rpc_call rpc; /* must be first: both structs have the same address */
    struct calls *calls;
    struct loop *loop;
    struct peer *peer; /* NULL: it is gone */
    struct server_call *next, **link;
    struct server_call *next_in_list, **list_link;
    int32_t stream;
    enum call_state state;
    _Atomic enum call_phase phase;
    bool is_handed_over;       /* counted in calls->handed_over */
    struct post answered;      /* sent to the loop when the answer comes from another thread, or after the handler has
                                  returned */
    struct tally_place *place; /* where the call is counted as in flight; NULL: not counted */
    struct lease *lease;       /* the lease that pays for the call: one of its loop's */
    size_t charged;            /* bytes that the lease pays for it */
    int64_t progress_at;       /* when a byte of it came or went */
    struct timer deadline;

    /* The request (request.h) */
    struct request_fields fields;
    const struct registered *registered; /* NULL if the method is in no table */
    struct rpc_metadata **last_metadata; /* of rpc.metadata */
    size_t metadata_size;
    int64_t timeout;
    bool is_post, is_grpc, has_bad_timeout, is_without_memory;
    enum intake intake;
    struct message message;
    struct arena *message_arena; /* holds the message and its error text; the call's own arena, unless it has
                                    `streaming` */
    size_t dropped;              /* bytes that came after it was handled or refused */

    /* In the queue (queue.h), and on the other thread (offload.h) */
    bool is_inflating;   /* this call has set shared->is_inflating */
    bool ends_inflation; /* this call had set it; offload.c clears it when the handler has returned */

    struct streaming *streaming; /* NULL: one request and one answer (streaming.h) */
    void (*free_streaming)(struct streaming *streaming);
    bool (*load_next)(struct server_call *call); /* loads the next message of the answer, if one waits (answer.h) */

    /* The answer (answer.h) */
    enum answer_state answer;
    struct status fault; /* not OK: the transport has ended the call with it, whatever the handler answers */
    size_t trailing_count;
    uint8_t head[MESSAGE_HEAD];
    const struct str *pieces; /* of the message that is being sent */
    size_t left;              /* bytes that are not yet in a frame, with the head */
    size_t piece, at;         /* where in the pieces they begin */
    size_t sent;              /* bytes of it in frames */
    struct lender lender;     /* of its pieces to an output */

    /* What follows is not cleared for a new call. */
    struct arena arena;
    struct trailer trailing[TRAILING_MAX];
};

/* Returns NULL without memory, or if the connection holds too much of the budget. */
struct server_call *call_new(struct session *session, int32_t stream);

/* The connection no longer needs the call: frees it, or leaves it to its handler. */
void call_leave(struct server_call *call);

/* Detaches the call from its connection. The call keeps its share of the budget. */
void call_leave_peer(struct server_call *call);

/* Frees a call that neither its connection nor its handler needs any more, and keeps its memory for another one. */
void call_release(struct server_call *call);

/* `retry` is called on the thread of the loop when calls wait for memory. `ready` must be set. */
void calls_open(struct calls *calls, struct call_shared *shared, void (*retry)(struct timer *timer));
void calls_close(struct calls *calls); /* frees the memory that is kept for the next calls */

/* Changes the state, which must be possible by the drawing above. */
static inline void call_go(struct server_call *call, enum call_state state)
{
    static const unsigned next[] = {
        [CALL_ARRIVES] = 1 << CALL_COMPLETE | 1 << CALL_BEGUN | 1 << CALL_RESET | 1 << CALL_CLOSED,
        [CALL_COMPLETE] = 1 << CALL_DUE | 1 << CALL_CLOSED,
        [CALL_DUE] = 1 << CALL_BEGUN | 1 << CALL_CLOSED,
        [CALL_BEGUN] = 1 << CALL_RESET | 1 << CALL_CLOSED,
        [CALL_RESET] = 1 << CALL_CLOSED,
        [CALL_CLOSED] = 0,
    };
    assert(next[call->state] & 1U << state);
    call->state = state;
}

/* Whether functions of the handler may be called: it has the call, and `handle` has returned. */
static inline bool call_is_handled(const struct server_call *call)
{
    return atomic_load(&call->phase) == PHASE_DEFERRED && is_ok(call->fault);
}

void call_list_open(struct call_list *list);
void call_list_join(struct call_list *list, struct server_call *call);
void call_list_leave(struct call_list *list, struct server_call *call);

/* call_enter_flight counts the call as in flight; call_hand_over counts it as held by its handler or by another
 * thread. */
void call_enter_flight(struct server_call *call);
void call_hand_over(struct server_call *call);

/* Sets how many bytes of the budget the call holds. */
void call_charge(struct server_call *call, size_t size);

/* Whether `claim` more bytes may be received, by the rule of shares (base/budget.h). If so, the lease for messages of
 * this size pays for the call from now on. */
bool call_may_claim(struct server_call *call, size_t claim);

/* Admits the whole message, if call_may_claim allows its size. */
bool call_admit(struct server_call *call);

/* Lets the message wait for memory: `retry` will be called. Fails if there is no memory even for waiting. */
struct status call_wait_for_memory(struct server_call *call);
void call_wait_no_more(struct server_call *call);

/* Sets rpc.message to the message, which is ready, as it came or inflated. */
void call_show_message(struct server_call *call);
