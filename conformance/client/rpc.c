#include "client/rpc.h"

#include "support/seconds.h"

/* Shows the answer as HTTP/2 has it. */
static void show_http(const struct http2_stream *stream, struct arena *arena, struct answer *answer)
{
    size_t size = stream->body.size < TRUNCATED_KEEPS ? stream->body.size : TRUNCATED_KEEPS;
    answer->has_http = stream->outcome == OUTCOME_ANSWERED || stream->outcome == OUTCOME_CLOSED;
    answer->status = stream->status;
    answer->headers = stream->headers;
    answer->end_fields = stream->trailers;
    answer->body = arena_copy(arena, (struct str){stream->body.data, size});
}

/* Reads the one message in the body. */
static void read_message(const struct call *call, size_t limit, struct arena *arena, struct answer *answer)
{
    struct str body = buf_str(&call->stream.body);
    size_t taken = call_read_message(call, body, limit, arena, answer);
    struct str trouble = {0};
    if (answer->outcome == OUTCOME_ANSWERED && taken == 0 && body.size > 0)
        trouble = arena_printf(arena, "%zu bytes that are no whole gRPC message", body.size);
    else if (taken > 0 && taken < body.size)
        trouble = STR("more than one message answers a unary call");
    if (trouble.size > 0) {
        answer->outcome = OUTCOME_GARBLED;
        answer->trouble = trouble;
        answer->has_message = false;
    }
}

void rpc_read_answer(const struct call *call, bool shows_http, size_t limit, struct arena *arena, struct answer *answer)
{
    if (shows_http)
        show_http(&call->stream, arena, answer);
    call_read_status(call, arena, answer);
    if (answer->outcome == OUTCOME_ANSWERED && call->own_code < 0)
        read_message(call, limit, arena, answer);
}

/* Runs the whole call. Returns whether it is over in time. */
static bool play(struct call *call, const struct request *request, double until)
{
    call_send(call, request->message, true);
    while (request->cancel && !http2_is_sent(&call->stream) && call_advance(call, until))
        ;
    if (request->cancel)
        call_cancel(call);
    while (call_advance(call, until))
        ;
    return call->stream.is_over;
}

bool rpc_exchange(struct channel *channel, const struct request *request, const struct header *extra,
                  struct arena *arena, struct answer *answer)
{
    struct call call;
    size_t limit = answer_max(channel->options, request);
    double until = seconds_now() + channel->options->timeout;
    *answer = (struct answer){0};
    if (!call_begin(&call, channel, request, extra, limit + MESSAGE_PREFIX, arena, answer))
        return false;
    bool in_time = play(&call, request, until);
    if (!in_time)
        http2_cancel(&call.stream, OUTCOME_TIMEOUT, STR("no whole answer within the timeout"));
    rpc_read_answer(&call, request->framed, limit, arena, answer);
    answer->reused = channel->is_used;
    http2_end(&call.stream);
    return call.stream.is_unseen;
}
