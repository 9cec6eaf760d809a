/* The health of the server over gRPC (gRPC, "Health Checking Protocol"). The server as a whole has the empty name; each
 * service has its own, and is as healthy: it serves when every model that the server should serve is ready, and the
 * server does not drain. */
#include "monitoring/health.h"

#include "base/search.h"
#include "monitoring/monitoring.h"
#include "wire/message.h"

#include <grpc/health/v1/health.pb-c.h>

static bool is_known(struct str service)
{
    return service.size == 0 || ANY(i, service_count, services[i].grpc && str_is(service, services[i].grpc->name));
}

/* Reads the name of the service. */
static struct status read_service(struct rpc_call *call, struct str *service)
{
    struct wire_field field;
    TRY(wire_check(call->method->request, call->message, call->arena)); /* "message-valid" */
    *service = STR("");
    for (struct wire_cursor at = wire_begin(call->message); wire_next(&at, &field);)
        if (field.number == 1)
            *service = field.bytes;
    return STATUS_IS_OK;
}

static void answer(struct rpc_call *call, enum health health)
{
    char *bytes = arena_alloc(call->arena, HEALTH_MESSAGE_MAX);
    rpc_answer_bytes(call, bytes ? health_message(health, bytes) : (struct str){0});
}

/* health-grpc.check health-grpc.check-service health-grpc.check-unknown */
static void check(struct rpc_call *call)
{
    struct str service = {0};
    call->status = read_service(call, &service);
    if (is_ok(call->status) && !is_known(service))
        call->status = status_broken(call->arena, STATUS_NOT_FOUND, "check-unknown", "this server has no service '%s'",
                                     str_printable(call->arena, service));
    if (is_ok(call->status))
        answer(call, health_now(((const struct shared *)call->context)->repository));
    else
        rpc_answer(call);
}

/* health-grpc.watch health-grpc.watch-unknown */
static void watch(struct rpc_call *call)
{
    struct str service = {0};
    call->status = read_service(call, &service);
    if (is_ok(call->status))
        health_watch(call, is_known(service));
    else
        rpc_answer(call);
}

#define MESSAGES                                                                                                       \
    &grpc__health__v1__health_check_request__descriptor, &grpc__health__v1__health_check_response__descriptor

static const struct rpc_method methods[] = {
    {.name = "Check", .handle = check, MESSAGES},
    {.name = "Watch", .handle = watch, MESSAGES, .stream = &health_stream},
};

const struct rpc_service health_grpc = {
    .name = "grpc.health.v1.Health",
    .profile = "health-grpc",
    .methods = methods,
    .method_count = COUNT_OF(methods),
};
