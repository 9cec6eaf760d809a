#include "client/client.h"
#include "client/limit.h"
#include "client/transport.h"
#include "support/seconds.h"

#define ANSWER_TIMES 4 /* how much larger an answer of small numbers in JSON is than the same numbers as raw bytes */

struct client {
    const struct client_options *options;
    struct {
        struct http_client *http; /* for requests to a gRPC endpoint that bring their own frames */
        struct rpc_client *rpc;
    } connections[ENDPOINTS_MAX]; /* by the endpoint's index; NULL: not asked */
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

static struct str without_scheme(struct str address)
{
    const char *scheme_end = address.size ? memmem(address.data, address.size, "://", 3) : NULL;
    return scheme_end ? str_from(address, (size_t)(scheme_end - address.data) + 3) : address;
}

struct str address_prefix(struct str address)
{
    struct str rest = without_scheme(address);
    const char *slash = rest.size ? memchr(rest.data, '/', rest.size) : NULL;
    return slash ? str_from(rest, (size_t)(slash - rest.data)) : STR("");
}

struct str address_authority(struct str address)
{
    struct str rest = without_scheme(address);
    return (struct str){rest.data, rest.size - address_prefix(address).size};
}

bool address_is_secure(const struct client_options *options, struct str address)
{
    if (without_scheme(address).size < address.size)
        return str_starts(address, STR("https://")) || str_starts(address, STR("grpcs://"));
    return options->ca || options->cert || options->insecure;
}

struct str rpc_base(const struct client_options *options, struct str address, struct arena *arena)
{
    return arena_printf(arena, "%s://%.*s", address_is_secure(options, address) ? "https" : "http",
                        STR_ARG(address_authority(address)));
}

/* Makes the connections of one endpoint. False without memory. */
static bool connect_endpoint(struct client *client, size_t index, struct arena *arena)
{
    const struct client_options *options = client->options;
    struct str address = options->addresses[index].at;
    bool grpc = options->addresses[index].endpoint->transport == TRANSPORT_GRPC;
    struct str base = grpc ? rpc_base(options, address, arena) : arena_copy(arena, address);
    client->connections[index].http = http_client_create(options, base);
    if (grpc)
        client->connections[index].rpc = rpc_client_create(options, address);
    return client->connections[index].http && (!grpc || client->connections[index].rpc);
}

struct status client_create(const struct client_options *options, struct arena *arena, struct client **client)
{
    struct client *made = arena_new_of(arena, struct client);
    if (made == NULL)
        return status_no_memory();
    made->options = options;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++)
        if (options->addresses[i].at.size > 0 && !connect_endpoint(made, i, arena)) {
            client_destroy(made);
            return status_no_memory();
        }
    *client = made;
    return STATUS_IS_OK;
}

void client_destroy(struct client *client)
{
    if (client == NULL)
        return;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++) {
        http_client_destroy(client->connections[i].http);
        rpc_client_destroy(client->connections[i].rpc);
    }
}

struct rpc_client *client_rpc(struct client *client, const struct endpoint *endpoint)
{
    return client->connections[endpoint->index].rpc;
}

size_t answer_max(const struct client_options *options, const struct request *request)
{
    size_t most = ANSWER_SMALL + ANSWER_TIMES * (request->body.size + request->message.size);
    return request->large || most > options->max_message ? options->max_message : most;
}

bool answer_is_seen(const struct answer *answer)
{
    return answer->outcome == OUTCOME_ANSWERED || answer->has_http || answer->bare || answer->message_count > 0;
}

bool answer_begins(const struct answer *answer)
{
    return answer->outcome == OUTCOME_ANSWERED || answer->status >= 200;
}

static void exchange_once(struct client *client, const struct request *request, const struct header *extra,
                          struct arena *arena, struct answer *answer)
{
    *answer = (struct answer){.outcome = OUTCOME_UNREACHABLE};
    double begin = seconds_now();
    struct http_client *http = client->connections[request->endpoint->index].http;
    struct rpc_client *rpc = client->connections[request->endpoint->index].rpc;
    if (http == NULL)
        answer->trouble = arena_printf(arena, "no address was given: %.*s", STR_ARG(request->endpoint->flag));
    else if (request_is_http(request))
        http_exchange(http, request, extra, arena, answer);
    else if (request->bare)
        bare_exchange(client->options,
                      rpc_base(client->options, client_address(client->options, request->endpoint), arena), request,
                      arena, answer);
    else if (request->framed || (request->by_curl && !request->streams))
        framed_exchange(http, client->options, request, extra, arena, answer);
    else if (request->streams)
        stream_exchange(client, request, extra, arena, answer);
    else
        rpc_exchange(rpc, request, extra, arena, answer);
    answer->seconds = seconds_now() - begin;
    answer->large = request->large;
}

void client_exchange(struct client *client, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer)
{
    struct limit limit = {0};
    do
        exchange_once(client, request, extra, arena, answer);
    while (limit_asks_again(&limit, answer, arena));
}
