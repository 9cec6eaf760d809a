#include "grpc/answer.h"

#include "base/search.h"
#include "grpc/headers.h"

#include <limits.h>
#include <stdio.h>

#define FIELDS_MAX  (2 + TRAILING_MAX)
#define DROPPED_MAX ((size_t)64 * 1024) /* bytes that a client may send on after the answer */

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
#define HEADER_COUNT COUNT_OF(headers)

#define STATUS_FIELD(code) FIELD("grpc-status", #code)

/* By code: "Status" */
static const nghttp2_nv status_fields[] = {
    STATUS_FIELD(0),  STATUS_FIELD(1),  STATUS_FIELD(2),  STATUS_FIELD(3),  STATUS_FIELD(4),  STATUS_FIELD(5),
    STATUS_FIELD(6),  STATUS_FIELD(7),  STATUS_FIELD(8),  STATUS_FIELD(9),  STATUS_FIELD(10), STATUS_FIELD(11),
    STATUS_FIELD(12), STATUS_FIELD(13), STATUS_FIELD(14), STATUS_FIELD(15), STATUS_FIELD(16),
};

struct fields {
    nghttp2_nv list[HEADER_COUNT + FIELDS_MAX];
    size_t count;
};

static void add(struct fields *fields, struct str name, struct str value)
{
    fields->list[fields->count++] = (nghttp2_nv){(uint8_t *)(uintptr_t)name.data, (uint8_t *)(uintptr_t)value.data,
                                                 name.size, value.size, NGHTTP2_NV_FLAG_NONE};
}

/* Changes the fields as a deviation wants them. */
static void reform(struct fields *fields, const struct rpc_form *form)
{
    for (size_t i = 0; form && i < form->field_count; i++) {
        const struct rpc_field *field = &form->fields[i];
        size_t kept = 0;
        for (size_t k = 0; k < fields->count; k++) {
            nghttp2_nv *at = &fields->list[k];
            bool is_same = str_equal(field->name, (struct str){(const char *)at->name, at->namelen});
            if (is_same && field->value.data) {
                at->value = (uint8_t *)(uintptr_t)field->value.data;
                at->valuelen = field->value.size;
                at->flags = NGHTTP2_NV_FLAG_NONE;
            }
            if (!is_same || field->value.data)
                fields->list[kept++] = *at;
        }
        fields->count = kept;
    }
}

/* "Status", "Status-Message" */
static void add_status(struct fields *fields, const struct status *status, struct arena *arena)
{
    fields->list[fields->count++] = status_fields[status->code];
    if (!is_ok(*status) && status->message.size > 0) {
        struct str message = header_percent_encoded(arena, status->message);
        add(fields, STR("grpc-message"), message.data ? message : STR("out of memory"));
    }
}

/* Adds the trailers. "Custom-Metadata" */
static void add_trailers(struct fields *fields, const struct server_call *call)
{
    add_status(fields, &call->rpc.status, call->rpc.arena);
    for (size_t i = 0; i < call->trailing_count; i++)
        add(fields, call->trailing[i].key, call->trailing[i].value);
}

static void send_trailers(const struct server_call *call)
{
    struct fields fields;
    fields.count = 0; /* the list is written before it is read */
    add_trailers(&fields, call);
    reform(&fields, call->rpc.form);
    nghttp2_submit_trailer(call->peer->session.nghttp2, call->stream, fields.list, fields.count);
}

/* The arena of the call may be its handler's. */
static void send_fault(const struct server_call *call)
{
    struct fields fields = {.count = 0};
    struct arena arena = arena_new(call->calls->shared->arena_budget);
    add_status(&fields, &call->fault, &arena);
    nghttp2_submit_trailer(call->peer->session.nghttp2, call->stream, fields.list, fields.count);
    arena_free(&arena);
}

/* Returns how many bytes of an answer fit into a DATA frame of `size` bytes beside its padding. */
static size_t room_in_frame(const struct server_call *call, size_t size)
{
    size_t padding = call->calls->shared->options.padding;
    return padding > 0 && size > 1 + padding ? size - 1 - padding : size;
}

/* Tells how long the next DATA frame shall be. One message ends with its trailers, many with a frame of no bytes. */
static ssize_t next_frame(nghttp2_session *, int32_t, uint8_t *, size_t size, uint32_t *flags,
                          nghttp2_data_source *source, void *)
{
    struct server_call *call = source->ptr;
    size_t room = room_in_frame(call, size);
    bool goes_on = call->load_next && (call->left > 0 || call->load_next(call));
    *flags = NGHTTP2_DATA_FLAG_NO_COPY;
    if (goes_on || room < call->left)
        return (ssize_t)(room < call->left ? room : call->left);
    if (call->answer < ANSWER_GIVEN)
        return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    if (is_ok(call->fault))
        send_trailers(call);
    else
        send_fault(call);
    return (ssize_t)call->left;
}

