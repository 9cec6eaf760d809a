#include "probe/discovery.h"
#include "support/memory.h"
#include "suite/model_name.h"
#include "probe/models.h"
#include "probe/prober.h"

#define ANSWER_MAX ((size_t)64 << 20) /* bytes of an answer */

/* --- The server and the unknown name --- */

static struct tree *server_metadata(struct prober *prober)
{
    struct str evidence = {0};
    struct tree *rest = prober_may_ask(&prober->rest) ? prober_get(prober, STR("/v2"), &evidence) : NULL;
    if (prober->rest.asked_for && rest == NULL)
        buf_printf(&prober->notes, "%.*s\n", STR_ARG(evidence));
    struct tree *grpc =
        prober_may_ask(&prober->grpc) ? prober_call(prober, "ServerMetadata", STR(""), &evidence) : NULL;
    if (prober->grpc.asked_for && grpc == NULL)
        buf_printf(&prober->notes, "%.*s\n", STR_ARG(evidence));
    return rest ? rest : grpc ? grpc : tree_new(prober->arena, TREE_OBJECT);
}

static bool has_metadata(struct prober *prober, struct str name)
{
    struct str evidence;
    return (prober_may_ask(&prober->rest) && prober_get(prober, prober_path(prober, name, ""), &evidence) != NULL) ||
           (prober_may_ask(&prober->grpc) && prober_call(prober, "ModelMetadata", name, &evidence) != NULL);
}

static struct str find_unknown_name(struct prober *prober)
{
    static const char *const names[] = {"no_such_model", "no_such_model_either", "nor_this_model"};
    size_t count = sizeof names / sizeof *names;
    for (size_t i = 0; i < count; i++)
        if (!has_metadata(prober, str_of(names[i])))
            return str_of(names[i]);
    buf_printf(&prober->notes, "the target knows every model name that was tried, %s too\n", names[count - 1]);
    return str_of(names[count - 1]);
}

/* --- Models --- */

static bool rest_says_ready(struct prober *prober, struct str name)
{
    return prober_succeeds(prober, prober_path(prober, name, "/ready"));
}

static bool grpc_says_ready(struct prober *prober, struct str name)
{
    struct str evidence;
    const struct tree *ready = tree_member(prober_call(prober, "ModelReady", name, &evidence), "ready");
    return ready && ready->boolean;
}

/* A model whose metadata is broken may still be there: then it is ready, and an unknown one is not. */
static bool is_ready(struct prober *prober, struct str name)
{
    struct str unknown = prober->discovery->no_model;
    return (prober_may_ask(&prober->rest) && rest_says_ready(prober, name) && !rest_says_ready(prober, unknown)) ||
           (prober_may_ask(&prober->grpc) && grpc_says_ready(prober, name) && !grpc_says_ready(prober, unknown));
}

/* Metadata of the model; NULL if it is not hosted, then `evidence` says why. */
struct tree *prober_metadata(struct prober *prober, struct str name, struct str *evidence)
{
    struct tree *metadata = NULL;
    struct str second = {0};
    *evidence = STR("the target gave no answer");
    if (prober_may_ask(&prober->rest)) {
        metadata = prober_get(prober, prober_path(prober, name, ""), evidence);
        bool refused = metadata == NULL && !prober->rest.lost;
        if (metadata == NULL && prober_may_ask(&prober->rest)) {
            metadata = prober_get(prober, prober_path(prober, name, "/versions/1"), &second);
            prober->discovery->versionless_refused |= refused && metadata != NULL;
        }
    }
    if (metadata == NULL && prober_may_ask(&prober->grpc))
        metadata = prober_call(prober, "ModelMetadata", name, prober->rest.answered ? &second : evidence);
    if (metadata == NULL && is_ready(prober, name)) {
        buf_printf(&prober->notes, "model '%s' is ready but has no metadata: %.*s\n",
                   str_printable(prober->arena, name), STR_ARG(*evidence));
        metadata = tree_new(prober->arena, TREE_OBJECT);
    }
    return metadata;
}

/* --- All of it --- */

static void find_models(struct prober *prober, const struct suite *suite, const struct discovery_options *options)
{
    struct tree *models = tree_new(prober->arena, TREE_OBJECT), *absent = tree_new(prober->arena, TREE_OBJECT);
    for (size_t i = 0; i < suite->model_count; i++) {
        const struct suite_model *model = &suite->models[i];
        if (!str_is(model->repository, "kit") && !str_is(model->repository, "builtin"))
            continue;
        struct str evidence;
        struct tree *metadata =
            prober_metadata(prober, model_name_mapped(model->name, options->map, options->map_count), &evidence);
        if (metadata)
            tree_add(models, model->name, metadata);
        else
            tree_add(absent, model->name, tree_string(prober->arena, evidence));
    }
    tree_add(prober->discovery->found, STR("models"), models);
    tree_add(prober->discovery->found, STR("absent"), absent);
}

struct status discover(const struct suite *suite, const struct discovery_options *options, struct arena *arena,
                       struct discovery *discovery)
{
    *discovery = (struct discovery){.found = tree_new(arena, TREE_OBJECT)};
    struct prober prober = {.arena = arena,
                            .discovery = discovery,
                            .scratch = memory_arena(),
                            .held = memory_arena(),
                            .rest.asked_for = options->client->http.size > 0,
                            .grpc.asked_for = options->client->grpc.size > 0};
    struct client_options limited = *options->client;
    if (limited.max_message > ANSWER_MAX)
        limited.max_message = ANSWER_MAX;
    struct status status = client_create(&limited, arena, &prober.client);
    if (!is_ok(status))
        return status;
    tree_add(discovery->found, STR("server"), server_metadata(&prober));
    discovery->no_model = find_unknown_name(&prober);
    find_models(&prober, suite, options);
    tree_add(discovery->found, STR("probes"), probe_models(&prober, suite, options));
    discovery->rest_answers = prober.rest.answered;
    discovery->grpc_answers = prober.grpc.answered;
    discovery->notes = arena_copy(arena, buf_str(&prober.notes));
    buf_free(&prober.notes);
    arena_free(&prober.scratch);
    arena_free(&prober.held);
    client_destroy(prober.client);
    return STATUS_IS_OK;
}
