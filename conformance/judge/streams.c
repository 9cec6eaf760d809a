#include "judge/streams.h"

#include "base/search.h"
#include "client/stream.h"
#include "client/tape.h"
#include "plan/request.h"
#include "support/seconds.h"

#include <stdlib.h>

struct named_stream {
    struct str name;
    struct arena arena; /* the client, and the messages that were sent */
    struct client *client;
    struct stream *stream;  /* NULL: a tape plays */
    struct request request; /* with all messages so far */
    struct named_stream *next;
};

static struct named_stream *begin(struct streams *streams, const struct play_options *options, const struct step *step,
                                  const struct request *request)
{
    struct named_stream *named = memory_zeroed(sizeof *named);
    *named = (struct named_stream){.name = step->conn, .arena = memory_arena(), .request = *request};
    named->client = client_create(options->client_options, &named->arena);
    named->request.messages = NULL;
    named->request.message_count = 0;
    if (!tape_plays(options->client_options->tape))
        named->stream = client_stream(named->client, request, options->extra);
    named->next = streams->last;
    streams->last = named;
    return named;
}

/* Sends the messages, and adds them to those of the stream. */
static void send_all(struct named_stream *named, const struct request *request)
{
    struct request *all = &named->request;
    for (size_t i = 0; i < request->message_count; i++)
        *array_add(all->messages, all->message_count, &named->arena) = arena_copy(&named->arena, request->messages[i]);
    if (named->stream)
        stream_send(named->stream, request->messages, request->message_count);
}

void streams_step(struct streams *streams, const struct play_options *options, const struct step *step,
                  const struct play *own, struct exchange *exchange)
{
    *exchange = (struct exchange){.answer = {.outcome = OUTCOME_ANSWERED, .streams = true, .open = true}};
    struct request request;
    struct status status = play_request(own, options->run->target, options->arena, &request);
    if (!is_ok(status)) {
        exchange->fault = status.message;
        return;
    }
    struct named_stream *named = step->opens ? begin(streams, options, step, &request)
                                             : FIND_IN(one, streams->last, str_equal(one->name, step->conn));
    if (!named) {
        exchange->fault = STR("the stream was not begun");
        return;
    }
    double begun = seconds_now();
    send_all(named, &request);
    if (step->half_close && named->stream)
        stream_half_close(named->stream);
    if (step->cancels && named->stream)
        stream_cancel(named->stream);
    exchange->request = named->request;
    if (!step->reads)
        return;
    struct str name = play_on_tape(options, own);
    if (named->stream) {
        stream_read(named->stream, step->reads, options->arena, &exchange->answer);
        exchange->answer.seconds = seconds_now() - begun;
        tape_note(options->client_options->tape, name, &exchange->request, &exchange->answer);
    } else {
        tape_answer(options->client_options->tape, name, &exchange->request, options->arena, &exchange->answer);
    }
    if (answer_is_seen(&exchange->answer))
        exchange_decode(own->group, exchange, options->arena);
}

void streams_close(struct streams *streams)
{
    while (streams->last) {
        struct named_stream *named = streams->last;
        streams->last = named->next;
        if (named->stream)
            stream_close(named->stream);
        client_destroy(named->client);
        arena_free(&named->arena);
        free(named);
    }
}
