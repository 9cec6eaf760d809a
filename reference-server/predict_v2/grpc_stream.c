/* Inference in a stream, as Triton has it: ModelStreamInfer takes any number of requests and gives any number of
 * answers.
 *
 * Many requests of a stream may run at once. Answers of models that are not decoupled come in the order of the
 * requests; those of decoupled models come as the model gives them. Each answer says whether it is the last to its
 * request (triton_final_response). A decoupled model does not know that beforehand, so its answers say false, and an
 * empty answer that says true follows if the request asks for it (triton_enable_empty_final_response). A request that
 * fails is answered with error_message, and the stream goes on, unless the metadata triton_grpc_error asks that it ends
 * with the status. */
#include "grpc/course.h"
#include "predict_v2/grpc_decode.h"
#include "wire/wire.h"

#include <stdlib.h>

#define RUNNING_MAX          64 /* requests of a stream at once */
#define FIELD_INFER_RESPONSE 2

struct stream {
    struct rpc_course course; /* must be first; its failure comes from ends_at_errors */
    bool ends_at_errors;

    /* With the mutex of the course: */
    struct exchange *first, **end; /* those that run, in the order in which they came */
    size_t charged;                /* bytes that they hold */
    bool is_next_wanted;           /* the next message was asked for */
};

/* A request and its answers. */
struct exchange {
    struct infer_request request; /* must be the first member */
    struct stream *stream;
    struct exchange *next, **link;
    struct arena arena, answer_arena;
    size_t charged;
    struct data_form form;
    bool is_decoupled; /* its model gives any number of answers; set before it is in the list, where others read it */
    bool is_done;
    struct buf waiting; /* its answer, if earlier requests are to be answered before */
};

/* --- The list of a stream; its mutex is held --- */

/* Returns false if the call is over: somebody has answered it while the message was read. */
static bool append(struct stream *stream, struct exchange *exchange)
{
    if (stream->course.state == RPC_OVER)
        return false;
    stream->is_next_wanted = false;
    exchange->link = stream->end;
    *stream->end = exchange;
    stream->end = &exchange->next;
    stream->course.running++;
    stream->charged += exchange->charged;
    rpc_charge(stream->course.call, stream->charged);
    return true;
}

static void free_exchange(struct exchange *exchange)
{
    arena_free(&exchange->arena);
    arena_free(&exchange->answer_arena);
    buf_free(&exchange->waiting);
    free(exchange);
}

/* Takes an exchange out of the list, and frees it. */
static void finish(struct stream *stream, struct exchange *exchange)
{
    *exchange->link = exchange->next;
    if (exchange->next)
        exchange->next->link = exchange->link;
    else
        stream->end = exchange->link;
    stream->course.running--;
    stream->charged -= exchange->charged;
    rpc_charge(stream->course.call, stream->charged);
    free_exchange(exchange);
}

/* Says whether the answer of an exchange must wait for others. */
static bool must_wait(const struct stream *stream, const struct exchange *exchange)
{
    const struct exchange *at = stream->first;
    while (at != exchange && at->is_decoupled)
        at = at->next;
    return at != exchange;
}

static void ask_for_next(struct stream *stream)
{
    const struct rpc_course *course = &stream->course;
    if (stream->is_next_wanted || course->is_full || course->running >= RUNNING_MAX || rpc_course_ends(course))
        return;
    stream->is_next_wanted = true;
    rpc_next(stream->course.call);
}

/* --- Answers; the mutex is held --- */

static void send(struct stream *stream, const struct str *pieces, size_t count)
{
    if (!rpc_course_is_silent(&stream->course) && rpc_send(stream->course.call, pieces, count) == RPC_FULL)
        stream->course.is_full = true;
}

