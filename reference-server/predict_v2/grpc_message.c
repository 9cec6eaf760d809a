#include "predict_v2/grpc.h"

#include "inference/switches.h"
#include "wire/message.h"
#include "wire/structs.h"

/* Returns the well-formed fields of the top level, in order. */
static struct str well_formed_fields(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena)
{
    char *kept = arena_alloc(arena, message.size);
    size_t size = 0;
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    for (const char *start = at.at; kept && wire_next(&at, &field); start = at.at) {
        struct str span = {start, (size_t)(at.at - start)};
        if (!is_ok(wire_check(type, span, arena)))
            continue;
        memcpy(kept + size, span.data, span.size);
        size += span.size;
    }
    return (struct str){kept, kept ? size : 0};
}

struct status grpc_check(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs, struct str *message)
{
    struct status status = wire_check(call->method->request, *message, call->arena);
    if (is_ok(status))
        return status;
    if (is_ok(wire_check(structs, *message, call->arena))) {
        status.broken = "string-utf8";
        return duty_is_off(call->switches, "string-utf8") ? STATUS_IS_OK : status;
    }
    status.broken = "message-valid";
    if (!duty_is_off(call->switches, "message-valid"))
        return status;
    *message = well_formed_fields(structs, *message, call->arena);
    return STATUS_IS_OK;
}

struct status grpc_read(const struct rpc_call *call, const ProtobufCMessageDescriptor *structs,
                        ProtobufCMessage **message)
{
    struct str bytes = call->message;
    struct status status = grpc_check(call, structs, &bytes);
    return is_ok(status) ? structs_read(structs, bytes, call->arena, message) : status;
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
