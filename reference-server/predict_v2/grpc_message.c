/* Checks and reads the small messages of V2 over gRPC. */
#include "predict_v2/grpc.h"

#include "wire/message.h"

struct status grpc_check(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs, struct str message,
                         struct arena *arena)
{
    struct status status = wire_check(call->method->request, message, arena);
    if (!is_ok(status))
        status.broken = is_ok(wire_check(structs, message, arena)) ? "string-utf8" : "message-valid";
    return status;
}

void grpc_answer(struct rpc_call *call, struct status status, const ProtobufCMessage *message)
{
    if (is_ok(status))
        rpc_answer_message(call, message);
    else
        rpc_refuse(call, status);
}

const void *grpc_request(struct rpc_call *call, const ProtobufCMessageDescriptor *structs)
{
    ProtobufCMessage *message = NULL;
    struct status status = grpc_check(call, structs, call->message, call->arena);
    if (is_ok(status))
        status = structs_read(structs, call->message, call->arena, &message);
    if (!is_ok(status))
        rpc_refuse(call, status);
    return is_ok(status) ? message : NULL;
}
