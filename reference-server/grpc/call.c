#include "grpc/call.h"

#include "base/search.h"
#include "base/tally.h"
#include "wire/wire.h"

#include <stdlib.h>

#define CALLS_KEPT 256 /* by a loop, for the next calls */
#define LARGE_PART 3   /* a message above this part of the common budget has another one */

static struct tally in_flight;

size_t rpc_in_flight(void)
{
    return tally_sum(&in_flight);
}

/* --- Memory --- */

void call_charge(struct server_call *call, size_t size)
{
    if (size > call->charged)
        lease_spend(call->lease, size - call->charged);
    else
        lease_return(call->lease, call->charged - size);
    if (call->peer && call->lease == &call->calls->lease)
        call->peer->charged += size - call->charged;
    call->charged = size;
}

/* Lets another lease pay for what the call holds. */
static void hold_from(struct server_call *call, struct lease *lease)
{
    size_t charged = call->charged;
    call_charge(call, 0);
    call->lease = lease;
    call_charge(call, charged);
}

/* A message above its share of the common budget is paid from the budget of large messages, so that smaller messages
 * never wait for it. Until it is admitted it holds little memory, which the common budget pays for, as for all calls
 * that wait. */
bool call_may_claim(struct server_call *call, size_t claim)
{
    struct calls *calls = call->calls;
    bool is_large = claim > calls->lease.budget->limit / LARGE_PART;
    struct lease *lease = is_large ? &calls->large_lease : &calls->lease;
    if (!is_large)
        hold_from(call, lease);
    size_t left = lease_left(lease), charged = is_large ? 0 : call->peer->charged;
    bool may_claim = claim <= left && charged + claim <= left - claim;
    if (may_claim)
        hold_from(call, lease);
    return may_claim;
}

bool call_admit(struct server_call *call)
{
    if (!call_may_claim(call, call->message.size))
        return false;
    call->message.is_admitted = true;
    call->progress_at = call->loop->now;
    call_wait_no_more(call);
    return true;
}

struct status call_wait_for_memory(struct server_call *call)
{
    struct calls *calls = call->calls;
    if (calls->lease.budget->limit == 0 || lease_left(&calls->lease) == 0)
        return status_plain(STATUS_RESOURCE_EXHAUSTED, "the server holds too many messages at the moment");
    call_charge(call, CALL_SIZE + call->message.stored);
    call->intake = INTAKE_WAITS;
    if (calls->retry.place == 0)
        timer_set(&call->loop->timers, &calls->retry, call->loop->now);
    return STATUS_IS_OK;
}

void call_wait_no_more(struct server_call *call)
{
    if (call->intake == INTAKE_WAITS)
        call->intake = INTAKE_COMES;
}

void call_show_message(struct server_call *call)
{
    struct rpc_call *rpc = &call->rpc;
    const struct message *message = &call->message;
    rpc->message = message->inflation ? inflation_bytes(message->inflation) : message->bytes;
}

/* --- Lines --- */

void call_list_open(struct call_list *list)
{
    list->last = &list->first;
}

void call_list_join(struct call_list *list, struct server_call *call)
{
    call->next_in_list = NULL;
    call->list_link = list->last;
    *list->last = call;
    list->last = &call->next_in_list;
}

void call_list_leave(struct call_list *list, struct server_call *call)
{
    *call->list_link = call->next_in_list;
    if (call->next_in_list)
        call->next_in_list->list_link = call->list_link;
    else
        list->last = call->list_link;
}

/* --- From the first to the last --- */

void calls_open(struct calls *calls, struct call_shared *shared, void (*retry)(struct timer *timer))
{
    calls->shared = shared;
    call_list_open(&calls->queued);
    calls->retry.due = retry;
    calls->lease.budget = &shared->budget;
    calls->large_lease.budget = &shared->large_budget;
}

struct server_call *call_new(struct session *session, int32_t stream)
{
    struct peer *peer = (struct peer *)session;
    struct calls *calls = (struct calls *)session->connection.all;
    if (peer->charged > lease_left(&calls->lease))
        return NULL;
    struct server_call *call = calls->free;
    struct arena arena = call ? call->arena : arena_new(0);
    if (call) {
        calls->free = call->next;
        calls->free_count--;
    } else if (!(call = malloc(sizeof(*call)))) {
        return NULL;
    }
    memset(call, 0, offsetof(struct server_call, arena));
    call->arena = arena;
    call->arena.budget = call->arena.left = calls->shared->arena_budget;
    call->rpc.arena = call->message_arena = &call->arena;
    call->calls = calls;
    call->loop = &calls->sessions.connections.loop;
    call->peer = peer;
    call->lease = &calls->lease;
    call->stream = stream;
    call->last_metadata = &call->rpc.metadata;
    call->fields.known_path = peer->last_registered ? peer->last_registered->path : STR("");
    call->timeout = -1;
    call->progress_at = call->loop->now;
    call->link = peer->last;
    *peer->last = call;
    peer->last = &call->next;
    call_charge(call, CALL_SIZE);
    return call;
}

