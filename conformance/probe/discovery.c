#include "probe/discovery.h"
#include "client/encode.h"
#include "client/infer.h"
#include "client/rpcs.h"
#include "wire/message.h"

#define UNANSWERED_MAX 3                  /* questions, until a transport is asked no more */
#define METADATA_MAX   ((size_t)16 << 20) /* bytes of an answer */
#define PROBE_ELEMENTS 65536              /* in the inference that finds out about versions */

/* One transport while it is asked. */
struct line {
    bool asked_for, answered;
    int unanswered;
};

struct prober {
    struct client *client;
    struct arena *arena;  /* for what is found */
    struct arena scratch; /* for one question and its answer */
    struct discovery *discovery;
    struct line rest, grpc;
    struct buf notes;
};

static bool usable(const struct line *line)
{
    return line->asked_for && line->unanswered < UNANSWERED_MAX;
}

/* --- Questions ------------------------------------------------------------------------------------------------------
 */

/* The answer as a tree in the scratch memory, until the next question; NULL without one. `evidence` gets "GET /v2 gave
 * 404". */
static struct tree *ask(struct prober *prober, const struct request *request, enum encoding encoding,
                        const char *question, struct str *evidence)
{
    struct line *line = request->rest ? &prober->rest : &prober->grpc;
    struct answer answer;
    arena_reset(&prober->scratch, ARENA_NO_BUDGET);
    client_exchange(prober->client, request, NULL, &prober->scratch, &answer);
    if (answer.outcome != OUTCOME_ANSWERED) {
        bool hangs = answer.outcome == OUTCOME_TIMEOUT && !line->answered;
        line->unanswered += hangs ? UNANSWERED_MAX : 1;
        *evidence = arena_printf(prober->arena, "%s: %.*s", question, STR_ARG(answer.trouble));
        return NULL;
    }
    line->answered = true;
    struct str trouble;
    struct tree *tree = answer_tree(encoding, request->rpc, &answer, &prober->scratch, &trouble);
    if (request->rest)
        *evidence = arena_printf(prober->arena, "%s gave %d", question, answer.status);
    else
        *evidence = arena_printf(prober->arena, "%s gave %.*s", question, STR_ARG(tree_text(tree, "code")));
    return tree;
}

/* A copy of an object that does not hang on the scratch memory; NULL if `tree` is none. */
static struct tree *kept(struct prober *prober, const struct tree *tree)
{
    if (tree == NULL || tree->type != TREE_OBJECT)
        return NULL;
    struct buf text = {0};
    struct tree *copy = NULL;
    tree_write(tree, &text);
    struct status status = tree_parse(buf_str(&text), prober->arena, &copy);
    buf_free(&text);
    return is_ok(status) ? copy : NULL;
}

static bool is_2xx(const struct tree *answer)
{
    int64_t status;
    return answer && tree_to_int64(tree_member(answer, "status"), &status) && status >= 200 && status <= 299;
}

/* GET `path`: the JSON object of a success; NULL if there is none. */
static struct tree *get(struct prober *prober, struct str path, struct str *evidence)
{
    struct request request = {.rest = true, .method = STR("GET"), .path = path};
    struct str question = arena_printf(prober->arena, "GET %.*s", STR_ARG(path));
    struct tree *answer = ask(prober, &request, ENCODING_HTTP, question.data, evidence);
    return is_2xx(answer) ? kept(prober, tree_member(answer, "json")) : NULL;
}

/* The message that answers `rpc` ("ModelReady") about the model, or about the server if `model` is empty; NULL if it
 * failed. */
static struct tree *call(struct prober *prober, const char *rpc, struct str model, struct str *evidence)
{
    struct request request = {.rpc = arena_printf(prober->arena, "/inference.GRPCInferenceService/%s", rpc)};
    struct tree *message = tree_new(prober->arena, TREE_OBJECT);
    if (model.size > 0)
        tree_add(message, STR("name"), tree_string(prober->arena, model));
    struct buf bytes = {0};
    wire_from_tree(rpc_method(request.rpc)->input, message, &bytes, prober->arena);
    request.message = arena_copy(prober->arena, buf_str(&bytes));
    buf_free(&bytes);
    struct str question = arena_printf(prober->arena, "%s of '%s'", rpc, str_printable(prober->arena, model));
    struct tree *answer = ask(prober, &request, ENCODING_GRPC, model.size > 0 ? question.data : rpc, evidence);
    return str_is(tree_text(answer, "code"), "OK") ? kept(prober, tree_member(answer, "message")) : NULL;
}

/* --- The server and the unknown name --------------------------------------------------------------------------------
 */

