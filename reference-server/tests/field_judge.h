/* Whether libnghttp2 itself takes a request: it can check what request_fields.c checks. */
#pragma once

#include "base/str.h"
#include "grpc/request_fields.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>

#define JUDGED_MAX 32

struct judged_field {
    struct str name, value;
};

struct judged_request {
    struct judged_field head[JUDGED_MAX], trailers[JUDGED_MAX];
    size_t head_count, trailer_count;
    bool has_trailers;
    size_t content; /* bytes of it */
};

static int is_invalid(nghttp2_session *, const nghttp2_frame *, int, void *user)
{
    *(bool *)user = false;
    return 0;
}

/* A field that libnghttp2 would leave out is an error, too. */
static int is_invalid_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *, size_t,
                            const uint8_t *, size_t, uint8_t, void *user)
{
    return is_invalid(session, frame, 0, user);
}

static void receive_frame(nghttp2_session *session, uint8_t type, uint8_t flags, const uint8_t *body, size_t size)
{
    const uint8_t stream = type == NGHTTP2_SETTINGS ? 0 : 1;
    const uint8_t head[9] = {(uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size, type, flags, 0, 0, 0, stream};
    if (nghttp2_session_mem_recv(session, head, sizeof(head)) < 0 || nghttp2_session_mem_recv(session, body, size) < 0)
        abort();
}

static void receive_fields(nghttp2_session *session, nghttp2_hd_deflater *deflater, const struct judged_field *fields,
                           size_t count, bool ends)
{
    nghttp2_nv list[JUDGED_MAX];
    static uint8_t block[64 * 1024];
    for (size_t i = 0; i < count; i++)
        list[i] = (nghttp2_nv){(uint8_t *)(uintptr_t)fields[i].name.data, (uint8_t *)(uintptr_t)fields[i].value.data,
                               fields[i].name.size, fields[i].value.size, NGHTTP2_NV_FLAG_NONE};
    ssize_t size = nghttp2_hd_deflate_hd(deflater, block, sizeof(block), list, count);
    if (size < 0)
        abort();
    receive_frame(session, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | (ends ? NGHTTP2_FLAG_END_STREAM : 0), block,
                  (size_t)size);
}

static bool library_takes(const struct judged_request *request)
{
    static const uint8_t content[1024];
    bool is_taken = true, has_content = request->content > 0;
    nghttp2_session_callbacks *callbacks;
    nghttp2_session *session;
    nghttp2_hd_deflater *deflater;
    if (nghttp2_session_callbacks_new(&callbacks) || nghttp2_hd_deflate_new(&deflater, 4096))
        abort();
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, is_invalid);
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, is_invalid_field);
    if (nghttp2_session_server_new(&session, callbacks, &is_taken))
        abort();
    nghttp2_session_mem_recv(session, (const uint8_t *)NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN);
    receive_frame(session, NGHTTP2_SETTINGS, NGHTTP2_FLAG_NONE, content, 0);
    receive_fields(session, deflater, request->head, request->head_count, !has_content && !request->has_trailers);
    if (has_content)
        receive_frame(session, NGHTTP2_DATA, request->has_trailers ? NGHTTP2_FLAG_NONE : NGHTTP2_FLAG_END_STREAM,
                      content, request->content);
    if (request->has_trailers)
        receive_fields(session, deflater, request->trailers, request->trailer_count, true);

    /* What is wrong with the length is told by an RST_STREAM alone. */
    const uint8_t *sent;
    while (nghttp2_session_mem_send(session, &sent) > 0)
        is_taken &= sent[3] != NGHTTP2_RST_STREAM;
    nghttp2_session_del(session);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_hd_deflate_del(deflater);
    return is_taken;
}

static bool server_takes(const struct judged_request *request)
{
    struct request_fields fields = {.known_path = STR("/known")};
    for (size_t i = 0; i < request->head_count; i++)
        request_take_field(&fields, request->head[i].name, request->head[i].value);
    request_end_head(&fields);
    request_take_content(&fields, request->content);
    for (size_t i = 0; i < request->trailer_count; i++)
        request_take_field(&fields, request->trailers[i].name, request->trailers[i].value);
    request_end(&fields);
    return !fields.malformed;
}
