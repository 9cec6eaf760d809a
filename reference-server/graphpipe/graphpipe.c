/* GraphPipe over HTTP (004, "Server"): which model is meant, and what is asked of it. */
#include "graphpipe/graphpipe_call.h"

#include "http/path.h"

void *graphpipe_open(const struct shared *shared, struct arena *arena)
{
    struct graphpipe *service = arena_new_of(arena, struct graphpipe);
    if (service)
        *service = (struct graphpipe){
            .repository = shared->repository,
            .name = shared->name,
            .version = shared->version,
            .default_model = shared->options->default_model,
            .is_lenient = shared->options->dialect_graphpipe_go,
        };
    return service;
}

/* --- The model --- */

/* Returns the name in a path of one segment, as it is spelled there. */
static struct str model_of(struct str path)
{
    struct str name = path.size > 0 ? str_from(path, 1) : path;
    return str_has(name, '/') ? STR("") : name;
}

static struct status find_default(struct graphpipe_call *call)
{
    const struct graphpipe *service = call->service;
    if (service->default_model)
        return repository_find(service->repository, str_of(service->default_model), STR(""), call->arena, &call->hold);
    if (!repository_find_first(service->repository, &call->hold))
        return status_broken(call->arena, STATUS_NOT_FOUND, "model-known", "this server has no models");
    return STATUS_IS_OK;
}

/* Holds the model that the path names, or else the default one. */
static struct status find_model(struct graphpipe_call *call)
{
    struct path path;
    struct str name = model_of(call->http->path);
    if (name.size == 0 || !path_split(call->http->path, &path) || path.count != 1 || !path_decode(&path, call->arena))
        return find_default(call);
    struct status status =
        repository_find(call->service->repository, path.segments[0], STR(""), call->arena, &call->hold);
    return status.code == STATUS_NOT_FOUND ? find_default(call) : status;
}

/* --- What is asked --- */

/* graphpipe.request-type graphpipe.request-formed */
static struct status read_request(struct graphpipe_call *call, struct flat_reader *reader, bool *infers)
{
    struct flat_object root = {0}, request;
    uint64_t type = flat_root(reader, &root) ? flat_scalar(reader, &root, REQUEST_REQ_TYPE, 1, NULL) : 0;
    bool has_request = flat_object_at(reader, &root, REQUEST_REQ, &request);
    *infers = type == GRAPHPIPE_REQ_INFER;
    if (*infers && has_request)
        return graphpipe_read_request(call, reader, &request);
    if (*infers)
        return status_breaks(call->arena, "request-formed",
                             "the Request says that it is an InferRequest, but has none");
    if (type == GRAPHPIPE_REQ_METADATA || call->service->is_lenient)
        return STATUS_IS_OK;
    return status_breaks(call->arena, "request-type",
                         "the Request has the type %d, and 004 knows 1 (InferRequest) and 2 (MetadataRequest)",
                         (int)type);
}

/* graphpipe.request-whole */
static void answer_request(struct graphpipe_call *call, struct str body)
{
    bool infers;
    struct flat_reader reader = flat_begin(body);
    struct status status = read_request(call, &reader, &infers);
    if (reader.fault)
        status = status_breaks(call->arena, "request-whole", "malformed flatbuffer: %s at byte %zu", reader.fault,
                               reader.fault_at);
    if (!is_ok(status))
        graphpipe_refuse(call, status);
    else if (infers)
        graphpipe_infer(call);
    else
        graphpipe_answer_metadata(call);
}

static void answer_post(struct graphpipe_call *call)
{
    struct str body = {0};
    call->request.admitted = !infer_draining();
    struct status status = http_read_body(call->http, &body);
    if (is_ok(status))
        answer_request(call, body);
    else
        graphpipe_refuse(call, status);
}

static void answer_wrong_method(struct graphpipe_call *call)
{
    struct http_request *http = call->http;
    struct str sentence = arena_printf(call->arena, "GraphPipe takes POST, or GET for its metadata, not %s",
                                       str_printable(call->arena, http->method));
    model_release(&call->hold);
    http_answer_header(http, STR("Allow"), STR("GET, HEAD, POST"));
    http_answer(http, 405, graphpipe_write_refusal(http, 405, sentence.data ? sentence.data : "wrong method"));
}

/* graphpipe.post graphpipe.other-paths graphpipe.other-methods graphpipe.get-helpful */
static void handle(struct http_request *http)
{
    struct graphpipe_call *call = arena_new_of(http->arena, struct graphpipe_call);
    if (!call) {
        http_answer(http, 413, graphpipe_write_refusal(http, 413, "out of memory"));
        return;
    }
    *call = (struct graphpipe_call){.http = http, .service = http->context, .arena = http->arena};
    struct status status = find_model(call);
    bool is_get = str_is(http->method, "GET") || str_is(http->method, "HEAD");
    if (!is_ok(status))
        graphpipe_refuse(call, status);
    else if (is_get)
        graphpipe_answer_metadata_as_json(call);
    else if (str_is(http->method, "POST") || call->service->is_lenient)
        answer_post(call);
    else
        answer_wrong_method(call);
}

const struct http_service graphpipe_http = {
    .listener = "graphpipe",
    .prefix = "",
    .profile = "graphpipe",
    .handle = handle,
    .write_refusal = graphpipe_write_refusal,
    .model_of = model_of,
    .form = &graphpipe_form,
    .takes_two_framings = true, /* the TensorFlow operation in C++ sends both */
};