void answer_put(struct server_call *call, struct output *output, size_t size)
{
    size_t message = 0;
    call->progress_at = call->loop->now;
    call->left -= size;
    call->sent += size;
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
            output_add(output, part, &call->lender);
        }
        size -= message;
        call->at += message;
        if (call->at == piece.size) {
            call->at = 0;
            call->piece++;
        }
    }
}

static void load(struct server_call *call, const struct str *pieces, size_t size)
{
    const struct rpc_form *form = call->rpc.form;
    const uint8_t head[MESSAGE_HEAD] = {form && form->says_compressed, (uint8_t)(size >> 24), (uint8_t)(size >> 16),
                                        (uint8_t)(size >> 8), (uint8_t)size};
    memcpy(call->head, head, sizeof(head));
    call->left = MESSAGE_HEAD + size;
    call->pieces = pieces;
}

/* Sends the headers, and after them the message, of that size, or with them the status. */
static void send_headers(struct server_call *call, size_t size)
{
    nghttp2_data_provider provider = {.source.ptr = call, .read_callback = next_frame};
    bool has_message = is_ok(call->rpc.status);
    struct fields fields;
    fields.count = HEADER_COUNT; /* the list is written before it is read */
    memcpy(fields.list, headers, sizeof(headers));
    if (has_message)
        load(call, call->rpc.pieces, size);
    else
        add_trailers(&fields, call);
    reform(&fields, call->rpc.form);
    nghttp2_submit_response(call->peer->session.nghttp2, call->stream, fields.list, fields.count,
                            has_message ? &provider : NULL);
}

/* What is no gRPC call gets no grpc-status, so that no HTTP client takes the answer for a success. "Content-Type",
 * Requests */
static void send_http_status(struct server_call *call)
{
    char number[16];
    struct fields fields = {.count = 0};
    snprintf(number, sizeof(number), "%d", call->rpc.http_status);
    add(&fields, STR(":status"), str_of(number));
    for (size_t i = 0; i < call->trailing_count; i++)
        add(&fields, call->trailing[i].key, call->trailing[i].value);
    nghttp2_submit_response(call->peer->session.nghttp2, call->stream, fields.list, fields.count, NULL);
}

void answer_send(struct server_call *call)
{
    struct rpc_call *rpc = &call->rpc;
    const struct rpc_options *options = &call->calls->shared->options;
    if (options->finish)
        options->finish(rpc);
    answer_go(call, ANSWER_GIVEN);
    call->progress_at = call->loop->now;
    size_t size = is_ok(rpc->status) ? SUM(i, rpc->piece_count, rpc->pieces[i].size) : 0;
    if (size > INT_MAX)
        rpc->status = status_plain(STATUS_RESOURCE_EXHAUSTED, "the answer exceeds 2 GiB");
    if (rpc->delivery == RPC_RESET)
        session_reset(&call->peer->session, call->stream, NGHTTP2_CANCEL);
    else if (rpc->delivery == RPC_SEND && rpc->http_status)
        send_http_status(call);
    else if (rpc->delivery == RPC_SEND)
        send_headers(call, size);
    connection_mark(&call->peer->session.connection);
}

void answer_begin(struct server_call *call)
{
    nghttp2_data_provider provider = {.source.ptr = call, .read_callback = next_frame};
    answer_go(call, ANSWER_BEGUN);
    nghttp2_submit_response(call->peer->session.nghttp2, call->stream, headers, HEADER_COUNT, &provider);
}

void answer_load(struct server_call *call, const struct str *message)
{
    call->piece = call->at = 0;
    load(call, message, message->size);
}

void answer_plainly(struct session *session, int32_t stream, enum status_code code, const char *message)
{
    struct fields fields = {.count = HEADER_COUNT};
    memcpy(fields.list, headers, sizeof(headers));
    fields.list[fields.count++] = status_fields[code];
    add(&fields, STR("grpc-message"), str_of(message));
    nghttp2_submit_response(session->nghttp2, stream, fields.list, fields.count, NULL);
}

/* An answer that ends before its request does: "No Error" asks the client to send no more (RFC 9113, 8.1). It must not
 * be queued before the answer is sent, or it would cancel it. Some clients take it for an error all the same; so one
 * that has little left to send may end its request. */
static void ask_to_stop(const struct server_call *call)
{
    if (call->answer == ANSWER_SENT && call->dropped > DROPPED_MAX)
        session_reset(&call->peer->session, call->stream, NGHTTP2_NO_ERROR);
}

void answer_sent(struct server_call *call)
{
    answer_go(call, ANSWER_SENT);
    ask_to_stop(call);
}

void answer_drop(struct server_call *call, size_t size)
{
    call->dropped += size;
    ask_to_stop(call);
}
