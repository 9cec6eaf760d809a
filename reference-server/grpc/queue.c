#include "grpc/queue.h"

#include "base/search.h"

#define STEP          ((size_t)1024 * 1024) /* bytes that are inflated or handled in a turn */
#define CALL_AT_LEAST ((size_t)1024)        /* what a call counts in a step */

bool queue_is_for(const struct server_call *call)
{
    return call->message.is_compressed || call->message.block;
}

void queue_join(struct server_call *call)
{
    assert(call->intake == INTAKE_COMES || call->intake == INTAKE_WAITS);
    call->intake = INTAKE_QUEUED;
    call_list_join(&call->calls->queued, call);
}

static void stop_inflating(struct server_call *call)
{
    if (call->is_inflating)
        atomic_flag_clear(&call->calls->shared->is_inflating);
    call->is_inflating = false;
}

static void take_out(struct server_call *call)
{
    if (call->intake == INTAKE_QUEUED) {
        call->intake = INTAKE_READY;
        call_list_leave(&call->calls->queued, call);
    }
}

void queue_leave(struct server_call *call)
{
    take_out(call);
    stop_inflating(call);
}

static size_t limit_of(const struct server_call *call)
{
    return inflation_limit(call->message.size, call->calls->shared->options.max_message);
}

static struct status begin_to_inflate(struct server_call *call)
{
    static const char *const codings[] = {"gzip", "deflate"};
    struct message *message = &call->message;
    bool is_known = ANY(i, COUNT_OF(codings), str_is(call->rpc.encoding, codings[i]));
    if (!is_known && (call->rpc.encoding.size == 0 || str_is(call->rpc.encoding, "identity")))
        return status_error(call->message_arena, STATUS_INTERNAL,
                            "the message says that it is compressed, but grpc-encoding does not say how");
    if (!is_known)
        return status_error(call->message_arena, STATUS_UNIMPLEMENTED, "grpc-encoding '%s' is neither gzip nor deflate",
                            str_printable(call->message_arena, call->rpc.encoding));
    message->inflation = inflation_new(message->bytes, limit_of(call), message->aligned);
    return message->inflation ? STATUS_IS_OK : status_no_memory();
}

/* Returns how many bytes of the message may be inflated now: none while another message is inflated, and none until the
 * budget has room for the most that it may become. */
static size_t part_allowed(struct server_call *call)
{
    size_t size = inflation_bytes(call->message.inflation).size;
    if (!call->is_inflating && size >= INFLATED_FIRST && call_may_claim(call, limit_of(call)))
        call->is_inflating = !atomic_flag_test_and_set(&call->calls->shared->is_inflating);
    return call->is_inflating ? STEP : size < INFLATED_FIRST ? INFLATED_FIRST - size : 0;
}

/* Inflates a part of the message. Sets *done to the number of inflated bytes, and *is_last after the last part. */
static struct status inflate_some(struct server_call *call, size_t *done, bool *is_last)
{
    struct message *message = &call->message;
    TRY(message->inflation ? STATUS_IS_OK : begin_to_inflate(call));
    size_t before = inflation_bytes(message->inflation).size, most = part_allowed(call);
    struct status status =
        most > 0 ? inflation_go_on(message->inflation, most, call->message_arena, is_last) : STATUS_IS_OK;
    *done = inflation_bytes(message->inflation).size - before;
    call_charge(call, call->charged + *done);
    return status;
}

/* Whether there is memory for a large message. Earlier messages are charged when they are decoded and answered
 * (call_charge), so this one may have to wait until their answers are sent. Clients that do not read their answers are
 * cut off in the end. */
static bool has_memory(const struct server_call *call)
{
    return !call->message.block || call->is_inflating || lease_left(call->lease) > 0;
}

/* Does one step for one call. Returns how many bytes were worked on; 0 if the call must wait. */
static size_t attend(struct server_call *call)
{
    size_t done = 0;
    bool is_ready = !call->message.is_compressed;
    struct status status = STATUS_IS_OK;
    if (!has_memory(call))
        return 0;
    if (!is_ready)
        status = inflate_some(call, &done, &is_ready);
    if (!is_ok(status) || is_ready) {
        done += CALL_AT_LEAST + call->message.size;
        take_out(call);
        call->calls->ready(call, status);
    }
    return done;
}

bool queue_attend(struct calls *calls)
{
    struct server_call *next;
    size_t done = 0;
    for (struct server_call *call = calls->queued.first; call && done < STEP; call = next) {
        next = call->next_in_list;
        done += attend(call);
    }
    return done == 0;
}
