/* v1 over gRPC: how the message of a call is read, and how it is answered or ends. */
#include "trtis_v1/grpc.h"

#include "wire/message.h"

/* trtis-v1-grpc.message-valid */
struct status v1_grpc_read(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs, struct str message,
                           ProtobufCMessage **read)
{
    struct status status = wire_check(call->method->request, message, call->arena);
    if (is_ok(status))
        return structs_read(structs, message, call->arena, read);
    return status.code == STATUS_INVALID_ARGUMENT
               ? (struct status){STATUS_INTERNAL, STR("Unable to parse request"), "message-valid"}
               : status;
}

void v1_grpc_fail(struct rpc_call *call, struct status status)
{
    call->refused_by = status.broken;
    call->status = status;
    rpc_answer(call);
}

void v1_grpc_answer(struct rpc_call *call, const ProtobufCMessage *message)
{
    struct str *piece = arena_new_of(call->arena, struct str);
    if (piece)
        *piece = structs_packed(call->arena, message);
    if (!piece || !piece->data) {
        v1_grpc_fail(call, status_no_memory());
        return;
    }
    call->pieces = piece;
    call->piece_count = 1;
    call->status = STATUS_IS_OK;
    rpc_answer(call);
}
