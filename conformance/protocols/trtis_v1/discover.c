/* Asks a target for its status (002, "Status"), which has the configurations of its models. */
#include "protocols/trtis_v1/trtis_v1.h"

#include "base/search.h"
#include "notation/text_message.h"
#include "protocols/prober.h"
#include "support/memory.h"
#include "trtis_v1.pb-c.h"

/* --- Questions --- */

static struct tree *call(struct prober *prober, const struct profile *profile, const char *rpc, const char *member,
                         struct str value)
{
    return prober_call(prober, profile, rpc, tree_object(prober->arena, {member, tree_string(prober->arena, value)}),
                       value);
}

static bool is_over_http(const struct profile *profile)
{
    return profile->endpoint->transport == TRANSPORT_HTTP;
}

/* Whether the status was given. That a RequestStatus is missing, a case of its own judges. */
static bool has_succeeded(const struct tree *message)
{
    int64_t code;
    if (!tree_member(message, "request_status"))
        return tree_member(message, "server_status") != NULL;
    return tree_to_int64(tree_member(tree_member(message, "request_status"), "code"), &code) && code == TRTIS_SUCCESS;
}

/* Returns the ServerStatus of all models, or of one; NULL if the request failed. */
static const struct tree *status_of(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct tree *message = NULL;
    if (is_over_http(profile) && !trtis_path_holds(model)) {
        prober->evidence = STR("no path can have this name");
    } else if (is_over_http(profile)) {
        struct str path =
            model.size ? arena_printf(prober->arena, "/api/status/%.*s", STR_ARG(model)) : STR("/api/status");
        message = tree_member(prober_send(prober, profile, "GET", path), "message");
        if (message)
            message = tree_copy_whole(prober->arena, message);
    } else {
        message = call(prober, profile, "Status", "model_name", model);
    }
    return has_succeeded(message) ? tree_member(message, "server_status") : NULL;
}

/* --- Whether v1 is spoken --- */

/* No other protocol has this header, and no page that a server gives at every path is a ServerStatus. Its health shows
 * it too, where the status is missing or not answered. */
static bool is_spoken_over_http(struct prober *prober, const struct profile *profile)
{
    const struct tree *answer = prober_send(prober, profile, "GET", STR("/api/status"));
    struct str body = tree_text(answer, "body"), evidence = prober->evidence;
    struct arena scratch = memory_arena();
    struct tree *status = NULL;
    bool is_status = body.size && is_ok(text_message_read(&nvidia__inferenceserver__server_status__descriptor, body,
                                                          &scratch, &status));
    arena_free(&scratch);
    if (is_status || tree_member(tree_member(answer, "headers"), "nv-status"))
        return true;
    answer = prober_may_ask(prober, profile) ? prober_send(prober, profile, "GET", STR("/api/health/live")) : NULL;
    prober->evidence = evidence;
    return tree_member(tree_member(answer, "headers"), "nv-status") != NULL;
}

static bool has_rpc(struct prober *prober, const struct profile *profile, const char *rpc)
{
    const struct request request = {.endpoint = profile->endpoint,
                                    .rpc = arena_printf(prober->arena, "/%.*s/%s", STR_ARG(profile->service), rpc)};
    const struct tree *answer = prober_ask(prober, &request, registry_act(prober->registry, ACT_GRPC), profile, rpc);
    return answer && !str_is(tree_text(answer, "code"), "UNIMPLEMENTED");
}

static bool is_spoken_over_grpc(struct prober *prober, const struct profile *profile)
{
    bool is_spoken = has_rpc(prober, profile, "Status");
    struct str evidence = prober->evidence;
    is_spoken = is_spoken || (prober_may_ask(prober, profile) && has_rpc(prober, profile, "Health"));
    prober->evidence = evidence;
    return is_spoken;
}

/* --- In the words of 000 --- */

static int64_t number_of(const struct tree *object, const char *name)
{
    int64_t number;
    return tree_to_int64(tree_member(object, name), &number) ? number : 0;
}

static struct tree *tensor_of(struct prober *prober, const struct tree *config, const struct tree *one)
{
    struct tree *shape = tree_new(prober->arena, TREE_ARRAY);
    enum datatype datatype = trtis_datatype(number_of(one, "data_type"));
    if (number_of(config, "max_batch_size") > 0)
        tree_append(shape, tree_int(prober->arena, -1));
    FOR_EACH_IN(dim, tree_first(tree_member(one, "dims")))
        tree_append(shape, tree_copy(prober->arena, dim));
    struct str type = str_of(datatype == DATATYPE_NONE ? "none" : datatype_name(datatype));
    return tree_object(prober->arena, {"name", tree_string(prober->arena, tree_text(one, "name"))},
                       {"datatype", tree_string(prober->arena, type)}, {"shape", shape});
}

static struct tree *tensors_of(struct prober *prober, const struct tree *config, const char *member)
{
    struct tree *list = tree_new(prober->arena, TREE_ARRAY);
    FOR_EACH_IN(one, tree_first(tree_member(config, member)))
        tree_append(list, tensor_of(prober, config, one));
    return list;
}

