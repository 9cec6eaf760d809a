#include "grpc/inflate.h"

#include <stdlib.h>
#include <zlib.h>

#define ANY_WRAPPING (15 + 32) /* for zlib: the largest window, and a gzip or zlib header */

/* The bytes lie in one place. It is small at first, and then has room for all that may come: pages that are not
 * touched cost nothing. */
struct inflation {
    z_stream stream;
    message_aligned *aligned;
    char *block, *bytes; /* the bytes begin in the block */
    size_t size, room, limit;
};

size_t inflation_limit(size_t size, size_t max_message)
{
    size_t limit = size > SIZE_MAX / INFLATED_RATIO ? SIZE_MAX : size * INFLATED_RATIO;
    if (limit < INFLATED_AT_LEAST)
        limit = INFLATED_AT_LEAST;
    return limit < max_message ? limit : max_message;
}

struct inflation *inflation_new(struct str compressed, size_t limit, message_aligned *aligned)
{
    struct inflation *inflation = calloc(1, sizeof(*inflation));
    if (!inflation)
        return NULL;
    inflation->limit = limit;
    inflation->aligned = aligned;
    inflation->stream.next_in = (z_const Bytef *)(uintptr_t)compressed.data;
    inflation->stream.avail_in = (uInt)compressed.size;
    if (inflateInit2(&inflation->stream, ANY_WRAPPING) == Z_OK)
        return inflation;
    free(inflation);
    return NULL;
}

void inflation_free(struct inflation *inflation)
{
    if (!inflation)
        return;
    inflateEnd(&inflation->stream);
    free(inflation->block);
    free(inflation);
}

/* Makes room for more bytes, the first time for few. At last there is room for one byte above the limit, so that a
 * message above the limit is noticed. */
static bool make_room(struct inflation *inflation)
{
    size_t room = inflation->limit + 1;
    if (inflation->room == 0 && room > INFLATED_FIRST)
        room = INFLATED_FIRST;
    size_t whole = (room + 2 * MESSAGE_ALIGN - 1) / MESSAGE_ALIGN * MESSAGE_ALIGN;
    char *block = aligned_alloc(MESSAGE_ALIGN, whole), *bytes = block;
    if (!block)
        return false;
    if (inflation->size > 0 && inflation->aligned)
        bytes += -inflation->aligned((struct str){inflation->bytes, inflation->size}) & (MESSAGE_ALIGN - 1);
    if (inflation->size > 0)
        memcpy(bytes, inflation->bytes, inflation->size);
    free(inflation->block);
    inflation->block = block;
    inflation->bytes = bytes;
    inflation->room = room;
    return true;
}

/* Has zlib give `most` bytes more at most. */
static int take_some(struct inflation *inflation, size_t most)
{
    z_stream *stream = &inflation->stream;
    size_t left = inflation->room - inflation->size, part = left < most ? left : most;
    stream->next_out = (Bytef *)inflation->bytes + inflation->size;
    stream->avail_out = (uInt)part;
    int result = inflate(stream, Z_NO_FLUSH);
    inflation->size += part - stream->avail_out;
    return result;
}

struct status inflation_go_on(struct inflation *inflation, size_t most, struct arena *arena, bool *is_done)
{
    z_stream *stream = &inflation->stream;
    size_t before = inflation->size;
    *is_done = false;
    while (inflation->size - before < most) {
        if (inflation->size == inflation->room && !make_room(inflation))
            return status_no_memory();
        int result = take_some(inflation, most - (inflation->size - before));
        if (inflation->size > inflation->limit)
            return status_error(arena, STATUS_RESOURCE_EXHAUSTED,
                                "the compressed message holds more than the limit of %zu bytes", inflation->limit);
        if (result == Z_STREAM_END && stream->avail_in)
            return status_error(arena, STATUS_INTERNAL, "the compressed message is followed by %u unexpected bytes",
                                stream->avail_in);
        *is_done = result == Z_STREAM_END;
        if (*is_done)
            return STATUS_IS_OK;
        if (result == Z_BUF_ERROR)
            return status_error(arena, STATUS_INTERNAL, "the compressed message is cut off");
        if (result != Z_OK)
            return status_error(arena, STATUS_INTERNAL, "the compressed message is broken: %s",
                                stream->msg ? stream->msg : "it asks for a dictionary");
    }
    return STATUS_IS_OK;
}

struct str inflation_bytes(const struct inflation *inflation)
{
    return (struct str){inflation->bytes, inflation->size};
}
