#include "http/mount.h"

#include "base/search.h"

#include <stdlib.h>

#define INFLATED          2 /* lies between the two rows for a shortage */
#define INFLATED_PART     12
#define INFLATED_AT_LEAST ((size_t)192 * 1024 * 1024)

size_t http_inflated_memory(const struct http_options *options)
{
    size_t memory = options->memory / INFLATED_PART;
    if (memory < INFLATED_AT_LEAST)
        memory = INFLATED_AT_LEAST;
    return memory < options->memory ? memory : options->memory;
}

/* What a request is told that finds no memory. */
static const struct lack {
    int status;
    const char *reason, *headers;
    const char *text; /* gets the bytes that all such requests may hold */
    bool is_inflated; /* those whose body is compressed */
} lacks[LAST_WORDS] = {
    [SHORTAGE_NONE] = {.status = 503,
                       .reason = "Service Unavailable",
                       .headers = "",
                       .text = "this server has no memory left for the answer"},
    [SHORTAGE_NOW] = {.status = 503,
                      .reason = "Service Unavailable",
                      .headers = "Retry-After: 1\r\n",
                      .text = "other requests hold the memory that this server has for all of them (%zu bytes): "
                              "try again"},
    [SHORTAGE_ALWAYS] = {.status = 413,
                         .reason = "Content Too Large",
                         .headers = "",
                         .text = "this request needs more than half of the memory that this server has for all "
                                 "requests (%zu bytes)"},
    [INFLATED + SHORTAGE_NOW] = {.status = 503,
                                 .reason = "Service Unavailable",
                                 .headers = "Retry-After: 1\r\n",
                                 .text = "other requests hold the memory that this server has for all whose body is "
                                         "compressed (%zu bytes): try again",
                                 .is_inflated = true},
    [INFLATED + SHORTAGE_ALWAYS] = {.status = 413,
                                    .reason = "Content Too Large",
                                    .headers = "",
                                    .text = "this request needs more than half of the memory that this server has for "
                                            "all whose body is compressed (%zu bytes): send it as it is",
                                    .is_inflated = true},
};

const struct last_word *last_word_of(const struct mount *mount, enum shortage shortage, bool is_inflated)
{
    return &mount->last_words[shortage == SHORTAGE_NONE ? 0 : is_inflated ? INFLATED + shortage : shortage];
}

/* Prepares, at the start, an answer that is sent when there is no memory for any other. */
static struct status prepare(const struct mount *mount, const struct lack *lack, size_t memory, struct arena *arena,
                             struct last_word *word)
{
    struct http_header headers[HTTP_ANSWER_HEADERS];
    struct http_request request = {.arena = arena, .service = mount->service, .answer_headers = headers};
    struct str message = arena_printf(arena, lack->text, memory);
    if (!message.data)
        return status_no_memory();
    const char *type = mount->service->write_refusal(&request, lack->status, message.data);
    struct buf *out = &word->text;
    buf_printf(out, "HTTP/1.1 %d %s\r\n%s", lack->status, lack->reason, lack->headers);
    if (type)
        buf_printf(out, "Content-Type: %s\r\n", type);
    buf_printf(out, "Content-Length: %zu\r\n", request.answer_buf.size);
    for (size_t i = 0; i < request.answer_header_count; i++)
        buf_printf(out, "%.*s: %.*s\r\n", STR_ARG(headers[i].name), STR_ARG(headers[i].value));
    buf_append_literal(out, "Connection: close\r\n\r\n");
    word->status = lack->status;
    word->head = out->size;
    buf_append_str(out, buf_str(&request.answer_buf));
    bool is_whole = !out->failed && !request.answer_buf.failed;
    buf_free(&request.answer_buf);
    return is_whole ? STATUS_IS_OK : status_no_memory();
}

/* Says whether this service is the first of its listener. */
static bool is_first(const struct http_mount *mounts, size_t position)
{
    return ALL(i, position, strcmp(mounts[i].service->listener, mounts[position].service->listener) != 0);
}

static int compare_prefixes(const void *one, const void *other)
{
    size_t a = ((const struct mount *)one)->prefix.size, b = ((const struct mount *)other)->prefix.size;
    return (a < b) - (a > b);
}

struct status mounts_make(const struct http_options *options, struct arena *arena, struct mounts *mounts)
{
    mounts->list = arena_alloc_zero(arena, options->mount_count, sizeof(*mounts->list));
    if (!mounts->list)
        return status_no_memory();
    mounts->count = options->mount_count;
    for (size_t i = 0; i < mounts->count; i++) {
        const struct http_mount *from = &options->mounts[i];
        mounts->list[i] = (struct mount){
            .service = from->service,
            .context = from->context,
            .prefix = str_of(from->service->prefix),
            .is_first = is_first(options->mounts, i),
        };
    }
    qsort(mounts->list, mounts->count, sizeof(*mounts->list), compare_prefixes);
    struct status status = STATUS_IS_OK;
    for (size_t i = 0; i < mounts->count && is_ok(status); i++) {
        mounts->list[i].index = i;
        for (size_t j = 0; j < LAST_WORDS && is_ok(status); j++) {
            size_t memory = lacks[j].is_inflated ? http_inflated_memory(options) : options->memory;
            status = prepare(&mounts->list[i], &lacks[j], memory, arena, &mounts->list[i].last_words[j]);
        }
    }
    return status;
}

void mounts_free(struct mounts *mounts)
{
    for (size_t i = 0; i < mounts->count; i++)
        for (size_t j = 0; j < LAST_WORDS; j++)
            buf_free(&mounts->list[i].last_words[j].text);
}

void mounts_set_port(struct mounts *mounts, const char *listener, int port)
{
    for (size_t i = 0; i < mounts->count; i++)
        if (strcmp(mounts->list[i].service->listener, listener) == 0)
            mounts->list[i].port = port;
}

static bool lies_under(struct str path, struct str prefix)
{
    size_t same = 0;
    if (path.size < prefix.size)
        return false;
    while (same < prefix.size && path.data[same] == prefix.data[same])
        same++;
    return same == prefix.size && (same == path.size || path.data[same] == '/');
}

const struct mount *mount_of(const struct mounts *mounts, int port, struct str path)
{
    const struct mount *end = mounts->list + mounts->count;
    for (const struct mount *mount = mounts->list; mount < end; mount++)
        if (mount->port == port && lies_under(path, mount->prefix))
            return mount;
    for (const struct mount *mount = mounts->list; mount < end; mount++)
        if (mount->port == port && mount->is_first)
            return mount;
    return mounts->list;
}
