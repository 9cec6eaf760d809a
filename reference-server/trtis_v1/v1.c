#include "trtis_v1/v1.h"

#include "base/clock.h"
#include "inference/infer.h"
#include "models/repository.h"
#include "text/write.h"

void *trtis_v1_open(const struct shared *shared, struct arena *arena)
{
    struct trtis_v1 *v1 = arena_new_of(arena, struct trtis_v1);
    if (v1)
        *v1 = (struct trtis_v1){
            .repository = shared->repository,
            .version = shared->version,
            .is_strict = !shared->options->lenient_readiness,
            .started = clock_now(),
            .request_header = text_type_of("trtis_v1", "InferRequestHeader"),
        };
    return v1;
}

/* trtis-v1-http.request-id trtis-v1-grpc.request-id */
struct v1_outcome v1_counted(struct trtis_v1 *v1)
{
    return (struct v1_outcome){.code = V1__REQUEST_STATUS_CODE__SUCCESS,
                               .request_id = atomic_fetch_add(&v1->requests, 1) + 1};
}

struct v1_outcome v1_exiting(void)
{
    return (struct v1_outcome){.code = V1__REQUEST_STATUS_CODE__UNAVAILABLE, .message = STR("Server exiting")};
}

void v1_count(struct v1_count *count, uint64_t began)
{
    atomic_fetch_add(&count->requests, 1);
    atomic_fetch_add(&count->ns, clock_now() - began);
}

V1__RequestStatus v1_request_status(const struct v1_outcome *outcome)
{
    V1__RequestStatus status = V1__REQUEST_STATUS__INIT;
    status.code = outcome->code;
    status.msg = structs_bytes(outcome->message);
    status.server_id = structs_bytes(STR(V1_SERVER_ID));
    status.request_id = outcome->request_id;
    return status;
}

struct str v1_text(const ProtobufCMessage *message, enum text_form form, struct arena *arena)
{
    struct buf text = {0};
    text_write(message, form, &text);
    return arena_take(arena, &text);
}

struct str v1_shown(struct arena *arena, struct str name)
{
    return str_is_utf8(name) ? name : str_of(str_printable(arena, name));
}

/* --- Endpoints --- */

struct v1_outcome v1_health(struct trtis_v1 *v1, struct str mode, struct arena *arena, bool *is_healthy)
{
    *is_healthy = false;
    if (infer_draining())
        return v1_exiting();
    struct v1_outcome outcome = v1_counted(v1);
    if (str_is(mode, "live")) {
        *is_healthy = true;
    } else if (str_is(mode, "ready")) {
        *is_healthy = !v1->is_strict || repository_ready(v1->repository);
    } else {
        struct str shown = v1_shown(arena, mode);
        outcome.code = V1__REQUEST_STATUS_CODE__UNKNOWN;
        outcome.message = arena_printf(arena, "unknown health mode '%.*s'", STR_ARG(shown));
    }
    return outcome;
}

struct v1_outcome v1_profile(struct trtis_v1 *v1)
{
    struct v1_outcome outcome = v1_counted(v1);
    outcome.code = V1__REQUEST_STATUS_CODE__UNSUPPORTED;
    outcome.message = STR("Profile API not enabled");
    return outcome;
}
