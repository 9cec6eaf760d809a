/* Checks and reads the small messages of V2 over gRPC. */
#include "predict_v2/grpc.h"

#include "wire/message.h"
#include "wire/structs.h"

struct status grpc_check(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs, struct str message)
{
    struct status status = wire_check(call->method->request, message, call->arena);
    if (!is_ok(status))
        status.broken = is_ok(wire_check(structs, message, call->arena)) ? "string-utf8" : "message-valid";
    return status;
}

struct status grpc_read(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs,
                        ProtobufCMessage **message)
{
    struct status status = grpc_check(call, structs, call->message);
    return is_ok(status) ? structs_read(structs, call->message, call->arena, message) : status;
}

void grpc_answer(struct rpc_call *call, const ProtobufCMessage *message)
{
    struct str *piece = arena_new_of(call->arena, struct str);
    if (piece)
        *piece = grpc_packed(call->arena, message);
    if (!piece || !piece->data) {
        grpc_refuse(call, status_no_memory());
        return;
    }
    call->pieces = piece;
    call->piece_count = 1;
    call->status = STATUS_IS_OK;
    rpc_answer(call);
}

void grpc_refuse(struct rpc_call *call, struct status status)
{
    call->refused_by = status.broken;
    call->status = status;
    rpc_answer(call);
}
