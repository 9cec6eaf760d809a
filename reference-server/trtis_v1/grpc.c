/* v1 over gRPC: the table of methods, and those that answer at once. */
#include "trtis_v1/grpc.h"

#include "base/clock.h"
#include "base/search.h"
#include <trtis_v1.pb-c.h>

/* --- Health, status, profile --- */

/* trtis-v1-grpc.health-live trtis-v1-grpc.health-ready trtis-v1-grpc.health-status */
static void health(struct rpc_call *call)
{
    struct trtis_v1 *v1 = call->context;
    uint64_t began = clock_now();
    const V1__HealthRequest *request = v1_grpc_request(call, &v1__health_request__descriptor);
    if (!request)
        return;
    bool is_healthy;
    struct v1_outcome outcome = v1_health(v1, structs_str(request->mode), call->arena, &is_healthy);
    V1__RequestStatus request_status = v1_request_status(&outcome);
    V1__HealthResponse response = V1__HEALTH_RESPONSE__INIT;
    response.request_status = &request_status;
    response.health = is_healthy;
    v1_count(&v1->health, began);
    rpc_answer_message(call, &response.base);
}

/* trtis-v1-grpc.status-model trtis-v1-grpc.status-all trtis-v1-grpc.status-model-known */
static void status(struct rpc_call *call)
{
    struct trtis_v1 *v1 = call->context;
    uint64_t began = clock_now();
    const V1__StatusRequest *request = v1_grpc_request(call, &v1__status_request__descriptor);
    if (!request)
        return;
    V1__ServerStatus server_status;
    struct v1_outcome outcome = v1_status(v1, structs_str(request->model_name), call->arena, &server_status);
    V1__RequestStatus request_status = v1_request_status(&outcome);
    V1__StatusResponse response = V1__STATUS_RESPONSE__INIT;
    response.request_status = &request_status;
    response.server_status = &server_status;
    call->refused_by = outcome.broken;
    v1_count(&v1->status, began);
    rpc_answer_message(call, &response.base);
}

static void profile(struct rpc_call *call)
{
    struct trtis_v1 *v1 = call->context;
    uint64_t began = clock_now();
    if (!v1_grpc_request(call, &v1__profile_request__descriptor))
        return;
    struct v1_outcome outcome = v1_profile(v1);
    V1__RequestStatus request_status = v1_request_status(&outcome);
    V1__ProfileResponse response = V1__PROFILE_RESPONSE__INIT;
    response.request_status = &request_status;
    v1_count(&v1->profile, began);
    rpc_answer_message(call, &response.base);
}

/* --- The table --- */

/* The published messages of a method's request and answer. */
#define MESSAGES(name)                                                                                                 \
    .request = &nvidia__inferenceserver__##name##_request__descriptor,                                                 \
    .answer = &nvidia__inferenceserver__##name##_response__descriptor

static const struct rpc_method methods[] = {
    {.name = "Status", .handle = status, MESSAGES(status), .model_field = 1},
    {.name = "Profile", .handle = profile, MESSAGES(profile)},
    {.name = "Health", .handle = health, MESSAGES(health)},
    {.name = "Infer", .handle = v1_grpc_infer, MESSAGES(infer), .model_field = 1},
    {.name = "StreamInfer",
     .handle = v1_grpc_stream,
     MESSAGES(infer),
     .model_field = 1,
     .stream = &v1_grpc_stream_calls},
};

const struct rpc_service trtis_v1_grpc = {
    .name = "nvidia.inferenceserver.GRPCService",
    .profile = "trtis-v1-grpc",
    .methods = methods,
    .method_count = COUNT_OF(methods),
};
