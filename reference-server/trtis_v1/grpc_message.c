/* v1 over gRPC: how the message of a call is read. */
#include "trtis_v1/grpc.h"

#include "wire/message.h"

/* trtis-v1-grpc.message-valid */
struct status v1_grpc_read(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs, struct str message,
                           struct arena *arena, ProtobufCMessage **read)
{
    struct status status = wire_check(call->method->request, message, arena);
    if (is_ok(status))
        status = structs_read(structs, message, arena, read);
    return status.code == STATUS_INVALID_ARGUMENT
               ? (struct status){STATUS_INTERNAL, STR("Unable to parse request"), "message-valid"}
               : status;
}

const void *v1_grpc_request(struct rpc_call *call, const ProtobufCMessageDescriptor *structs)
{
    ProtobufCMessage *message = NULL;
    struct status status = v1_grpc_read(call, structs, call->message, call->arena, &message);
    if (!is_ok(status))
        rpc_refuse(call, status);
    return is_ok(status) ? message : NULL;
}
