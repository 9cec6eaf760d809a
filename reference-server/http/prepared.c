#include "http/mount.h"

static const char no_memory[] = "this server has no memory left for the answer";

/* By shortage; the second row is for compressed bodies. Each text gets the bytes that all such requests may hold. */
static const char *const texts[2][SHORTAGES] = {
    {no_memory, "other requests hold the memory that this server has for all of them (%zu bytes): try again",
     "this request needs more than half of the memory that this server has for all requests (%zu bytes)"},
    {no_memory,
     "other requests hold the memory that this server has for all whose body is compressed (%zu bytes): try again",
     "this request needs more than half of the memory that this server has for all whose body is compressed (%zu "
     "bytes): send it as it is"},
};

static struct status prepare(const struct http_service *service, enum shortage shortage, struct str message,
                             struct arena *arena, struct prepared_answer *answer)
{
    struct http_header headers[HTTP_ANSWER_HEADERS];
    struct http_request request = {.arena = arena, .service = service, .answer_headers = headers};
    struct buf out = {0};
    NEED(message.data);
    answer->status = shortage == SHORTAGE_ALWAYS ? 413 : 503;
    const char *type = service->write_refusal(&request, answer->status, message.data);
    buf_printf(&out, "HTTP/1.1 %s\r\n%s", answer->status == 413 ? "413 Content Too Large" : "503 Service Unavailable",
               shortage == SHORTAGE_NOW ? "Retry-After: 1\r\n" : "");
    if (type)
        buf_printf(&out, "Content-Type: %s\r\n", type);
    buf_printf(&out, "Content-Length: %zu\r\n", request.answer_buf.size);
    for (size_t i = 0; i < request.answer_header_count; i++)
        buf_printf(&out, "%.*s: %.*s\r\n", STR_ARG(headers[i].name), STR_ARG(headers[i].value));
    answer->date = out.size;
    buf_append_literal(&out, "Connection: close\r\n\r\n");
    answer->head = out.size;
    buf_append_str(&out, buf_str(&request.answer_buf));
    bool is_whole = !request.answer_buf.failed;
    buf_free(&request.answer_buf);
    answer->text = arena_take(arena, &out);
    return is_whole && answer->text.data ? STATUS_IS_OK : status_no_memory();
}

struct status prepared_make(const struct http_service *service, const size_t memory[2], struct arena *arena,
                            prepared_answers answers)
{
    struct status status = STATUS_IS_OK;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < SHORTAGES && is_ok(status); k++)
            status = prepare(service, k, arena_printf(arena, texts[i][k], memory[i]), arena, &answers[i][k]);
    return status;
}
