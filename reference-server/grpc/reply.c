/* The two ways in which most calls end. */
#include "grpc/rpc.h"

#include "wire/structs.h"

void rpc_answer_message(struct rpc_call *call, const ProtobufCMessage *message)
{
    struct str *piece = arena_new_of(call->arena, struct str);
    if (piece)
        *piece = structs_packed(call->arena, message);
    if (!piece || !piece->data) {
        rpc_refuse(call, status_no_memory());
        return;
    }
    call->pieces = piece;
    call->piece_count = 1;
    call->status = STATUS_IS_OK;
    rpc_answer(call);
}

void rpc_refuse(struct rpc_call *call, struct status status)
{
    call->refused_by = status.broken;
    call->status = status;
    rpc_answer(call);
}
