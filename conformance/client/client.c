#include "client/client.h"

#include "client/http.h"
#include "client/http2_raw.h"
#include "client/limit.h"
#include "client/rpc.h"
#include "client/stream.h"
#include "client/tape.h"
#include "support/seconds.h"

#define STATUS_TIMEOUT 408
#define LATE_MAX       8 /* such answers in a row; each ends a connection */

struct client {
    const struct client_options *options;
    struct {
        struct http_client *http; /* NULL: no such address, or one of gRPC */
        struct channel grpc;
    } connections[ENDPOINTS_MAX]; /* by the endpoint's index */
    bool busy_lasts;              /* limit.h */
};

struct client *client_create(const struct client_options *options, struct arena *arena)
{
    struct client *client = arena_new_of(arena, struct client);
    client->options = options;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++) {
        const struct address *address = &options->addresses[i];
        if (address->at.size == 0)
            continue;
        client->connections[i].grpc = (struct channel){.options = options, .address = address->at};
        if (address->endpoint->transport == TRANSPORT_HTTP)
            client->connections[i].http = http_client_create(options, arena_copy(arena, address->at));
    }
    return client;
}

void client_destroy(struct client *client)
{
    if (client == NULL)
        return;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++) {
        http_client_destroy(client->connections[i].http);
        channel_disconnect(&client->connections[i].grpc);
    }
}

static struct channel *channel_of(struct client *client, const struct endpoint *endpoint)
{
    return client_address(client->options, endpoint).size > 0 ? &client->connections[endpoint->index].grpc : NULL;
}

struct stream *client_stream(struct client *client, const struct request *request, const struct header *extra)
{
    return stream_open(channel_of(client, request->endpoint), request, extra);
}

/* Makes a call. One that is framed has a connection of its own. A call that the server did not look at is made once
 * more, on another connection, and one without an answer ends its connection. */
static void exchange_grpc(struct channel *shared, const struct request *request, const struct header *extra,
                          struct arena *arena, struct answer *answer)
{
    struct channel own = {.options = shared->options, .address = shared->address};
    struct channel *channel = request->framed ? &own : shared;
    bool is_unseen = true;
    for (size_t i = 0; i < 2 && is_unseen; i++) {
        is_unseen = (request->streams ? stream_exchange : rpc_exchange)(channel, request, extra, arena, answer);
        if (is_unseen || answer->outcome != OUTCOME_ANSWERED)
            channel_disconnect(channel);
    }
    channel_disconnect(&own);
}

static void exchange_once(struct client *client, const struct request *request, const struct header *extra,
                          struct arena *arena, struct answer *answer)
{
    *answer = (struct answer){.outcome = OUTCOME_UNREACHABLE};
    double begin = seconds_now();
    struct channel *channel = channel_of(client, request->endpoint);
    if (channel == NULL)
        answer->trouble = arena_printf(arena, "no address was given: %.*s", STR_ARG(request->endpoint->flag));
    else if (request_is_http(request))
        http_exchange(client->connections[request->endpoint->index].http, request, extra, arena, answer);
    else if (request->http2_raw)
        http2_raw_exchange(client->options, address_url(client->options, channel->address, arena), request, arena,
                           answer);
    else
        exchange_grpc(channel, request, extra, arena, answer);
    answer->seconds = seconds_now() - begin;
    answer->large = request->large;
}

/* Whether the target gave up waiting for a request on an open connection just before this one came. A client may repeat
 * it then (RFC 9110, 15.5.9). */
static bool came_too_late(const struct answer *answer)
{
    return answer->outcome == OUTCOME_ANSWERED && answer->status == STATUS_TIMEOUT && answer->reused;
}

void client_exchange(struct client *client, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer)
{
    struct limit limit = {.busy_lasts = client->busy_lasts};
    size_t late = 0;
    struct tape *tape = client->options->tape;
    if (tape_plays(tape)) {
        tape_answer(tape, request->name, request, arena, answer);
        return;
    }
    do
        exchange_once(client, request, extra, arena, answer);
    while (limit_asks_again(&limit, answer, arena) || (came_too_late(answer) && late++ < LATE_MAX));
    client->busy_lasts = limit.busy_lasts;
    tape_note(tape, request->name, request, answer);
}
