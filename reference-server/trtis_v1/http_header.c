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

static struct status read_text(struct http_request *http, struct str text, struct str *message)
{
    struct buf read = {0};
    const struct trtis_v1 *v1 = http->context;
    struct status status = text_read(v1->request_header, text, http->arena, &read);
    *message = arena_take(http->arena, &read);
    if (is_ok(status) && !message->data)
        status = status_no_memory();
    if (is_ok(status) && text.size <= KEPT_MAX)
        keep(http->cache, text, *message);
    return status;
}

/* trtis-v1-http.request-header-needed */
struct status v1_http_read_header(struct http_request *http, struct str *message)
{
    struct str text = http_header_value(http, "NV-InferRequest");
    const struct kept_header *kept = *http->cache;
    if (!text.data)
        return status_breaks(http->arena, "request-header-needed", "the header NV-InferRequest is missing");
    if (!kept || !str_equal(text, buf_str(&kept->text)))
        return read_text(http, text, message);
    *message = buf_str(&kept->message);
    return STATUS_IS_OK;
}
