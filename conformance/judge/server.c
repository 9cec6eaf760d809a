#include "judge/server.h"

#include "support/memory.h"

struct server *servers_find(const struct servers *servers, struct str state)
{
    for (size_t i = 0; i < servers->count; i++)
        if (str_equal(servers->list[i].state, state))
            return &servers->list[i];
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

void servers_make(const struct run_options *options, struct servers *servers)
{
    *servers = (struct servers){.count = 1,
                                .jobs = options->jobs,
                                .unresponsive = options->rest_gone.size ? options->rest_gone : options->grpc_gone,
                                .arena = memory_arena(),
                                .mutex = PTHREAD_MUTEX_INITIALIZER};
    servers->list = arena_alloc_zero(&servers->arena, options->state_count + 1, sizeof(*servers->list));
    servers->list[0] = (struct server){
        .client = options->client,
        .offers = {[REST] = options->client.http.size > 0, [GRPC] = options->client.grpc.size > 0},
        .gone = {[REST] = options->rest_gone, [GRPC] = options->grpc_gone},
    };
    for (size_t i = 0; i < options->state_count; i++) {
        struct str state = {options->states[i], strcspn(options->states[i], "=")};
        struct server *server = servers_find(servers, state);
        if (!server) {
            server = &servers->list[servers->count++];
            server->state = state;
            server->client = options->client;
            server->client.http = server->client.grpc = (struct str){0};
        }
        offer(server, options->states[i] + state.size + 1);
    }
}

void servers_free(struct servers *servers)
{
    pthread_mutex_destroy(&servers->mutex);
    arena_free(&servers->arena);
}

const char *servers_beside(const struct servers *servers)
{
    return servers->jobs > 1 ? " (or beside it: --jobs 1 tells which)" : "";
}

/* A server whose answers begin and do not end responds all the same: what it breaks is told. */
static void note_silence(struct servers *servers, struct server *server, const struct play *play,
                         const struct answer *answer)
{
    enum transport transport = transport_of(play->group->encoding);
    bool begins = answer_begins(answer);
    if (server->silent[transport]++ == 0)
        server->since[transport] = play->id;
    if (server->silent[transport] < 2 * servers->jobs || server->gone[transport].size)
        return;
    server->gone[transport] = arena_printf(
        &servers->arena, "the %s %s over %s any more: %zu exchanges in a row, first of %.*s%s; %.*s",
        server->state.size ? "server of this state" : "target", begins ? "gives no whole answer" : "does not respond",
        transport == REST ? "REST" : "gRPC", server->silent[transport], STR_ARG(server->since[transport]),
        servers_beside(servers), STR_ARG(answer->trouble));
    if (!begins && !servers->unresponsive.size)
        servers->unresponsive = server->gone[transport];
}

void servers_note(struct servers *servers, struct server *server, const struct play *play, const struct answer *answer)
{
    bool whole = answer->outcome == OUTCOME_ANSWERED || answer->outcome == OUTCOME_GARBLED;
    pthread_mutex_lock(&servers->mutex);
    servers->exchanges++;
    servers->answers += whole || answer_begins(answer);
    if (whole)
        server->silent[transport_of(play->group->encoding)] = 0;
    else
        note_silence(servers, server, play, answer);
    pthread_mutex_unlock(&servers->mutex);
}

struct str servers_gone(struct servers *servers, const struct server *server, enum transport transport)
{
    pthread_mutex_lock(&servers->mutex);
    struct str gone = server->gone[transport];
    pthread_mutex_unlock(&servers->mutex);
    return gone;
}
