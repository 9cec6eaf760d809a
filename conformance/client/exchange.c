#include "client/exchange.h"
#include "client/transport.h"
#include "support/seconds.h"

#define ANSWER_TIMES 4 /* an answer of small numbers, as JSON, to a request of raw bytes */

struct client {
    const struct client_options *options;
    struct http_client *http; /* NULL: not asked for */
    struct rpc_client *rpc;
    struct http_client *framed; /* to the gRPC address */
};

void header_list_add(struct header_list *list, struct header entry, struct arena *arena)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 8;
        struct header *entries = arena_alloc_zero(arena, capacity, sizeof *entries);
        if (entries == NULL)
            return;
        if (list->count > 0)
            memcpy(entries, list->entries, list->count * sizeof *entries);
        list->entries = entries;
        list->capacity = capacity;
    }
    list->entries[list->count++] = entry;
}

struct str header_value(const struct header_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_equal_ignoring_case(list->entries[i].name, str_of(name)))
            return list->entries[i].value;
    return (struct str){0};
}

struct header header_of_line(const char *line)
{
    const char *colon = strchr(line, ':');
    if (colon == NULL)
        return (struct header){str_of(line), STR("")};
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    size_t size = strlen(value);
    while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t'))
        size--;
    return (struct header){{line, (size_t)(colon - line)}, {value, size}};
}

bool headers_have(const struct header *headers, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal_ignoring_case(headers[i].name, str_of(name)))
            return true;
    return false;
}

struct status client_create(const struct client_options *options, struct arena *arena, struct client **client)
{
    struct client *made = arena_new_of(arena, struct client);
    if (made == NULL)
        return status_no_memory();
    made->options = options;
    struct status status = STATUS_IS_OK;
    if (options->http.size > 0) {
        made->http = http_client_create(options, arena_copy(arena, options->http));
        status = made->http ? STATUS_IS_OK : status_no_memory();
    }
    if (options->grpc.size > 0 && is_ok(status)) {
        const char *scheme = options->ca ? "https" : "http";
        made->framed = http_client_create(options, arena_printf(arena, "%s://%.*s", scheme, STR_ARG(options->grpc)));
        made->rpc = rpc_client_create(options);
        status = made->framed && made->rpc ? STATUS_IS_OK : status_no_memory();
    }
    if (!is_ok(status)) {
        client_destroy(made);
        return status;
    }
    *client = made;
    return STATUS_IS_OK;
}

void client_destroy(struct client *client)
{
    if (client == NULL)
        return;
    http_client_destroy(client->http);
    http_client_destroy(client->framed);
    rpc_client_destroy(client->rpc);
}

size_t answer_max(const struct client_options *options, const struct request *request)
{
    size_t most = ANSWER_SMALL + ANSWER_TIMES * (request->body.size + request->message.size);
    return request->large || most > options->max_message ? options->max_message : most;
}

bool answer_begins(const struct answer *answer)
{
    return answer->outcome == OUTCOME_ANSWERED || answer->status >= 200;
}

void client_exchange(struct client *client, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer)
{
    *answer = (struct answer){.outcome = OUTCOME_UNREACHABLE};
    double begin = seconds_now();
    if (request->rest && client->http != NULL)
        http_exchange(client->http, request, extra, arena, answer);
    else if (!request->rest && client->framed != NULL && request->framed)
        framed_exchange(client->framed, client->options, request, extra, arena, answer);
    else if (!request->rest && client->rpc != NULL)
        rpc_exchange(client->rpc, request, extra, arena, answer);
    else
        answer->trouble = request->rest ? STR("no HTTP address was given") : STR("no gRPC address was given");
    answer->seconds = seconds_now() - begin;
    answer->large = request->large;
}