/* Sends an answer, or keeps it until those before it are sent. */
static void send_in_order(struct exchange *exchange, const struct str *pieces, size_t count)
{
    if (exchange->is_decoupled || !must_wait(exchange->stream, exchange)) {
        send(exchange->stream, pieces, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        buf_append_str(&exchange->waiting, pieces[i]);
}

/* Sends what has waited, and finishes what is done. */
static void send_waiting(struct stream *stream)
{
    for (struct exchange *next, *at = stream->first; at; at = next) {
        next = at->next;
        if (!at->is_done && at->is_decoupled)
            continue;
        if (!at->is_done)
            return;
        struct str answer = buf_str(&at->waiting);
        if (answer.size > 0)
            send(stream, &answer, 1);
        finish(stream, at);
    }
}

/* Returns the parameters with one more, which says whether this is the last answer; none without memory. */
static struct parameters marked(const struct parameters *parameters, bool is_final, struct arena *arena)
{
    struct parameter *list = arena_alloc(arena, (parameters->count + 1) * sizeof(*list));
    if (!list)
        return (struct parameters){0};
    for (size_t i = 0; i < parameters->count; i++)
        list[i] = parameters->list[i];
    list[parameters->count] =
        (struct parameter){.name = STR("triton_final_response"), .kind = PARAMETER_BOOL, .boolean = is_final};
    return (struct parameters){list, parameters->count + 1};
}

/* Sends an answer without outputs: an error if there is a message, or the empty last one. It names the model if the
 * request came so far that it ran. */
static void send_without_outputs(struct exchange *exchange, struct str error)
{
    const struct infer_request *request = &exchange->request;
    const struct parameters none = {0};
    struct arena *arena = &exchange->answer_arena;
    V2__ModelInferResponse response = V2__MODEL_INFER_RESPONSE__INIT;
    V2__ModelStreamInferResponse message = V2__MODEL_STREAM_INFER_RESPONSE__INIT;
    message.error_message = structs_bytes(error);
    message.infer_response = &response;
    response.id = structs_bytes(request->id);
    if (request->running) {
        struct parameters parameters = marked(&none, true, arena);
        response.model_name = structs_bytes(request->hold.model->name);
        response.model_version = structs_bytes(request->hold.model->version);
        grpc_parameters(arena, &parameters, &v2__model_infer_response__parameters_entry__descriptor,
                        &response.parameters, &response.n_parameters);
    }
    struct str packed = structs_packed(arena, &message.base);
    if (packed.data)
        send_in_order(exchange, &packed, 1);
}

/* Puts the tag and the length of infer_response before the pieces of a response. */
static struct str *wrapped(const struct str *pieces, size_t count, struct arena *arena)
{
    struct str *all = arena_alloc(arena, (count + 1) * sizeof(*all));
    char *head = arena_alloc(arena, WIRE_HEAD_MAX);
    size_t size = 0;
    if (!all || !head)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size += pieces[i].size;
        all[i + 1] = pieces[i];
    }
    all[0] = wire_head(FIELD_INFER_RESPONSE, size, head);
    return all;
}

/* --- What a request calls, on any thread --- */

/* streaming-grpc.answers streaming-grpc.id-echoed streaming-grpc.final-marked */
static struct status emit(struct infer_request *request, const struct infer_response *response)
{
    struct exchange *exchange = (struct exchange *)request;
    struct stream *stream = exchange->stream;
    const struct shared *shared = stream->course.call->context;
    struct infer_response shown = *response;
    struct str *pieces;
    size_t count;
    shown.parameters = marked(&response->parameters, !exchange->is_decoupled, &exchange->answer_arena);
    struct status status =
        grpc_encode_response(shared->options->grpc_output, exchange->form.is_raw, request, &shown, &pieces, &count);
    if (is_ok(status) && !(pieces = wrapped(pieces, count, &exchange->answer_arena)))
        status = status_no_memory();
    rpc_course_enter(stream->course.call);
    if (is_ok(status) && rpc_course_is_silent(&stream->course))
        status = status_plain(STATUS_CANCELLED, "nobody waits for the answers");
    if (is_ok(status))
        send_in_order(exchange, pieces, count + 1);
    request->is_full = stream->course.is_full;
    rpc_course_leave(&stream->course);
    arena_reset(&exchange->answer_arena, ARENA_NO_BUDGET);
    return status;
}

/* streaming-grpc.final-once */
static bool wants_empty_final(const struct exchange *exchange)
{
    return exchange->is_decoupled &&
           parameters_say(&exchange->request.parameters, "triton_enable_empty_final_response");
}

/* streaming-grpc.error-inside streaming-grpc.error-id streaming-grpc.error-as-status */
static void answer_failure(struct exchange *exchange)
{
    struct stream *stream = exchange->stream;
    const struct status *status = &exchange->request.status;
    stream->course.call->refused_by = status->broken;
    if (!stream->ends_at_errors) {
        send_without_outputs(exchange, status->message);
    } else if (!rpc_course_is_silent(&stream->course)) {
        struct str message = arena_copy(stream->course.call->arena, status->message);
        stream->course.failure = (struct status){status->code, message.data ? message : STR("out of memory"), NULL};
    }
}

static void done(struct infer_request *request)
{
    struct exchange *exchange = (struct exchange *)request;
    struct stream *stream = exchange->stream;
    rpc_course_enter(stream->course.call);
    if (!is_ok(request->status))
        answer_failure(exchange);
    else if (wants_empty_final(exchange))
        send_without_outputs(exchange, STR(""));
    exchange->is_done = true;
    if (exchange->is_decoupled)
        finish(stream, exchange);
    send_waiting(stream);
    ask_for_next(stream);
    rpc_course_leave(&stream->course);
}

static bool is_awaited(const struct infer_request *request)
{
    const struct stream *stream = ((const struct exchange *)request)->stream;
    struct rpc_course *course = rpc_course_enter(stream->course.call);
    bool is_awaited = !rpc_course_is_silent(course);
    rpc_course_leave(course);
    return is_awaited;
}

/* --- What the call calls, on the thread of its loop --- */

static struct exchange *new_exchange(struct stream *stream)
{
    const struct shared *shared = stream->course.call->context;
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    if (!exchange)
        return NULL;
    exchange->stream = stream;
    exchange->arena = arena_new(stream->course.call->arena->budget);
    exchange->answer_arena = arena_new(ARENA_NO_BUDGET);
    exchange->request = (struct infer_request){
        .arena = &exchange->arena,
        .answer_arena = &exchange->answer_arena,
        .repository = shared->repository,
        .is_streamed = true,
        .emit = emit,
        .done = done,
        .is_awaited = is_awaited,
    };
    return exchange;
}

static void take_message(struct rpc_call *call)
{
    struct stream *stream = call->own;
    struct exchange *exchange = new_exchange(stream);
    if (!exchange) {
        rpc_course_enter(call)->failure = status_no_memory();
        rpc_course_leave(&stream->course);
        return;
    }
    struct status status = grpc_decode_request(call, &exchange->request, &exchange->form);
    rpc_release_message(call);
    /* The request itself finds its model later, while answers to earlier requests are already sent. */
    const struct infer_request *request = &exchange->request;
    exchange->is_decoupled = is_ok(status) && predict_v2_is_decoupled(request->repository, request->model_name,
                                                                      request->model_version, &exchange->arena);
    exchange->charged = sizeof(*exchange) + (exchange->arena.budget - exchange->arena.left);
    rpc_course_enter(call);
    bool is_due = append(stream, exchange);
    ask_for_next(stream);
    rpc_course_leave(&stream->course);
    if (!is_due) {
        free_exchange(exchange);
    } else if (is_ok(status)) {
        infer(&exchange->request);
    } else {
        exchange->request.status = status;
        done(&exchange->request);
    }
}

/* Does something to each request that runs. */
static void for_each_running(struct stream *stream, void (*act)(struct infer_request *request))
{
    for (struct exchange *at = stream->first; at; at = at->next)
        if (!at->is_done)
            act(&at->request);
}

static void take_writable(struct rpc_call *call)
{
    struct stream *stream = (struct stream *)rpc_course_enter(call);
    stream->course.is_full = false;
    for_each_running(stream, infer_resume);
    ask_for_next(stream);
    rpc_course_leave(&stream->course);
}

/* streaming-grpc.cancel */
static void take_cancel(struct rpc_call *call)
{
    rpc_course_cancelled(call);
    struct stream *stream = (struct stream *)rpc_course_enter(call);
    for_each_running(stream, infer_cancel);
    rpc_course_leave(&stream->course);
}

/* streaming-grpc.half-close streaming-grpc.empty */
const struct rpc_stream grpc_infer_stream = {
    .message = take_message,
    .half_closed = rpc_course_half_closed,
    .writable = take_writable,
    .cancelled = take_cancel,
    .drained = rpc_course_drained,
};

void grpc_model_stream_infer(struct rpc_call *call)
{
    struct stream *stream = rpc_course_begin(call, sizeof(*stream));
    if (!stream)
        return;
    stream->end = &stream->first;
    stream->ends_at_errors = str_is(rpc_metadata(call, "triton_grpc_error"), "true");
    stream->is_next_wanted = true; /* the first message comes by itself */
}
