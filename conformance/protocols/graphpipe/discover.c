/* Asks what a target says about itself: its metadata, at its address or at the path of a model. */
#include "protocols/graphpipe/graphpipe.h"

#include "flat/message.h"
#include "protocols/prober.h"

static const struct str own = {"/", 1}; /* the model at the address itself */

/* Returns the answer to an empty request of that type, or NULL. */
static const struct tree *ask_for(const char *type, struct prober *prober, const struct profile *profile,
                                  struct str model)
{
    const struct tree *message = tree_object(prober->arena, {"req_type", tree_string(prober->arena, str_of(type))},
                                             {"req", tree_new(prober->arena, TREE_OBJECT)});
    struct buf body = {0};
    flat_from_tree(&graphpipe_request, message, &body, prober->arena);
    const struct request request = {.endpoint = profile->endpoint,
                                    .method = STR("POST"),
                                    .path = graphpipe_path(model, prober->arena),
                                    .body = arena_take(prober->arena, &body),
                                    .has_body = true};
    struct str question = arena_printf(prober->arena, "a %s at %.*s", type, STR_ARG(request.path));
    struct tree *answer =
        prober_ask(prober, &request, registry_act(prober->registry, ACT_HTTP), profile, question.data);
    return tree_member(answer, "message");
}

/* Returns the MetadataResponse of the model, in the prober's arena, or NULL. */
static const struct tree *ask(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct tree *metadata = ask_for("MetadataRequest", prober, profile, model);
    return metadata && tree_member(metadata, "inputs") ? tree_copy_whole(prober->arena, metadata) : NULL;
}

static struct tree *text_of(struct prober *prober, const struct tree *object, const char *name)
{
    return tree_string(prober->arena, tree_member(object, name) ? tree_text(object, name) : STR(""));
}

/* --- In the words of 000 --- */

static struct tree *tensors_of(struct prober *prober, const struct tree *list)
{
    struct tree *tensors = tree_new(prober->arena, TREE_ARRAY);
    FOR_EACH_IN(one, tree_first(list)) {
        const struct tree *shape = tree_member(one, "shape");
        enum datatype datatype = graphpipe_datatype(tree_text(one, "type"));
        struct tree *type = datatype == DATATYPE_NONE ? text_of(prober, one, "type")
                                                      : tree_string(prober->arena, str_of(datatype_name(datatype)));
        tree_append(tensors, tree_object(prober->arena, {"name", text_of(prober, one, "name")}, {"datatype", type},
                                         {"shape", shape ? tree_copy(prober->arena, shape)
                                                         : tree_new(prober->arena, TREE_ARRAY)}));
    }
    return tensors;
}

/* Whether the metadata at the path of a model is that model's. Without a name it is, unless it is the same as at the
 * address itself: a server of one model may give it at every path. */
static bool is_of(const struct tree *message, struct prober *prober, const struct profile *profile, struct str model)
{
    struct str name = tree_text(message, "name");
    if (name.size || str_equal(model, own))
        return str_equal(model, own) || str_equal(model, name);
    const struct tree *here = ask(prober, profile, own);
    return !here || !tree_equal(here, message);
}

static struct tree *metadata_of(struct prober *prober, const struct profile *profile, struct str model,
                                struct str version)
{
    const struct tree *message = version.size ? NULL : ask(prober, profile, model);
    if (!message)
        return NULL;
    if (!is_of(message, prober, profile, model)) {
        prober->evidence =
            arena_printf(prober->arena, "the metadata at /%s is that of the model '%s'",
                         str_printable(prober->arena, model), str_printable(prober->arena, tree_text(message, "name")));
        return NULL;
    }
    return tree_object(prober->arena, {"name", text_of(prober, message, "name")},
                       {"inputs", tensors_of(prober, tree_member(message, "inputs"))},
                       {"outputs", tensors_of(prober, tree_member(message, "outputs"))});
}

/* A target that says nothing of itself may still answer inferences, and is there then. */
static struct tree *server_of(struct prober *prober, const struct profile *profile)
{
    const struct tree *message = ask(prober, profile, own);
    struct str evidence = prober->evidence;
    if (!message) {
        ask_for("InferRequest", prober, profile, own);
        prober->evidence = evidence;
        return NULL;
    }
    return tree_object(prober->arena, {"name", text_of(prober, message, "server")},
                       {"version", text_of(prober, message, "version")});
}

static bool is_up(struct prober *prober, const struct profile *profile)
{
    return ask(prober, profile, own) != NULL;
}

/* The one model, at the path that the server was given for; and by its name if it is served there, too. */
static struct tree *models_of(struct prober *prober, const struct profile *profile)
{
    const struct tree *message = ask(prober, profile, own);
    struct str name = tree_text(message, "name"), evidence = prober->evidence;
    if (!message)
        return NULL;
    bool named = name.size && metadata_of(prober, profile, name, STR(""));
    prober->evidence = evidence;
    struct tree *list = tree_new(prober->arena, TREE_ARRAY);
    tree_append(list, tree_string(prober->arena, own));
    if (named)
        tree_append(list, tree_string(prober->arena, name));
    return list;
}

/* Of a target that says nothing of itself the user's word is taken: an example, or a model that is named. */
static bool hosts(struct prober *prober, const struct profile *profile, struct str model)
{
    bool is_hosted = prober_may_ask(prober, profile);
    if (!is_hosted || metadata_of(prober, profile, model, STR("")))
        return is_hosted;
    struct str evidence = prober->evidence;
    is_hosted = !ask(prober, profile, own);
    prober->evidence = evidence;
    return is_hosted;
}

const struct inquiry graphpipe_inquiries[] = {
    {.profile = "graphpipe",
     .server = server_of,
     .metadata = metadata_of,
     .is_up = is_up,
     .models = models_of,
     .hosts = hosts},
    {0},
};
