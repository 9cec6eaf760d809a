#include "judge/server.h"

#include "base/search.h"

struct server *servers_find(const struct servers *servers, struct str state)
{
    return FIND(servers->list, i, servers->count, str_equal(servers->list[i].state, state));
}

/* Adds an address to the server. The scheme of the URL is the name of an endpoint, with an "s" after it if it speaks
 * TLS. */
static void add_address(struct server *server, const struct registry *registry, struct str url, struct arena *arena)
{
    const char *scheme_end = memmem(url.data, url.size, "://", 3);
    if (!scheme_end)
        return; /* the command has checked the URL */
    struct str scheme = {url.data, (size_t)(scheme_end - url.data)}, at = url;
    const struct endpoint *endpoint = registry_endpoint(registry, scheme);
    bool secure = !endpoint;
    if (secure)
        endpoint = registry_endpoint(registry, (struct str){scheme.data, scheme.size - 1});
    if (!endpoint)
        return; /* this, too */
    if (endpoint->transport == TRANSPORT_HTTP)
        at = arena_printf(arena, "%s%.*s", secure ? "https" : "http", STR_ARG(str_from(url, scheme.size)));
    while (at.size && at.data[at.size - 1] == '/')
        at.size--;
    server->client.addresses[endpoint->index] = (struct address){endpoint, at};
}

void servers_make(const struct run_options *options, const struct registry *registry, struct servers *servers)
{
    const struct discovery *discovery = &options->target->discovery;
    const struct values *states = &options->target->flags.states;
    *servers = (struct servers){
        .count = 1, .jobs = options->jobs, .arena = memory_arena(), .mutex = PTHREAD_MUTEX_INITIALIZER};
    servers->list = arena_alloc_zero(&servers->arena, states->count + 1, sizeof(*servers->list));
    servers->list[0] = (struct server){.client = options->client};
    for (size_t i = 0; i < ENDPOINTS_MAX; i++) {
        servers->list[0].endpoints[i].given_up = discovery->hindered[i];
        servers->list[0].endpoints[i].answered = discovery->answers[i];
        if (!servers->unresponsive.size)
            servers->unresponsive = discovery->hindered[i];
    }
    for (size_t i = 0; i < states->count; i++) {
        struct str url = str_of(states->items[i]), state = str_take(&url, '=');
        struct server *server = servers_find(servers, state);
        if (!server) {
            server = &servers->list[servers->count++];
            server->state = state;
            server->client = options->client;
            memset(server->client.addresses, 0, sizeof server->client.addresses);
        }
        add_address(server, registry, url, &servers->arena);
    }
}

void servers_free(struct servers *servers)
{
    pthread_mutex_destroy(&servers->mutex);
    arena_free(&servers->arena);
}

const char *servers_beside(const struct servers *servers)
{
    return servers->jobs > 1 ? " (or a case that ran at the same time; --jobs 1 shows which)" : "";
}

/* --- Kinds of requests --- */

static struct kind *kind_of(struct server *server, const struct play *play, const struct request *request)
{
    struct arena scratch = memory_arena();
    uint64_t key =
        kind_key(request->method, request->rpc.size ? request->rpc : request->path, play->group->model, &scratch);
    arena_free(&scratch);
    return kinds_find(&server->endpoints[request->endpoint->index].kinds, key);
}

void servers_note_request(struct servers *servers, struct server *server, const struct play *play,
                          const struct request *request, const struct answer *answer)
{
    pthread_mutex_lock(&servers->mutex);
    struct kind *kind = kind_of(server, play, request);
    if (answer->outcome == OUTCOME_TIMEOUT)
        kinds_note_silence(&server->endpoints[request->endpoint->index].kinds, kind);
    else
        kinds_note_answer(&server->endpoints[request->endpoint->index].kinds, kind);
    if (kind->silent >= 2 * servers->jobs && !kind->given_up.size)
        kind->given_up = arena_printf(&servers->arena,
                                      "%.*s%s%.*s is not asked any more: %zu requests of its kind in a row "
                                      "got no answer in time%s",
                                      STR_ARG(request->method), request->method.size ? " " : "",
                                      STR_ARG(request->rpc.size ? request->rpc : request->path), kind->silent,
                                      servers_beside(servers));
    pthread_mutex_unlock(&servers->mutex);
}

struct str servers_request_given_up(struct servers *servers, struct server *server, const struct play *play,
                                    const struct request *request)
{
    pthread_mutex_lock(&servers->mutex);
    struct str given_up = kind_of(server, play, request)->given_up;
    pthread_mutex_unlock(&servers->mutex);
    return given_up;
}

/* Whether some kinds of requests are not answered in time, and nothing else is wrong with the endpoint. */
static bool is_partly_silent(const struct server_endpoint *state, const struct answer *answer)
{
    const struct kinds *kinds = &state->kinds;
    return answer->outcome == OUTCOME_TIMEOUT && kinds->different && kinds->different < KINDS_SILENT_TO_BE &&
           (state->answered || kinds->different < kinds->count);
}

/* --- Endpoints --- */

/* Counts an exchange without a whole answer. If the answers begin and do not end, the server still responds: the
 * endpoint is given up, but the run is not called unresponsive. */
static void note_silence(struct servers *servers, struct server *server, const struct play *play,
                         const struct answer *answer)
{
    const struct endpoint *endpoint = play->group->profile->endpoint;
    struct server_endpoint *state = &server->endpoints[endpoint->index];
    bool begins = answer_begins(answer);
    if (state->silent++ == 0)
        state->since = play->id;
    if (state->silent < 2 * servers->jobs || state->given_up.size || is_partly_silent(state, answer))
        return;
    state->given_up =
        arena_printf(&servers->arena, "the %s no longer %s over %.*s: %zu exchanges in a row, first of %.*s%s; %.*s",
                     server->state.size ? "server of this state" : "target",
                     begins ? "gives complete answers" : "responds", STR_ARG(endpoint->called), state->silent,
                     STR_ARG(state->since), servers_beside(servers), STR_ARG(answer->trouble));
    if (!begins && !servers->unresponsive.size)
        servers->unresponsive = state->given_up;
}

/* Gives the endpoint up, because the target limits requests. */
static void note_limit(struct servers *servers, struct server *server, const struct play *play,
                       const struct answer *answer)
{
    struct server_endpoint *state = &server->endpoints[play->group->profile->endpoint->index];
    if (state->given_up.size)
        return;
    state->given_up = arena_printf(&servers->arena, "%.*s (at %.*s)", STR_ARG(answer->trouble), STR_ARG(play->id));
    if (!servers->unresponsive.size)
        servers->unresponsive = state->given_up;
}

void servers_note(struct servers *servers, struct server *server, const struct play *play, const struct answer *answer)
{
    bool whole = answer->outcome == OUTCOME_ANSWERED || answer->outcome == OUTCOME_GARBLED;
    pthread_mutex_lock(&servers->mutex);
    servers->exchanges++;
    servers->answers += whole || answer_begins(answer);
    if (answer->outcome == OUTCOME_LIMITED && !answer->unrecorded)
        note_limit(servers, server, play, answer);
    else if (whole || answer->unrecorded)
        server->endpoints[play->group->profile->endpoint->index].silent = 0;
    else
        note_silence(servers, server, play, answer);
    pthread_mutex_unlock(&servers->mutex);
}

struct str servers_given_up(struct servers *servers, const struct server *server, const struct endpoint *endpoint)
{
    pthread_mutex_lock(&servers->mutex);
    struct str given_up = server->endpoints[endpoint->index].given_up;
    pthread_mutex_unlock(&servers->mutex);
    return given_up;
}
