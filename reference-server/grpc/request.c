#include "grpc/request.h"

#include "grpc/headers.h"

/* Most clients call the same method again. */
static void take_path(struct server_call *call, struct str value)
{
    const struct call_shared *shared = call->calls->shared;
    const struct registered **last = &call->peer->last_registered;
    if (*last && str_equal((*last)->path, value))
        call->registered = *last;
    for (size_t i = 0; i < shared->method_count && !call->registered; i++)
        if (str_equal(shared->methods[i].path, value))
            call->registered = *last = &shared->methods[i];
    call->rpc.path = call->registered ? call->registered->path : arena_copy(&call->arena, value);
    call->is_without_memory |= !call->rpc.path.data;
}

static void take_method(struct server_call *call, struct str value)
{
    call->is_post = str_is(value, "POST");
}

static void take_content_type(struct server_call *call, struct str value)
{
    const struct str usual = STR("application/grpc");
    call->is_grpc = header_is_grpc(value);
    call->rpc.content_type = str_equal(value, usual) ? usual : arena_copy(&call->arena, value);
    call->is_without_memory |= !call->rpc.content_type.data;
}

static void take_timeout(struct server_call *call, struct str value)
{
    call->has_bad_timeout = !header_timeout(value, &call->timeout);
    call->rpc.timeout = arena_copy(&call->arena, value);
    call->is_without_memory |= !call->rpc.timeout.data;
}

/* It has one legal value. */
static void take_te(struct server_call *call, struct str)
{
    call->rpc.te = STR("trailers");
}

static void take_encoding(struct server_call *call, struct str value)
{
    call->rpc.encoding = arena_copy(&call->arena, value);
    call->is_without_memory |= !call->rpc.encoding.data;
}

static void keep(struct server_call *call, struct str name, struct str value)
{
    struct rpc_metadata *row = arena_alloc(&call->arena, sizeof(*row) + name.size + value.size);
    if (!row) {
        call->is_without_memory = true;
        return;
    }
    char *text = (char *)(row + 1);
    *row = (struct rpc_metadata){NULL, {text, name.size}, {text + name.size, value.size}};
    memcpy(mempcpy(text, name.data, name.size), value.data, value.size);
    *call->last_metadata = row;
    call->last_metadata = &row->next;
}

/* "Custom-Metadata", Requests: what HTTP or gRPC itself sends with each call is none. */
void request_take_header(struct server_call *call, struct str name, struct str value)
{
    static void (*const takers[FIELD_OTHER])(struct server_call * call, struct str value) = {
        [FIELD_METHOD] = take_method,
        [FIELD_PATH] = take_path,
        [FIELD_CONTENT_TYPE] = take_content_type,
        [FIELD_TE] = take_te,
        [FIELD_GRPC_TIMEOUT] = take_timeout,
        [FIELD_GRPC_ENCODING] = take_encoding,
    };
    enum field field = request_take_field(&call->fields, name, value);
    if (call->fields.has_ended)
        return;
    call->metadata_size += name.size + value.size + FIELD_OVERHEAD;
    if (call->metadata_size > METADATA_MAX)
        return;
    if (field == FIELD_OTHER)
        keep(call, name, value);
    else if (takers[field])
        takers[field](call, value);
}

struct status request_check_headers(struct server_call *call)
{
    struct arena *arena = &call->arena;
    bool is_small = call->metadata_size <= METADATA_MAX;
    if (is_small && !(call->is_post && call->is_grpc)) {
        call->rpc.http_status = call->is_post ? 415 : 405;
        return status_plain(STATUS_UNIMPLEMENTED, "this is not a gRPC call");
    }
    if (!is_small)
        return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "metadata of %zu bytes is above the limit of %zu bytes",
                            call->metadata_size, METADATA_MAX);
    if (call->is_without_memory)
        return status_no_memory();
    if (!call->registered)
        return status_error(arena, STATUS_UNIMPLEMENTED, "method '%s' is not served",
                            str_printable(arena, call->rpc.path));
    if (call->has_bad_timeout)
        return status_invalid(arena,
                              "grpc-timeout must be one to eight digits and one of the units H, M, S, m, u and n");
    return STATUS_IS_OK;
}

struct status request_check_message(struct server_call *call)
{
    struct rpc_call *rpc = &call->rpc;
    if (call->message.head_size == 0)
        return status_error(rpc->arena, STATUS_UNIMPLEMENTED,
                            "the call to '%s' carries no message, but it must carry one",
                            str_printable(rpc->arena, rpc->path));
    if (!message_is_whole(&call->message))
        return status_error(rpc->arena, STATUS_INTERNAL, "the call to '%s' carries no complete message",
                            str_printable(rpc->arena, rpc->path));
    return STATUS_IS_OK;
}
