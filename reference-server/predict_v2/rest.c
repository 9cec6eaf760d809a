/* V2 over REST (000, "HTTP/REST"): the table of paths. */
#include "predict_v2/rest.h"

#include "base/search.h"
#include "http/path.h"
#include "predict_v2/rest_binary.h"

/* Segments that are names: they may be anything but empty. */
#define MODEL      "{model"
#define VERSION    "{version"
#define REPOSITORY "{repository"

struct rest_route {
    const char *path[HTTP_SEGMENTS_MAX + 1]; /* ends with NULL */
    const char *method;                      /* with GET goes HEAD */
    void (*answer)(struct rest_call *call);
};

/* The route that is used most comes first.
 * v2-rest.server-live v2-rest.server-ready v2-rest.model-is-ready v2-rest.model-ready-versioned v2-rest.server-metadata
 * v2-rest.model-metadata v2-rest.metadata-versioned v2-rest.infer-answers v2-rest.infer-versioned */
static const struct rest_route routes[] = {
    {{"v2", "models", MODEL, "infer"}, "POST", rest_infer},
    {{"v2", "models", MODEL, "versions", VERSION, "infer"}, "POST", rest_infer},
    {{"v2", "health", "live"}, "GET", rest_server_live},
    {{"v2", "health", "ready"}, "GET", rest_server_ready},
    {{"v2", "models", MODEL, "ready"}, "GET", rest_model_ready},
    {{"v2", "models", MODEL, "versions", VERSION, "ready"}, "GET", rest_model_ready},
    {{"v2"}, "GET", rest_server_metadata},
    {{"v2", "models", "stats"}, "GET", rest_model_statistics},
    {{"v2", "models", MODEL}, "GET", rest_model_metadata},
    {{"v2", "models"}, "GET", rest_models},
    {{"v2", "models", MODEL, "versions", VERSION}, "GET", rest_model_metadata},
    {{"v2", "models", MODEL, "config"}, "GET", rest_model_config},
    {{"v2", "models", MODEL, "versions", VERSION, "config"}, "GET", rest_model_config},
    {{"v2", "models", MODEL, "generate"}, "POST", rest_generate},
    {{"v2", "models", MODEL, "versions", VERSION, "generate"}, "POST", rest_generate},
    {{"v2", "models", MODEL, "generate_stream"}, "POST", rest_generate_stream},
    {{"v2", "models", MODEL, "versions", VERSION, "generate_stream"}, "POST", rest_generate_stream},
    {{"v2", "models", MODEL, "stats"}, "GET", rest_model_statistics},
    {{"v2", "models", MODEL, "versions", VERSION, "stats"}, "GET", rest_model_statistics},
    {{"v2", "repository", "index"}, "POST", rest_repository_index},
    {{"v2", "repository", "models", MODEL, "load"}, "POST", rest_repository_load},
    {{"v2", "repository", "models", MODEL, "unload"}, "POST", rest_repository_unload},
    {{"v2", "repository", REPOSITORY, "index"}, "POST", rest_repository_index},
    {{"v2", "repository", REPOSITORY, "models", MODEL, "load"}, "POST", rest_repository_load},
    {{"v2", "repository", REPOSITORY, "models", MODEL, "unload"}, "POST", rest_repository_unload},
};

/* --- Choosing a route --- */

static void set_name(struct rest_call *call, const char *which, struct str name)
{
    struct str *target = strcmp(which, MODEL) == 0     ? &call->model
                         : strcmp(which, VERSION) == 0 ? &call->version
                                                       : &call->repository;
    *target = name;
}

/* Says whether the path is that of the route; sets the names in it. */
static bool route_fits(const struct rest_route *route, const struct path *path, struct rest_call *call)
{
    call->model = call->version = call->repository = (struct str){0};
    if (route->path[path->count] || !route->path[path->count - 1])
        return false;
    for (size_t i = 0; i < path->count; i++) {
        if (*route->path[i] == '{' && path->segments[i].size > 0)
            set_name(call, route->path[i], path->segments[i]);
        else if (!str_is(path->segments[i], route->path[i]))
            return false;
    }
    return true;
}

/* --- Requests without a route --- */

/* v2-rest.unknown-path v2-rest.unknown-path-body */
static void answer_unknown_path(struct rest_call *call)
{
    rest_refuse(call, status_broken(call->arena, STATUS_NOT_FOUND, "unknown-path",
                                    "'%s' is not an endpoint of this server; the Predict Protocol is under /v2",
                                    str_printable(call->arena, call->http->path)));
}

static void answer_bad_encoding(struct rest_call *call)
{
    rest_refuse(call, status_breaks(call->arena, "percent-encoding", "the path '%s' is not properly percent-encoded",
                                    str_printable(call->arena, call->http->path)));
}

static bool takes_head(const struct rest_route *route)
{
    return strcmp(route->method, "GET") == 0;
}

/* v2-rest.wrong-method-fails v2-rest.wrong-method-405 */
static void answer_wrong_method(struct rest_call *call, const struct rest_route *route)
{
    struct http_request *http = call->http;
    struct str sentence = arena_printf(call->arena, "this endpoint takes %s, not %s", route->method,
                                       str_printable(call->arena, http->method));
    http->refused_by = "wrong-method-405";
    http_answer_header(http, STR("Allow"), takes_head(route) ? STR("GET, HEAD") : str_of(route->method));
    http_answer(http, 405, rest_write_refusal(http, 405, sentence.data));
}

/* --- The service --- */

static void handle(struct http_request *http)
{
    struct rest_call *call = arena_alloc(http->arena, sizeof(*call));
    struct path path;
    if (!call) {
        http_answer(http, 413, rest_write_refusal(http, 413, "out of memory"));
        return;
    }
    *call = (struct rest_call){.http = http, .shared = http->context, .arena = http->arena};
    const struct rest_route *route = NULL;
    bool is_split = path_split(http->path, &path);
    if (is_split && !path_decode(&path, call->arena)) {
        answer_bad_encoding(call);
        return;
    }
    if (is_split)
        route = FIND(routes, i, COUNT_OF(routes), route_fits(&routes[i], &path, call));
    if (!route)
        answer_unknown_path(call);
    else if (!str_is(http->method, route->method) && !(takes_head(route) && str_is(http->method, "HEAD")))
        answer_wrong_method(call, route);
    else
        route->answer(call);
}

/* Returns the name in /v2/models/NAME... or /v2/repository/models/NAME..., as it is spelled there. */
static struct str model_of(struct str path)
{
    struct str before = STR("/v2/models/"), of_repository = STR("/v2/repository/models/");
    if (str_starts(path, of_repository))
        before = of_repository;
    if (!str_starts(path, before))
        return STR("");
    return str_before(str_from(path, before.size), '/');
}

const struct http_service predict_v2_rest = {
    .listener = "http",
    .prefix = "/v2",
    .profile = "v2-rest",
    .handle = handle,
    .write_refusal = rest_write_refusal,
    .free_cache = rest_free_cache,
    .model_of = model_of,
    .form = &rest_form,
};