static struct tree *server_metadata(struct prober *prober)
{
    struct str evidence;
    struct tree *rest = usable(&prober->rest) ? get(prober, STR("/v2"), &evidence) : NULL;
    if (prober->rest.asked_for && rest == NULL)
        buf_printf(&prober->notes, "%.*s\n", STR_ARG(evidence));
    struct tree *grpc = usable(&prober->grpc) ? call(prober, "ServerMetadata", STR(""), &evidence) : NULL;
    if (prober->grpc.asked_for && grpc == NULL)
        buf_printf(&prober->notes, "%.*s\n", STR_ARG(evidence));
    return rest ? rest : grpc ? grpc : tree_new(prober->arena, TREE_OBJECT);
}

static struct str model_path(struct prober *prober, struct str name, const char *below)
{
    struct str segment = path_segment(name, prober->arena);
    return arena_printf(prober->arena, "/v2/models/%.*s%s", STR_ARG(segment), below);
}

static bool has_metadata(struct prober *prober, struct str name)
{
    struct str evidence;
    return (usable(&prober->rest) && get(prober, model_path(prober, name, ""), &evidence) != NULL) ||
           (usable(&prober->grpc) && call(prober, "ModelMetadata", name, &evidence) != NULL);
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

/* --- Models ---------------------------------------------------------------------------------------------------------
 */

static bool rest_says_ready(struct prober *prober, struct str name)
{
    struct str evidence;
    struct request request = {.rest = true, .method = STR("GET"), .path = model_path(prober, name, "/ready")};
    return is_2xx(ask(prober, &request, ENCODING_HTTP, "ready", &evidence));
}

static bool grpc_says_ready(struct prober *prober, struct str name)
{
    struct str evidence;
    const struct tree *ready = tree_member(call(prober, "ModelReady", name, &evidence), "ready");
    return ready && ready->boolean;
}

/* A model whose metadata is broken may still be there: then it is ready, and an unknown one is not. */
static bool is_ready(struct prober *prober, struct str name)
{
    struct str unknown = prober->discovery->no_model;
    return (usable(&prober->rest) && rest_says_ready(prober, name) && !rest_says_ready(prober, unknown)) ||
           (usable(&prober->grpc) && grpc_says_ready(prober, name) && !grpc_says_ready(prober, unknown));
}

/* Metadata of the model; NULL if it is not hosted, then `evidence` says why. */
static struct tree *model_metadata(struct prober *prober, struct str name, struct str *evidence)
{
    struct tree *metadata = NULL;
    struct str second = {0};
    *evidence = STR("the target gave no answer");
    if (usable(&prober->rest)) {
        metadata = get(prober, model_path(prober, name, ""), evidence);
        if (metadata == NULL && usable(&prober->rest)) {
            metadata = get(prober, model_path(prober, name, "/versions/1"), &second);
            prober->discovery->versionless_refused = prober->discovery->versionless_refused || metadata != NULL;
        }
    }
    if (metadata == NULL && usable(&prober->grpc))
        metadata = call(prober, "ModelMetadata", name, prober->rest.answered ? &second : evidence);
    if (metadata == NULL && is_ready(prober, name)) {
        buf_printf(&prober->notes, "model '%s' is ready but has no metadata: %.*s\n",
                   str_printable(prober->arena, name), STR_ARG(*evidence));
        metadata = tree_new(prober->arena, TREE_OBJECT);
    }
    return metadata;
}

static struct str mapped_name(struct str kit, const char *const *map, size_t map_count)
{
    for (size_t i = 0; i < map_count; i++) {
        struct str entry = str_of(map[i]);
        if (str_starts(entry, kit) && entry.size > kit.size && entry.data[kit.size] == '=')
            return str_from(entry, kit.size + 1);
    }
    return kit;
}

/* --- Versions -------------------------------------------------------------------------------------------------------
 */

static struct tree *zeros(enum datatype datatype, size_t count, struct arena *arena)
{
    struct tree *data = tree_new(arena, TREE_ARRAY);
    for (; count > 0; count--)
        tree_append(data, datatype == DATATYPE_BYTES  ? tree_string(arena, STR(""))
                          : datatype == DATATYPE_BOOL ? tree_bool(arena, false)
                                                      : tree_int(arena, 0));
    return data;
}

/* An inference of zeros in the shapes of the metadata; NULL if the metadata does not tell enough. */
static struct tree *act_of_metadata(const struct tree *metadata, struct str model, struct arena *arena)
{
    struct tree *act = tree_new(arena, TREE_OBJECT), *list = tree_new(arena, TREE_ARRAY);
    const struct tree *inputs = tree_member(metadata, "inputs");
    if (inputs == NULL || inputs->type != TREE_ARRAY || inputs->count == 0)
        return NULL;
    for (const struct tree *input = inputs->first; input; input = input->next) {
        struct tree *made = tree_new(arena, TREE_OBJECT), *shape = tree_new(arena, TREE_ARRAY);
        const struct tree *declared = tree_member(input, "shape");
        enum datatype datatype = datatype_from_name(tree_text(input, "datatype"));
        if (datatype == DATATYPE_NONE || declared == NULL || declared->type != TREE_ARRAY)
            return NULL;
        int64_t count = 1, dimension;
        for (const struct tree *at = declared->first; at; at = at->next) {
            if (!tree_to_int64(at, &dimension) || dimension > PROBE_ELEMENTS)
                return NULL;
            dimension = dimension < 0 ? 1 : dimension;
            count *= dimension;
            if (count > PROBE_ELEMENTS)
                return NULL;
            tree_append(shape, tree_int(arena, dimension));
        }
        tree_add(made, STR("name"), tree_string(arena, tree_text(input, "name")));
        tree_add(made, STR("datatype"), tree_string(arena, tree_text(input, "datatype")));
        tree_add(made, STR("shape"), shape);
        tree_add(made, STR("data"), zeros(datatype, (size_t)count, arena));
        tree_append(list, made);
    }
    tree_add(act, STR("infer"), tree_string(arena, model));
    tree_add(act, STR("inputs"), list);
    return act;
}

static bool infers(struct prober *prober, const struct tree *act, struct str version, bool *sayable)
{
    struct request request = {0};
    struct meaning meaning = {act, act, version};
    struct header json = {STR("Content-Type"), STR("application/json")};
    *sayable = is_ok(encode_rest(&meaning, false, prober->arena, &request));
    if (!*sayable)
        return false;
    request.headers = &json;
    request.header_count = 1;
    struct str evidence;
    return is_2xx(ask(prober, &request, ENCODING_HTTP, "infer", &evidence));
}

/* True once it is known whether REST infers without a version. */
static bool try_versions(struct prober *prober, const struct tree *metadata, struct str model)
{
    bool sayable;
    const struct tree *act = act_of_metadata(metadata, model, prober->arena);
    if (act == NULL)
        return false;
    if (infers(prober, act, STR(""), &sayable))
        return true;
    const struct tree *versions = tree_member(metadata, "versions");
    const struct tree *last = versions && versions->type == TREE_ARRAY ? versions->last : NULL;
    struct str version = last && last->type == TREE_STRING ? last->text : STR("1");
    if (!sayable || !infers(prober, act, version, &sayable))
        return false;
    prober->discovery->versionless_refused = true;
    buf_append_literal(&prober->notes, "REST refuses an inference without a version\n");
    return true;
}

/* --- All of it ------------------------------------------------------------------------------------------------------
 */

static void find_models(struct prober *prober, const struct suite *suite, const char *const *map, size_t map_count)
{
    struct tree *models = tree_new(prober->arena, TREE_OBJECT), *absent = tree_new(prober->arena, TREE_OBJECT);
    bool versions_known = !usable(&prober->rest);
    for (size_t i = 0; i < suite->model_count; i++) {
        const struct suite_model *model = &suite->models[i];
        if (!str_is(model->repository, "kit") && !str_is(model->repository, "builtin"))
            continue;
        struct str name = mapped_name(model->name, map, map_count), evidence;
        struct tree *metadata = model_metadata(prober, name, &evidence);
        if (metadata == NULL) {
            tree_add(absent, model->name, tree_string(prober->arena, evidence));
            continue;
        }
        tree_add(models, model->name, metadata);
        if (!versions_known && str_is(model->repository, "kit"))
            versions_known = try_versions(prober, metadata, name);
    }
    tree_add(prober->discovery->found, STR("models"), models);
    tree_add(prober->discovery->found, STR("absent"), absent);
}

struct status discover(const struct suite *suite, const struct client_options *options, const char *const *map,
                       size_t map_count, struct arena *arena, struct discovery *discovery)
{
    *discovery = (struct discovery){.found = tree_new(arena, TREE_OBJECT)};
    struct prober prober = {.arena = arena,
                            .discovery = discovery,
                            .rest.asked_for = options->http.size > 0,
                            .grpc.asked_for = options->grpc.size > 0};
    struct client_options limited = *options;
    if (limited.max_message > METADATA_MAX)
        limited.max_message = METADATA_MAX;
    prober.scratch = arena_new(ARENA_NO_BUDGET);
    prober.scratch.exhausted = arena->exhausted;
    struct status status = client_create(&limited, arena, &prober.client);
    if (!is_ok(status))
        return status;
    tree_add(discovery->found, STR("server"), server_metadata(&prober));
    discovery->no_model = find_unknown_name(&prober);
    find_models(&prober, suite, map, map_count);
    discovery->rest_answers = prober.rest.answered;
    discovery->grpc_answers = prober.grpc.answered;
    discovery->notes = arena_copy(arena, buf_str(&prober.notes));
    buf_free(&prober.notes);
    arena_free(&prober.scratch);
    client_destroy(prober.client);
    return STATUS_IS_OK;
}
