/* The answer of a call, as "Responses" in "gRPC over HTTP/2" has it: headers, the message behind its head, and trailers
 * with the status; or, without a message, the headers with the status alone ("Trailers-Only"). */
#include "grpc/headers.h"
#include "grpc/server.h"

#include <limits.h>
#include <stdio.h>

#define FIELDS_MAX (4 + TRAILING_MAX)

#define FIELD(name, value)                                                                                             \
    {                                                                                                                  \
        (uint8_t *)(uintptr_t)(name), (uint8_t *)(uintptr_t)(value), sizeof(name) - 1, sizeof(value) - 1,              \
            NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE                                               \
    }

static const nghttp2_nv headers[] = {
    FIELD(":status", "200"),
    FIELD("content-type", "application/grpc"),
    FIELD("grpc-accept-encoding", "identity, deflate, gzip"),
};
#define HEADER_COUNT (sizeof(headers) / sizeof(headers[0]))

struct fields {
    nghttp2_nv list[HEADER_COUNT + FIELDS_MAX];
    size_t count;
};

static void add(struct fields *fields, struct str name, struct str value)
{
    fields->list[fields->count++] = (nghttp2_nv){(uint8_t *)(uintptr_t)name.data, (uint8_t *)(uintptr_t)value.data,
                                                 name.size, value.size, NGHTTP2_NV_FLAG_NONE};
}

/* "Status", "Status-Message" */
static void add_status(struct fields *fields, const struct status *status, struct arena *arena, char *number,
                       size_t size)
{
    snprintf(number, size, "%d", (int)status->code);
    add(fields, STR("grpc-status"), str_of(number));
    if (!is_ok(*status) && status->message.size > 0) {
        struct str message = header_percent_encoded(arena, status->message);
        add(fields, STR("grpc-message"), message.data ? message : STR("out of memory"));
    }
}

/* Adds the trailers. "Custom-Metadata" */
static void add_trailers(struct fields *fields, const struct server_call *call, char *number, size_t size)
{
    add_status(fields, &call->rpc.status, call->rpc.arena, number, size);
    for (size_t i = 0; i < call->trailing_count; i++)
        add(fields, call->trailing[i].key, call->trailing[i].value);
}

static void send_trailers(struct server_call *call, nghttp2_session *session)
{
    char number[16];
    struct fields fields = {.count = 0};
    add_trailers(&fields, call, number, sizeof(number));
    nghttp2_submit_trailer(session, call->stream, fields.list, fields.count);
}

/* Tells how long the next DATA frame shall be. */
static ssize_t next_frame(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t size, uint32_t *flags,
                          nghttp2_data_source *source, void *user)
{
    (void)stream;
    (void)bytes;
    (void)user;
    struct server_call *call = source->ptr;
    *flags = NGHTTP2_DATA_FLAG_NO_COPY;
    if (size < call->left)
        return (ssize_t)size;
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    send_trailers(call, session);
    return (ssize_t)call->left;
}

void answer_put(struct server_call *call, struct output *output, size_t size)
{
    size_t message = 0;
    call->progress_at = call->loop->now;
    call->left -= size;
    if (call->piece == 0) { /* the head of the message counts as the first piece */
        size_t part = MESSAGE_HEAD - call->at < size ? MESSAGE_HEAD - call->at : size;
        output_copy(output, (struct str){(const char *)call->head + call->at, part});
        call->at += part;
        size -= part;
        if (call->at == MESSAGE_HEAD) {
            call->at = 0;
            call->piece = 1;
        }
    }
    while (size > 0) {
        struct str piece = call->pieces[call->piece - 1];
        message = piece.size - call->at < size ? piece.size - call->at : size;
        struct str part = {piece.data + call->at, message};
        if (message < COPIED_PART || call->streaming) {
            output_copy(output, part);
        } else {
            output_add(output, part, call);
            call->unwritten++;
        }
        size -= message;
        call->at += message;
        if (call->at == piece.size) {
            call->at = 0;
            call->piece++;
        }
    }
}

static size_t answer_size(const struct rpc_call *rpc)
{
    size_t size = 0;
    for (size_t i = 0; i < rpc->piece_count; i++)
        size += rpc->pieces[i].size;
    return size;
}

static void load(struct server_call *call, const struct str *pieces, size_t size)
{
    const uint8_t head[MESSAGE_HEAD] = {0, (uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8),
                                        (uint8_t)size};
    memcpy(call->head, head, sizeof(head));
    call->left = MESSAGE_HEAD + size;
    call->pieces = pieces;
}

static void send_message(struct server_call *call, size_t size)
{
    nghttp2_data_provider provider = {.source.ptr = call, .read_callback = next_frame};
    load(call, call->rpc.pieces, size);
    nghttp2_submit_response(call->connection->session, call->stream, headers, HEADER_COUNT, &provider);
}

static void send_status(struct server_call *call)
{
    char number[16];
    struct fields fields = {.count = HEADER_COUNT};
    memcpy(fields.list, headers, sizeof(headers));
    add_trailers(&fields, call, number, sizeof(number));
    nghttp2_submit_response(call->connection->session, call->stream, fields.list, fields.count, NULL);
}

void answer_send(struct server_call *call)
{
    struct rpc_call *rpc = &call->rpc;
    struct connection *connection = call->connection;
    if (call->streaming) {
        streaming_answer(call);
        return;
    }
    if (call->loop->server->options.finish)
        call->loop->server->options.finish(rpc);
    call->progress_at = call->loop->now;
    size_t size = is_ok(rpc->status) ? answer_size(rpc) : 0;
    if (size > INT_MAX)
        rpc->status = (struct status){.code = STATUS_RESOURCE_EXHAUSTED, .message = STR("the answer exceeds 2 GiB")};
    if (rpc->fate == RPC_RESET)
        nghttp2_submit_rst_stream(connection->session, NGHTTP2_FLAG_NONE, call->stream, NGHTTP2_CANCEL);
    else if (rpc->fate == RPC_SEND && is_ok(rpc->status))
        send_message(call, size);
    else if (rpc->fate == RPC_SEND)
        send_status(call);
    connection_mark(connection);
}

void answer_begin(struct server_call *call, const nghttp2_data_provider *provider)
{
    nghttp2_submit_response(call->connection->session, call->stream, headers, HEADER_COUNT, provider);
}

void answer_load(struct server_call *call, const struct str *message)
{
    call->piece = call->at = 0;
    load(call, message, message->size);
}

void answer_end(struct server_call *call)
{
    send_trailers(call, call->connection->session);
}

void answer_fail(struct server_call *call, const struct status *status, struct arena *arena)
{
    char number[16];
    struct fields fields = {.count = 0};
    add_status(&fields, status, arena, number, sizeof(number));
    nghttp2_submit_trailer(call->connection->session, call->stream, fields.list, fields.count);
}

void answer_plainly(struct connection *connection, int32_t stream, enum status_code code, const char *message)
{
    char number[16];
    struct fields fields = {.count = HEADER_COUNT};
    memcpy(fields.list, headers, sizeof(headers));
    snprintf(number, sizeof(number), "%d", (int)code);
    add(&fields, STR("grpc-status"), str_of(number));
    add(&fields, STR("grpc-message"), str_of(message));
    nghttp2_submit_response(connection->session, stream, fields.list, fields.count, NULL);
}

void answer_http(struct connection *connection, int32_t stream, int status)
{
    char number[16];
    struct fields fields = {.count = 0};
    snprintf(number, sizeof(number), "%d", status);
    add(&fields, STR(":status"), str_of(number));
    nghttp2_submit_response(connection->session, stream, fields.list, fields.count, NULL);
}
