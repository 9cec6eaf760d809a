/* Asks what a target says about itself over V2: health and metadata of 000, and lists of models if the target offers
 * them (GET /v2/models of 003, the repository index of 001). */
#include "protocols/predict_v2/predict_v2.h"

#include "base/search.h"
#include "protocols/prober.h"
#include "support/percent.h"

/* --- Over REST --- */

/* Returns "/v2/models/NAME" with `below` after it. */
static struct str model_path(struct prober *prober, struct str model, const char *below)
{
    struct str segment = path_segment(model, prober->arena);
    return arena_printf(prober->arena, "/v2/models/%.*s%s", STR_ARG(segment), below);
}

static struct tree *rest_server(struct prober *prober, const struct profile *profile)
{
    return prober_fetch(prober, profile, "GET", STR("/v2"));
}

static struct tree *rest_metadata(struct prober *prober, const struct profile *profile, struct str model,
                                  struct str version)
{
    struct str below = version.size > 0 ? arena_printf(prober->arena, "/versions/%.*s", STR_ARG(version)) : STR("");
    return prober_fetch(prober, profile, "GET", model_path(prober, model, below.data));
}

static bool rest_is_up(struct prober *prober, const struct profile *profile)
{
    return prober_succeeds(prober, profile, STR("/v2/health/ready"));
}

static bool rest_is_ready(struct prober *prober, const struct profile *profile, struct str model)
{
    return prober_succeeds(prober, profile, model_path(prober, model, "/ready"));
}

static bool is_list(const struct tree *list)
{
    return list && list->type == TREE_ARRAY && list->count;
}

static struct tree *rest_models(struct prober *prober, const struct profile *profile)
{
    struct tree *list = tree_member(prober_fetch(prober, profile, "GET", STR("/v2/models")), "models");
    if (!is_list(list) && prober_may_ask(prober, profile))
        list = prober_fetch(prober, profile, "POST", STR("/v2/repository/index"));
    return is_list(list) ? list : NULL;
}

/* 001, "RepositoryIndex", as clients ask for it over REST; no document has the path. */
static struct tree *rest_index(struct prober *prober, const struct profile *profile)
{
    struct tree *list = prober_fetch(prober, profile, "POST", STR("/v2/repository/index"));
    return list && list->type == TREE_ARRAY ? list : NULL;
}

/* Whether the evidence says that who asks must show who it is. A server may guard its repository alone. */
static bool wants_credentials(struct prober *prober)
{
    static const char *const answers[] = {" gave 401", " gave 403", " gave UNAUTHENTICATED", " gave PERMISSION_DENIED"};
    for (size_t i = 0; i < COUNT_OF(answers); i++)
        if (memmem(prober->evidence.data, prober->evidence.size, answers[i], strlen(answers[i]))) {
            prober->evidence =
                arena_printf(prober->arena, "%.*s; it needs credentials: give --header 'Authorization: ...'",
                             STR_ARG(prober->evidence));
            return true;
        }
    return false;
}

/* 003, "Model Management" */
static bool rest_order(struct prober *prober, const struct profile *profile, struct str model, bool load)
{
    struct str segment = path_segment(model, prober->arena);
    struct str path =
        arena_printf(prober->arena, "/v2/repository/models/%.*s/%s", STR_ARG(segment), load ? "load" : "unload");
    return prober_order(prober, profile, path);
}

/* --- Over gRPC --- */

static struct tree *call(struct prober *prober, const struct profile *profile, const char *rpc, struct str model,
                         struct str version)
{
    const struct tree *message =
        tree_object(prober->arena, {"name", model.size > 0 ? tree_string(prober->arena, model) : NULL},
                    {"version", version.size > 0 ? tree_string(prober->arena, version) : NULL});
    return prober_call(prober, profile, rpc, message, model);
}

static struct tree *grpc_server(struct prober *prober, const struct profile *profile)
{
    return call(prober, profile, "ServerMetadata", STR(""), STR(""));
}

