/* Reads the header NV-InferRequest; a worker keeps the last one, since clients repeat it. */
#include "trtis_v1/http.h"

#include <stdlib.h>

#define KEPT_MAX ((size_t)4096) /* bytes of a text that is kept */

/* A header that was read, which a worker keeps. */
struct kept_header {
    struct buf text, message;
};

void v1_http_forget_header(void *cache)
{
    struct kept_header *header = cache;
    buf_free(&header->text);
    buf_free(&header->message);
    free(header);
}

/* Keeps what a text means. Without memory nothing is kept. */
static void keep(void **cache, struct str text, struct str message)
{
    struct kept_header *header = calloc(1, sizeof(*header));
    if (!header)
        return;
    buf_append_str(&header->text, text);
    buf_append_str(&header->message, message);
    if (header->text.failed || header->message.failed) {
        v1_http_forget_header(header);
        return;
    }
    if (*cache)
        v1_http_forget_header(*cache);
    *cache = header;
}

static struct status read_text(struct v1_call *call, struct str text, struct str *message)
{
    struct buf read = {0};
    struct status status = text_read(call->v1->request_header, text, call->arena, &read);
    *message = arena_take(call->arena, &read);
    if (is_ok(status) && !message->data)
        status = status_no_memory();
    if (is_ok(status) && text.size <= KEPT_MAX)
        keep(call->http->cache, text, *message);
    return status;
}

/* trtis-v1-http.request-header-needed */
struct status v1_http_read_header(struct v1_call *call, struct str *message)
{
    struct str text = http_header_value(call->http, "NV-InferRequest");
    const struct kept_header *kept = *call->http->cache;
    if (!text.data)
        return status_breaks(call->arena, "request-header-needed", "the header NV-InferRequest is missing");
    if (!kept || !str_equal(text, buf_str(&kept->text)))
        return read_text(call, text, message);
    *message = buf_str(&kept->message);
    return STATUS_IS_OK;
}