/* The versions that are ready, or of which the status does not say whether they are. */
static struct tree *versions_of(struct prober *prober, const struct tree *model)
{
    struct tree *list = tree_new(prober->arena, TREE_ARRAY);
    FOR_EACH_IN(one, tree_first(tree_member(model, "version_status")))
        if (number_of(one, "ready_state") <= TRTIS_MODEL_READY)
            tree_append(list, tree_string(prober->arena, one->name));
    return list;
}

static const struct tree *model_of(const struct tree *status, struct str model)
{
    return tree_member_str(tree_member(status, "model_status"), model);
}

static struct tree *metadata_of(struct prober *prober, const struct profile *profile, struct str name,
                                struct str version)
{
    const struct tree *model = model_of(status_of(prober, profile, name), name);
    const struct tree *config = tree_member(model, "config");
    struct tree *versions = versions_of(prober, model);
    if (!config || !versions->first)
        return NULL;
    if (version.size && !ANY_IN(one, versions->first, str_equal(one->text, version))) {
        prober->evidence = STR("its status has no such version");
        return NULL;
    }
    return tree_object(prober->arena, {"name", tree_string(prober->arena, name)}, {"versions", versions},
                       {"platform", tree_string(prober->arena, tree_text(config, "platform"))},
                       {"inputs", tensors_of(prober, config, "input")},
                       {"outputs", tensors_of(prober, config, "output")});
}

static struct tree *server_of(struct prober *prober, const struct profile *profile)
{
    const struct tree *status = status_of(prober, profile, STR(""));
    if (!status)
        return NULL;
    return tree_object(prober->arena, {"name", tree_string(prober->arena, tree_text(status, "id"))},
                       {"version", tree_string(prober->arena, tree_text(status, "version"))});
}

static struct tree *models_of(struct prober *prober, const struct profile *profile)
{
    struct tree *list = tree_new(prober->arena, TREE_ARRAY);
    for (const struct tree *model = tree_first(tree_member(status_of(prober, profile, STR("")), "model_status")); model;
         model = model->next) {
        const char *state = versions_of(prober, model)->first ? "READY" : "UNAVAILABLE";
        tree_append(list, tree_object(prober->arena, {"name", tree_string(prober->arena, model->name)},
                                      {"state", tree_string(prober->arena, str_of(state))}));
    }
    return list->first ? list : NULL;
}

/* Empty, if the status has the model without its configuration. */
static struct tree *details_in(struct prober *prober, const struct tree *config)
{
    return config ? tree_object(prober->arena,
                                {"max_batch_size", tree_int(prober->arena, number_of(config, "max_batch_size"))},
                                {"inputs", tensors_of(prober, config, "input")},
                                {"outputs", tensors_of(prober, config, "output")},
                                {"sequences", tree_bool(prober->arena, tree_member(config, "sequence_batching"))})
                  : tree_new(prober->arena, TREE_OBJECT);
}

static struct tree *details_of_all(struct prober *prober, const struct profile *profile)
{
    struct tree *details = tree_new(prober->arena, TREE_OBJECT);
    for (const struct tree *model = tree_first(tree_member(status_of(prober, profile, STR("")), "model_status")); model;
         model = model->next)
        tree_add(details, model->name, details_in(prober, tree_member(model, "config")));
    return details;
}

/* A model is served that has a version which is ready, whether the status of all models has it or not. */
static struct tree *details_left_out(struct prober *prober, const struct profile *profile, struct str name)
{
    const struct tree *model = model_of(status_of(prober, profile, name), name);
    return versions_of(prober, model)->first ? details_in(prober, tree_member(model, "config")) : NULL;
}

static bool hosts(struct prober *prober, const struct profile *profile, struct str model)
{
    bool is_there = prober_details(prober, profile, model) != NULL;
    prober->evidence = STR("its status does not have it");
    return is_there;
}

static int64_t largest_batch(struct prober *prober, const struct profile *profile, struct str model)
{
    return number_of(prober_details(prober, profile, model), "max_batch_size");
}

static bool is_for_sequences(struct prober *prober, const struct profile *profile, struct str model)
{
    return tree_is_true(prober_details(prober, profile, model), "sequences");
}

/* --- Health --- */

static bool is_up(struct prober *prober, const struct profile *profile)
{
    if (is_over_http(profile))
        return prober_succeeds(prober, profile, STR("/api/health/ready"));
    return tree_is_true(call(prober, profile, "Health", "mode", STR("ready")), "health");
}

static bool is_ready(struct prober *prober, const struct profile *profile, struct str model)
{
    return versions_of(prober, model_of(status_of(prober, profile, model), model))->first != NULL;
}

#define ASKED                                                                                                          \
    .server = server_of, .metadata = metadata_of, .is_up = is_up, .is_ready = is_ready, .models = models_of,           \
    .details = details_of_all, .details_left_out = details_left_out, .hosts = hosts, .answer_shows_host = true,        \
    .largest_batch = largest_batch, .is_for_sequences = is_for_sequences

const struct inquiry trtis_inquiries[] = {
    {.profile = "trtis-v1-http", .root = {"/api", 4}, .is_spoken = is_spoken_over_http, ASKED},
    {.profile = "trtis-v1-grpc", .is_spoken = is_spoken_over_grpc, ASKED},
    {0},
};
