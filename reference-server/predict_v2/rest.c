/* V2 over REST (000, "HTTP/REST"): the table of paths. A path is split into segments first and each segment is decoded
 * after, so that an encoded slash belongs to a name and never makes a segment. */
#include "predict_v2/rest.h"

#include <stdlib.h>

#define SEGMENTS_MAX 6
#define NAME         "{" /* any segment that is not empty: the model, then the version */

struct rest_route {
    const char *path[SEGMENTS_MAX + 1]; /* up to NULL */
    const char *method;
    const char *allow;
    void (*answer)(struct rest_call *call);
};

/* v2-rest.server-live v2-rest.server-ready v2-rest.model-is-ready v2-rest.model-ready-versioned v2-rest.server-metadata
 * v2-rest.model-metadata v2-rest.metadata-versioned v2-rest.infer-answers v2-rest.infer-versioned; the most asked is
 * looked at first */
static const struct rest_route routes[] = {
    {{"v2", "models", NAME, "infer"}, "POST", "POST", rest_infer},
    {{"v2", "models", NAME, "versions", NAME, "infer"}, "POST", "POST", rest_infer},
    {{"v2", "health", "live"}, "GET", "GET, HEAD", rest_server_live},
    {{"v2", "health", "ready"}, "GET", "GET, HEAD", rest_server_ready},
    {{"v2", "models", NAME, "ready"}, "GET", "GET, HEAD", rest_model_ready},
    {{"v2", "models", NAME, "versions", NAME, "ready"}, "GET", "GET, HEAD", rest_model_ready},
    {{"v2"}, "GET", "GET, HEAD", rest_server_metadata},
    {{"v2", "models", NAME}, "GET", "GET, HEAD", rest_model_metadata},
    {{"v2", "models", NAME, "versions", NAME}, "GET", "GET, HEAD", rest_model_metadata},
};

struct path {
    struct str segments[SEGMENTS_MAX];
    size_t count;
};

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* Percent-decoding (RFC 3986, 2.1); false if a % is not followed by two hexadecimal digits. */
static bool decode_segment(struct str *segment, struct arena *arena)
{
    if (!memchr(segment->data, '%', segment->size))
        return true;
    char *out = arena_alloc(arena, segment->size);
    size_t size = 0;
    if (!out)
        return false;
    for (size_t i = 0; i < segment->size; i++) {
        char c = segment->data[i];
        if (c == '%') {
            int high = i + 2 < segment->size ? hex_digit(segment->data[i + 1]) : -1;
            int low = high >= 0 ? hex_digit(segment->data[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        out[size++] = c;
    }
    *segment = (struct str){out, size};
    return true;
}

/* false: more segments than any endpoint has. */
static bool split_path(struct str path, struct path *split)
{
    split->count = 0;
    path = str_from(path, path.size > 0);
    for (;;) {
        const char *slash = path.size ? memchr(path.data, '/', path.size) : NULL;
        size_t size = slash ? (size_t)(slash - path.data) : path.size;
        if (split->count == SEGMENTS_MAX)
            return false;
        split->segments[split->count++] = (struct str){path.data, size};
        if (!slash)
            return true;
        path = str_from(path, size + 1);
    }
}

static bool segment_is(const struct rest_call *call, struct str segment, const char *wanted)
{
    return rest_duty_is_off(call, "case-sensitive") ? str_equal_ignoring_case(segment, str_of(wanted))
                                                    : str_is(segment, wanted);
}

/* Whether the path is the route's; sets model and version. */
static bool route_fits(const struct rest_route *route, const struct path *path, struct rest_call *call)
{
    struct str names[2] = {{0}};
    size_t named = 0;
    if (route->path[path->count] || !route->path[path->count - 1])
        return false;
    for (size_t i = 0; i < path->count; i++) {
        if (*route->path[i] == *NAME && path->segments[i].size > 0)
            names[named++] = path->segments[i];
        else if (!segment_is(call, path->segments[i], route->path[i]))
            return false;
    }
    call->model = names[0];
    call->version = names[1];
    return true;
}

static const struct rest_route *find_route(const struct path *path, struct rest_call *call)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
        if (route_fits(&routes[i], path, call))
            return &routes[i];
    return NULL;
}

/* v2-rest.unknown-path v2-rest.unknown-path-body */
static void answer_unknown_path(struct rest_call *call)
{
    rest_refuse(call, status_broken(call->arena, STATUS_NOT_FOUND, "unknown-path",
                                    "'%s' is no endpoint of this server; the Predict Protocol lies under /v2",
                                    str_printable(call->arena, call->http->path)));
}

/* v2-rest.wrong-method-fails v2-rest.wrong-method-405 */
static void answer_wrong_method(struct rest_call *call, const struct rest_route *route)
{
    struct http_request *http = call->http;
    predict_v2_error_body(&http->answer_buf, 405,
                          arena_printf(call->arena, "this endpoint is asked with %s, not %s", route->method,
                                       str_printable(call->arena, http->method))
                              .data);
    http->refused_by = "v2-rest.wrong-method-405";
    http_answer_header(http, STR("Allow"), str_of(route->allow));
    http_answer(http, 405, "application/json");
}

static bool method_fits(const struct rest_route *route, struct str method)
{
    return str_is(method, route->method) || (str_is(method, "HEAD") && strcmp(route->method, "GET") == 0);
}

void predict_v2_rest(struct http_request *http)
{
    struct rest_call *call = arena_new_of(http->arena, struct rest_call);
    struct path path;
    if (!call) {
        predict_v2_error_body(&http->answer_buf, 413, "out of memory");
        http_answer(http, 413, "application/json");
        return;
    }
    *call = (struct rest_call){.http = http, .v2 = http->context, .arena = http->arena};
    if (!split_path(http->path, &path)) {
        answer_unknown_path(call);
        return;
    }
    for (size_t i = 0; i < path.count; i++) {
        if (!decode_segment(&path.segments[i], call->arena)) {
            rest_refuse(call, status_broken(call->arena, STATUS_INVALID_ARGUMENT, "percent-encoding",
                                            "the path '%s' is not properly percent-encoded",
                                            str_printable(call->arena, http->path)));
            return;
        }
    }
    const struct rest_route *route = find_route(&path, call);
    if (!route)
        answer_unknown_path(call);
    else if (!method_fits(route, http->method))
        answer_wrong_method(call, route);
    else
        route->answer(call);
}

struct rest_kept *rest_kept(struct rest_call *call)
{
    struct rest_kept *kept = *call->http->kept;
    if (kept)
        return kept;
    kept = calloc(1, sizeof(*kept));
    if (kept && !(kept->reader = json_reader_create())) {
        free(kept);
        kept = NULL;
    }
    *call->http->kept = kept;
    return kept;
}

void predict_v2_rest_end(void *pointer)
{
    struct rest_kept *kept = pointer;
    json_reader_destroy(kept->reader);
    json_reader_destroy(kept->second);
    free(kept);
}
