/* The ways in which most calls end. */
#include "grpc/rpc.h"

#include "wire/structs.h"

void rpc_answer_bytes(struct rpc_call *call, struct str message)
{
    struct str *piece = message.data ? arena_new_of(call->arena, struct str) : NULL;
    if (!piece) {
        rpc_refuse(call, status_no_memory());
        return;
    }
    *piece = message;
    call->pieces = piece;
    call->piece_count = 1;
    call->status = STATUS_IS_OK;
    rpc_answer(call);
}

void rpc_answer_message(struct rpc_call *call, const ProtobufCMessage *message)
{
    rpc_answer_bytes(call, structs_packed(call->arena, message));
}

void rpc_refuse(struct rpc_call *call, struct status status)
{
    call->refused_by = status.broken;
    call->status = status;
    rpc_answer(call);
}