/* Frees what a call has beside its arena. */
static void empty(struct server_call *call)
{
    if (call->rpc.deviation && call->calls->shared->options.release)
        call->calls->shared->options.release(&call->rpc);
    call->rpc.deviation = NULL;
    message_free(&call->message);
    if (call->streaming)
        call->free_streaming(call->streaming);
    call->streaming = NULL;
}

/* May be called on any thread, so the budget gets back directly what the call holds, without the lease of its loop. */
static void free_whole(struct server_call *call)
{
    budget_return(call->lease->budget, call->charged);
    empty(call);
    arena_free(&call->arena);
    free(call);
}

void calls_close(struct calls *calls)
{
    for (struct server_call *next, *call = calls->free; call; call = next) {
        next = call->next;
        free_whole(call);
    }
}

void call_enter_flight(struct server_call *call)
{
    call->place = tally_enter(&in_flight);
}

void call_hand_over(struct server_call *call)
{
    call->is_handed_over = true;
    call->calls->handed_over++;
}

/* Returns the status of a call that ends. If its handler still has it, nobody waits for the answer any more:
 * CANCELLED. */
static enum status_code outcome_of(const struct server_call *call)
{
    if (!is_ok(call->fault))
        return call->fault.code;
    bool is_answered = !call->is_handed_over && call->answer >= ANSWER_GIVEN && call->left == 0;
    return is_answered ? call->rpc.status.code : STATUS_CANCELLED;
}

static void leave_flight(struct server_call *call)
{
    const struct rpc_options *options = &call->calls->shared->options;
    if (!call->place)
        return;
    tally_leave(call->place);
    call->place = NULL;
    if (options->leave)
        options->leave(&call->rpc, outcome_of(call), call->sent);
}

void call_release(struct server_call *call)
{
    struct calls *calls = call->calls;
    assert(call->state == CALL_CLOSED && !call->is_handed_over && call->lender.lent == 0);
    call_charge(call, 0);
    leave_flight(call);
    if (calls->free_count == CALLS_KEPT) {
        free_whole(call);
        return;
    }
    empty(call);
    arena_reset(&call->arena, 0);
    call->next = calls->free;
    calls->free = call;
    calls->free_count++;
}

static void given_back(struct lender *lender)
{
    call_release(OWNER_OF(lender, struct server_call, lender));
}

void call_leave_peer(struct server_call *call)
{
    if (call->peer && call->lease == &call->calls->lease)
        call->peer->charged -= call->charged;
    call->peer = NULL;
}

/* Leaves the call to its handler, together with what it holds of the budget. */
static void abandon(struct server_call *call)
{
    struct calls *calls = call->calls;
    struct lease *lease = call->lease;
    size_t charged = call->charged;
    enum call_phase phase = PHASE_DEFERRED;
    if (!atomic_compare_exchange_strong(&call->phase, &phase, PHASE_ABANDONED))
        return; /* it is answered, and the post is on its way */
    calls->handed_over--;
    lease_leave(lease, charged);
}

void call_leave(struct server_call *call)
{
    if (!call->is_handed_over && call->lender.lent == 0) {
        call_release(call);
    } else if (!call->is_handed_over) {
        call->lender.given_back = given_back;
    } else {
        call_leave_peer(call);
        leave_flight(call);
        abandon(call);
    }
}

/* --- What handlers call --- */

void rpc_answer(struct rpc_call *rpc)
{
    struct server_call *call = (struct server_call *)rpc;
    enum call_phase phase = PHASE_HANDLING;
    assert(atomic_load(&call->phase) != PHASE_ANSWERED);
    if (atomic_compare_exchange_strong(&call->phase, &phase, PHASE_ANSWERED))
        return; /* it is sent when the handler has returned */
    if (phase == PHASE_DEFERRED && atomic_compare_exchange_strong(&call->phase, &phase, PHASE_ANSWERED))
        loop_post(call->loop, &call->answered);
    else
        free_whole(call);
}

bool rpc_is_awaited(const struct rpc_call *rpc)
{
    const struct server_call *call = (const struct server_call *)rpc;
    return atomic_load(&call->phase) != PHASE_ABANDONED;
}

void rpc_trailing_metadata(struct rpc_call *rpc, const char *key, struct str value)
{
    struct server_call *call = (struct server_call *)rpc;
    struct trailer trailer = {str_of(key), arena_copy(rpc->arena, value)};
    if (call->trailing_count < TRAILING_MAX && trailer.value.data)
        call->trailing[call->trailing_count++] = trailer;
}

struct str rpc_metadata(const struct rpc_call *rpc, const char *key)
{
    const struct rpc_metadata *found = FIND_IN(one, rpc->metadata, str_is(one->key, key));
    return found ? found->value : (struct str){0};
}

struct str rpc_model(const struct rpc_call *rpc)
{
    uint32_t number = rpc->method ? rpc->method->model_field : 0;
    struct wire_field field;
    for (struct wire_cursor at = wire_begin(rpc->message); number && wire_next(&at, &field);)
        if (field.number == number && field.type == WIRE_BYTES)
            return field.bytes;
    return STR("");
}

void rpc_release_message(struct rpc_call *rpc)
{
    struct server_call *call = (struct server_call *)rpc;
    message_free(&call->message);
    rpc->message = (struct str){0};
}
