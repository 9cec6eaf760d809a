/* "Inference" of 002: from a header with its inputs to an answer. */
#include "trtis_v1/infer.h"

#include "base/clock.h"
#include "models/config.h"
#include "models/repository.h"
#include "models/statistics.h"

/* --- The model --- */

/* Names of versions are numbers without a sign, so no other negative number is a version. */
static struct str version_name(const struct v1_infer *asked)
{
    return asked->version == -1 ? STR("") : arena_printf(asked->request.arena, "%lld", (long long)asked->version);
}

static struct status unknown(const struct v1_infer *asked, const char *slug)
{
    struct arena *arena = asked->request.arena;
    struct str name = v1_shown(arena, asked->request.model_name);
    return status_broken(arena, STATUS_UNAVAILABLE, slug, "Inference request for unknown model '%.*s'", STR_ARG(name));
}

/* A model that is not ready, or that v1 has no types for, is not known.
 * trtis-v1-http.model-known trtis-v1-http.version-known trtis-v1-http.infer-latest, and the same over gRPC */
struct status v1_infer_find(struct v1_infer *asked)
{
    struct infer_request *request = &asked->request;
    request->model_version = version_name(asked);
    struct status status = repository_find(asked->v1->repository, request->model_name, request->model_version,
                                           request->arena, &asked->hold);
    if (!is_ok(status))
        return unknown(asked, status.broken);
    const struct model *model = asked->hold.model;
    if (atomic_load(&model->state) == MODEL_READY && v1_has_types(model))
        return STATUS_IS_OK;
    model_release(&asked->hold);
    return unknown(asked, "model-known");
}

struct status v1_infer_read_header(struct str message, struct arena *arena, const V1__InferRequestHeader **header)
{
    ProtobufCMessage *read = NULL;
    struct status status = structs_read(&v1__infer_request_header__descriptor, message, arena, &read);
    *header = (const V1__InferRequestHeader *)read;
    return status;
}

/* --- Failures --- */

/* What a status is in v1; one that is not here is INTERNAL. */
static const V1__RequestStatusCode codes[STATUS_UNAUTHENTICATED + 1] = {
    [STATUS_OK] = V1__REQUEST_STATUS_CODE__SUCCESS,
    [STATUS_INVALID_ARGUMENT] = V1__REQUEST_STATUS_CODE__INVALID_ARG,
    [STATUS_OUT_OF_RANGE] = V1__REQUEST_STATUS_CODE__INVALID_ARG,
    [STATUS_NOT_FOUND] = V1__REQUEST_STATUS_CODE__UNAVAILABLE,
    [STATUS_FAILED_PRECONDITION] = V1__REQUEST_STATUS_CODE__UNAVAILABLE,
    [STATUS_UNAVAILABLE] = V1__REQUEST_STATUS_CODE__UNAVAILABLE,
    [STATUS_DEADLINE_EXCEEDED] = V1__REQUEST_STATUS_CODE__UNAVAILABLE,
    [STATUS_RESOURCE_EXHAUSTED] = V1__REQUEST_STATUS_CODE__UNAVAILABLE,
    [STATUS_UNIMPLEMENTED] = V1__REQUEST_STATUS_CODE__UNSUPPORTED,
};

/* A model of sequences knows no protocol, and speaks of parameters. What it refuses in a request that has passed all
 * other checks and does not start a sequence is that none is running. */
static bool lacks_start(const struct v1_infer *asked, struct status status)
{
    return status.code == STATUS_INVALID_ARGUMENT && !status.broken && asked->hold.model &&
           asked->hold.model->config->has_sequences &&
           (asked->header->flags & V1__INFER_REQUEST_HEADER__FLAG__FLAG_SEQUENCE_START) == 0;
}

static void set_outcome(struct v1_infer *asked, struct status status)
{
    struct arena *arena = asked->request.arena;
    if (lacks_start(asked, status))
        status = status_breaks(arena, "sequence-start",
                               "inference request for sequence %llu to model '%.*s' must specify the START flag on the "
                               "first request of the sequence",
                               (unsigned long long)asked->header->correlation_id, STR_ARG(asked->hold.model->name));
    asked->outcome.code = codes[status.code] ? codes[status.code] : V1__REQUEST_STATUS_CODE__INTERNAL;
    asked->outcome.message = v1_shown(arena, status.message);
    asked->outcome.broken = status.broken;
}

static void fail(struct v1_infer *asked, struct status status)
{
    set_outcome(asked, status);
    asked->response = v1_infer_empty_response(asked);
    model_release(&asked->hold);
    asked->answer(asked);
}

/* A request that is refused before infer sees it counts as one that its model failed. */
void v1_infer_refuse(struct v1_infer *asked, struct status status)
{
    if (asked->hold.model)
        statistics_fail(asked->hold.model->statistics, asked->request.batch, clock_now() - asked->request.began);
    fail(asked, status);
}

/* --- Execution --- */

/* Models of sequences read these parameters of a request.
 * trtis-v1-http.sequence-state trtis-v1-grpc.sequence-state */
static bool set_sequence(struct v1_infer *asked)
{
    const V1__InferRequestHeader *header = asked->header;
    struct parameter *list = arena_alloc_zero(asked->request.arena, 3, sizeof(*list));
    if (!list)
        return false;
    list[0] =
        (struct parameter){.name = STR("sequence_id"), .kind = PARAMETER_UINT64, .uint64 = header->correlation_id};
    list[1] = (struct parameter){.name = STR("sequence_start"),
                                 .kind = PARAMETER_BOOL,
                                 .boolean = header->flags & V1__INFER_REQUEST_HEADER__FLAG__FLAG_SEQUENCE_START};
    list[2] = (struct parameter){.name = STR("sequence_end"),
                                 .kind = PARAMETER_BOOL,
                                 .boolean = header->flags & V1__INFER_REQUEST_HEADER__FLAG__FLAG_SEQUENCE_END};
    asked->request.parameters = (struct parameters){list, 3};
    return true;
}

/* This runs inside infer, or later on another thread. */
static void done(struct infer_request *request)
{
    struct v1_infer *asked = (struct v1_infer *)request;
    if (!is_ok(request->status)) {
        fail(asked, request->status);
        return;
    }
    model_release(&asked->hold);
    asked->answer(asked);
}

void v1_infer_run(struct v1_infer *asked)
{
    struct infer_request *request = &asked->request;
    if (infer_draining() && !request->admitted) {
        asked->outcome = v1_exiting();
        asked->response = v1_infer_empty_response(asked);
        model_release(&asked->hold);
        asked->answer(asked);
        return;
    }
    asked->outcome = v1_counted(asked->v1);
    request->repository = asked->v1->repository;
    request->emit = v1_infer_respond;
    request->done = done;
    struct status status = v1_infer_check_scheduled(asked);
    if (is_ok(status) && asked->hold.model->config->has_sequences && !set_sequence(asked))
        status = status_no_memory();
    if (is_ok(status))
        infer(request);
    else
        v1_infer_refuse(asked, status);
}