static struct tree *grpc_metadata(struct prober *prober, const struct profile *profile, struct str model,
                                  struct str version)
{
    return call(prober, profile, "ModelMetadata", model, version);
}

static bool grpc_is_up(struct prober *prober, const struct profile *profile)
{
    return tree_is_true(call(prober, profile, "ServerReady", STR(""), STR("")), "ready");
}

static bool grpc_is_ready(struct prober *prober, const struct profile *profile, struct str model)
{
    return tree_is_true(call(prober, profile, "ModelReady", model, STR("")), "ready");
}

static struct tree *grpc_models(struct prober *prober, const struct profile *profile)
{
    struct tree *list = tree_member(call(prober, profile, "RepositoryIndex", STR(""), STR("")), "models");
    return is_list(list) ? list : NULL;
}

/* 001, "RepositoryIndex" */
static struct tree *grpc_index(struct prober *prober, const struct profile *profile)
{
    return tree_member(call(prober, profile, "RepositoryIndex", STR(""), STR("")), "models");
}

static bool index_is_open(struct prober *prober, const struct profile *profile)
{
    return inquiry_index(prober, profile) || !wants_credentials(prober);
}

/* --- Configurations of models --- */

/* Triton's names, and those that the mapping of proto3 to JSON makes of them. */
static int64_t batch_in(const struct tree *config)
{
    int64_t batch = 0;
    return tree_to_int64(tree_member(config, "max_batch_size"), &batch) ||
                   tree_to_int64(tree_member(config, "maxBatchSize"), &batch)
               ? batch
               : 0;
}

static int64_t rest_largest_batch(struct prober *prober, const struct profile *profile, struct str model)
{
    return batch_in(prober_fetch(prober, profile, "GET", model_path(prober, model, "/config")));
}

static int64_t grpc_largest_batch(struct prober *prober, const struct profile *profile, struct str model)
{
    return batch_in(tree_member(call(prober, profile, "ModelConfig", model, STR("")), "config"));
}

/* 001, "RepositoryModelLoad" and "RepositoryModelUnload" */
static bool grpc_order(struct prober *prober, const struct profile *profile, struct str model, bool load)
{
    const struct tree *message = tree_object(prober->arena, {"model_name", tree_string(prober->arena, model)});
    return prober_call(prober, profile, load ? "RepositoryModelLoad" : "RepositoryModelUnload", message, model) != NULL;
}

const struct inquiry predict_v2_inquiries[] = {
    {.profile = "v2-rest",
     .root = {"/v2", 3},
     .wants_versions = true,
     .server = rest_server,
     .metadata = rest_metadata,
     .is_up = rest_is_up,
     .is_ready = rest_is_ready,
     .models = rest_models},
    {.profile = "v2-grpc",
     .server = grpc_server,
     .metadata = grpc_metadata,
     .is_up = grpc_is_up,
     .is_ready = grpc_is_ready,
     .models = grpc_models},
    /* Extensions of v2-rest and v2-grpc: the inquiries of those profiles ask what else there is to ask. */
    {.profile = "binary-tensors", .wants_versions = true},
    {.profile = "classification-rest", .wants_versions = true},
    {.profile = "repository-rest",
     .is_spoken = index_is_open,
     .wants_versions = true,
     .index = rest_index,
     .order = rest_order},
    {.profile = "repository-grpc", .is_spoken = index_is_open, .index = grpc_index, .order = grpc_order},
    {.profile = "sequence-rest", .wants_versions = true},
    {.profile = "schedule-rest", .wants_versions = true},
    {.profile = "model-configuration-rest", .largest_batch = rest_largest_batch},
    {.profile = "model-configuration-grpc", .largest_batch = grpc_largest_batch},
    {.profile = "generate-rest", .wants_versions = true},
    {.profile = "v2-kserve", .wants_versions = true},
    {0},
};
