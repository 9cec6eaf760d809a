#include "judge/server.h"

struct server *server_find(struct server *servers, size_t count, struct str state)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(servers[i].state, state))
            return &servers[i];
    return NULL;
}

static void offer(struct server *server, const char *url)
{
    if (strncmp(url, "grpc://", 7) == 0) {
        server->client.grpc = str_of(url + 7);
        server->offers[GRPC] = true;
        return;
    }
    server->client.http = str_of(url);
    while (server->client.http.size && server->client.http.data[server->client.http.size - 1] == '/')
        server->client.http.size--;
    server->offers[REST] = true;
}

struct server *servers_make(const struct run_options *options, struct arena *arena, size_t *count)
{
    struct server *servers = arena_alloc_zero(arena, options->state_count + 1, sizeof(*servers));
    servers[0] = (struct server){
        .client = options->client,
        .offers = {[REST] = options->client.http.size > 0, [GRPC] = options->client.grpc.size > 0},
        .gone = {[REST] = options->rest_gone, [GRPC] = options->grpc_gone},
    };
    *count = 1;
    for (size_t i = 0; i < options->state_count; i++) {
        struct str state = {options->states[i], strcspn(options->states[i], "=")};
        struct server *server = server_find(servers, *count, state);
        if (!server) {
            server = &servers[(*count)++];
            server->state = state;
            server->client = options->client;
            server->client.http = server->client.grpc = (struct str){0};
        }
        offer(server, options->states[i] + state.size + 1);
    }
    return servers;
}

struct status servers_open(const struct server *servers, size_t count, struct arena *arena, struct client **clients)
{
    struct status status = STATUS_IS_OK;
    for (size_t i = 0; i < count && is_ok(status); i++)
        status = client_create(&servers[i].client, arena, &clients[i]);
    return status;
}

void servers_close(struct client **clients, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (clients[i])
            client_destroy(clients[i]);
}
