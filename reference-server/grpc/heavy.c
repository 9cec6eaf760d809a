/* Calls whose message is large or compressed. What they need takes long and much memory, so they wait in line when the
 * message is complete, and a turn of the loop does a step for them: other calls are answered between two steps, and few
 * large messages are decoded at the same time.
 *
 * Compressed messages are inflated here ("Message-Encoding"). Beyond a first small part, the server inflates one at a
 * time, because only then it is known how large the message is. */
#include "base/count.h"
#include "grpc/server.h"

#define STEP          ((size_t)1024 * 1024) /* bytes that are inflated or handled in a turn */
#define CALL_AT_LEAST ((size_t)1024)        /* what a call counts in a step */

void heavy_open(struct loop *loop)
{
    loop->heavy.last = &loop->heavy.first;
}

bool heavy_is_for(const struct server_call *call)
{
    return call->message.is_compressed || call->message.block;
}

void heavy_join(struct server_call *call)
{
    struct heavy *heavy = &call->loop->heavy;
    call->next_heavy = NULL;
    call->heavy_link = heavy->last;
    *heavy->last = call;
    heavy->last = &call->next_heavy;
}

static void stop_inflating(struct server_call *call)
{
    if (call->is_inflating)
        atomic_flag_clear(&call->loop->server->is_inflating);
    call->is_inflating = false;
}

static void take_out(struct server_call *call)
{
    struct heavy *heavy = &call->loop->heavy;
    if (!call->heavy_link)
        return;
    *call->heavy_link = call->next_heavy;
    if (call->next_heavy)
        call->next_heavy->heavy_link = call->heavy_link;
    else
        heavy->last = call->heavy_link;
    call->heavy_link = NULL;
}

void heavy_leave(struct server_call *call)
{
    take_out(call);
    stop_inflating(call);
}

static size_t limit_of(const struct server_call *call)
{
    return inflation_limit(call->message.size, call->loop->server->options.max_message);
}

static struct status begin_to_inflate(struct server_call *call)
{
    static const char *const codings[] = {"gzip", "deflate"};
    struct message *message = &call->message;
    bool is_known = false;
    for (size_t i = 0; i < COUNT_OF(codings); i++)
        is_known |= str_is(call->rpc.encoding, codings[i]);
    if (!is_known && (call->rpc.encoding.size == 0 || str_is(call->rpc.encoding, "identity")))
        return status_error(&call->arena, STATUS_INTERNAL,
                            "the message says that it is compressed, and grpc-encoding does not say how");
    if (!is_known)
        return status_error(&call->arena, STATUS_UNIMPLEMENTED, "grpc-encoding '%s' is none of gzip and deflate",
                            str_printable(&call->arena, call->rpc.encoding));
    message->inflation = inflation_new(message->bytes, limit_of(call), message->aligned);
    return message->inflation ? STATUS_IS_OK : status_no_memory();
}

/* Returns how much of the message may be inflated now: nothing while another one is, and until there is room for all
 * that it may become. */
static size_t part_allowed(struct server_call *call)
{
    size_t size = inflation_bytes(call->message.inflation).size;
    if (!call->is_inflating && size >= INFLATED_FIRST && call_may_claim(call, limit_of(call)))
        call->is_inflating = !atomic_flag_test_and_set(&call->loop->server->is_inflating);
    return call->is_inflating ? STEP : size < INFLATED_FIRST ? INFLATED_FIRST - size : 0;
}

/* Inflates a part. Sets *done to the bytes that were worked on, and call->is_inflated behind the last one. */
static struct status inflate_some(struct server_call *call, size_t *done)
{
    struct message *message = &call->message;
    struct status status = message->inflation ? STATUS_IS_OK : begin_to_inflate(call);
    if (!is_ok(status))
        return status;
    size_t before = inflation_bytes(message->inflation).size, most = part_allowed(call);
    if (most > 0)
        status = inflation_go_on(message->inflation, most, &call->arena, &call->is_inflated);
    *done = inflation_bytes(message->inflation).size - before;
    call_hold(call, call->held + *done);
    return status;
}

/* Says whether there is memory for a large message. What is decoded, and answered, is paid for behind it (call_hold),
 * so it waits while earlier ones have not got their answers: clients that do not take them are cut off at last. */
static bool has_memory(const struct server_call *call)
{
    return !call->message.block || call->is_inflating || purse_left(call->purse) > 0;
}

/* What was inflated is decoded before the next message is inflated: here, or on the thread of slow calls, which then
 * ends the inflation. */
static void go_on(struct server_call *call, struct status status)
{
    struct connection *connection = call->connection;
    take_out(call);
    call->is_inflated = true;
    if (call->streaming)
        stop_inflating(call);
    if (call->streaming)
        streaming_take_inflated(call, status);
    else
        call_handle(call, status);
    connection_mark(connection);
}

/* Does a step for one call. Returns how many bytes it was about; 0 if the call must wait. */
static size_t attend(struct server_call *call)
{
    size_t done = 0;
    struct status status = STATUS_IS_OK;
    if (!has_memory(call))
        return 0;
    if (call->message.is_compressed)
        status = inflate_some(call, &done);
    if (!is_ok(status) || !call->message.is_compressed || call->is_inflated) {
        done += CALL_AT_LEAST + call->message.size;
        go_on(call, status);
    }
    return done;
}

void heavy_attend(struct loop *loop)
{
    struct server_call *next;
    size_t done = 0;
    for (struct server_call *call = loop->heavy.first; call && done < STEP; call = next) {
        next = call->next_heavy;
        done += attend(call);
    }
    loop->heavy.is_blocked = done == 0;
}
