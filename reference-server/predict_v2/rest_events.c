#include "predict_v2/rest_events.h"

#include "base/clock.h"

#include <pthread.h>

#define CONTENT_TYPE "text/event-stream; charset=utf-8"
#define WAITING_MAX  ((size_t)64 * 1024)     /* bytes of events; with more the model rests */
#define GLANCE       ((int64_t)25 * 1000000) /* nanoseconds between two looks whether the client is there */

struct events {
    struct rest_call *call;
    struct infer_request *request;
    enum events_form form;
    events_encoder encode;
    struct arena answer_arena;

    pthread_mutex_t mutex; /* for what follows */
    pthread_cond_t changed;
    struct buf waiting;
    size_t count; /* responses that were written */
    bool is_full, is_done, is_awaited;
};

/* --- What the request calls, on any thread --- */

/* Writes a response after what waits; nothing if it fails. The mutex is held. */
static struct status write_response(struct events *events, const struct infer_response *response)
{
    struct buf *out = &events->waiting;
    size_t before = out->size;
    if (events->form == EVENTS_MANY)
        buf_append_literal(out, "data: ");
    struct status status = events->encode(events->request, response, out);
    if (events->form == EVENTS_MANY)
        buf_append_literal(out, "\n\n");
    if (is_ok(status) && out->failed)
        status = status_no_memory();
    if (!is_ok(status))
        out->size = before;
    return status;
}

static struct status emit(struct infer_request *request, const struct infer_response *response)
{
    struct events *events = request->context;
    struct status status = STATUS_IS_OK;
    pthread_mutex_lock(&events->mutex);
    if (events->form == EVENTS_ONE && events->count > 0)
        status = status_plain(STATUS_INTERNAL,
                              "the model gave more than one answer, and this endpoint takes one; generate_stream takes "
                              "any number");
    if (is_ok(status))
        status = write_response(events, response);
    events->count += is_ok(status);
    events->is_full = request->is_full = events->form == EVENTS_MANY && events->waiting.size > WAITING_MAX;
    pthread_cond_signal(&events->changed);
    pthread_mutex_unlock(&events->mutex);
    arena_reset(&events->answer_arena, ARENA_NO_BUDGET);
    return status;
}

static void done(struct infer_request *request)
{
    struct events *events = request->context;
    pthread_mutex_lock(&events->mutex);
    events->is_done = true;
    pthread_cond_signal(&events->changed);
    pthread_mutex_unlock(&events->mutex);
}

static bool is_awaited(const struct infer_request *request)
{
    struct events *events = request->context;
    pthread_mutex_lock(&events->mutex);
    bool is_awaited = events->is_awaited;
    pthread_mutex_unlock(&events->mutex);
    return is_awaited;
}

/* --- The worker --- */

/* Waits until there is something to do, but no longer than until the next glance. The mutex is held. */
static void nap(struct events *events)
{
    clock_wait(&events->changed, &events->mutex, clock_now() + GLANCE);
}

/* Sends what waits, without the mutex, which is held before and afterwards. Returns false if the client has left. */
static bool send_waiting(struct events *events, struct buf *sending)
{
    struct buf empty = *sending;
    *sending = events->waiting;
    events->waiting = empty;
    pthread_mutex_unlock(&events->mutex);
    bool is_sent = http_send_part(events->call->http, CONTENT_TYPE, buf_str(sending));
    buf_clear(sending);
    pthread_mutex_lock(&events->mutex);
    if (is_sent && events->is_full && !events->is_done)
        infer_resume(events->request);
    events->is_full = false;
    return is_sent;
}

/* Says whether there is something to send, and somebody to take it. */
static bool has_events(const struct events *events)
{
    return events->is_awaited && events->form == EVENTS_MANY && events->waiting.size > 0;
}

/* Sends events until the request is done. */
static void follow(struct events *events)
{
    struct buf sending = {0};
    pthread_mutex_lock(&events->mutex);
    while (!events->is_done || has_events(events)) {
        bool was_awaited = events->is_awaited;
        if (has_events(events))
            events->is_awaited = send_waiting(events, &sending);
        else
            nap(events);
        if (events->is_awaited && !events->is_done && !has_events(events))
            events->is_awaited = http_is_awaited(events->call->http);
        if (was_awaited && !events->is_awaited && !events->is_done)
            infer_cancel(events->request);
    }
    pthread_mutex_unlock(&events->mutex);
    buf_free(&sending);
}

/* --- The answer --- */

/* v2 over REST has its status in the head, so an error that comes later is an event. */
static void answer_many(struct events *events)
{
    const struct status *status = &events->request->status;
    struct http_request *http = events->call->http;
    if (!is_ok(*status) && events->count == 0) {
        rest_refuse(events->call, *status);
        return;
    }
    if (!is_ok(*status)) {
        buf_append_literal(&events->waiting, "data: ");
        rest_write_error(&events->waiting, status->message);
        buf_append_literal(&events->waiting, "\n\n");
        http_send_part(http, CONTENT_TYPE, buf_str(&events->waiting));
        http->refused_by = status->broken;
    }
    http_answer(http, 200, CONTENT_TYPE);
}

static void answer_one(struct events *events)
{
    struct status status = events->request->status;
    if (is_ok(status) && events->count == 0)
        status = status_plain(STATUS_INTERNAL, "the model gave no answer, and this endpoint takes one");
    buf_append_str(&events->call->http->answer_buf, buf_str(&events->waiting));
    rest_answer(events->call, status);
}

void rest_answer_events(struct rest_call *call, struct infer_request *request, enum events_form form,
                        events_encoder encode)
{
    struct events events = {.call = call, .request = request, .form = form, .encode = encode, .is_awaited = true};
    pthread_mutex_init(&events.mutex, NULL);
    clock_cond_init(&events.changed);
    events.answer_arena = arena_new(ARENA_NO_BUDGET);
    request->answer_arena = &events.answer_arena;
    request->is_streamed = true;
    request->emit = emit;
    request->done = done;
    request->is_awaited = is_awaited;
    request->context = &events;
    infer(request);
    follow(&events);
    if (form == EVENTS_MANY)
        answer_many(&events);
    else
        answer_one(&events);
    buf_free(&events.waiting);
    arena_free(&events.answer_arena);
    pthread_cond_destroy(&events.changed);
    pthread_mutex_destroy(&events.mutex);
}
