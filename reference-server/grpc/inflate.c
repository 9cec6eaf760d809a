#include "grpc/inflate.h"

#include <stdint.h>
#include <zlib.h>

#define FIRST_PIECE  ((size_t)16 * 1024)
#define LARGE_PIECE  ((size_t)4 * 1024 * 1024)
#define ANY_WRAPPING (15 + 32) /* for zlib: the largest window, and a gzip or zlib header */

struct output {
    struct str *pieces;
    size_t count, capacity;
    size_t size; /* bytes in all pieces */
};

/* Adds a piece of memory for more bytes. The first pieces double in size. The last one ends one byte above the limit,
 * so that a message above the limit is noticed. */
static struct status add_piece(struct output *output, z_stream *stream, size_t limit, struct arena *arena,
                               struct str **added)
{
    if (output->count == output->capacity) {
        size_t capacity = output->capacity ? output->capacity * 2 : 16;
        struct str *pieces = arena_alloc(arena, capacity * sizeof(*pieces));
        if (!pieces)
            return status_no_memory();
        if (output->count)
            memcpy(pieces, output->pieces, output->count * sizeof(*pieces));
        output->pieces = pieces;
        output->capacity = capacity;
    }
    size_t room = output->count < 8 ? FIRST_PIECE << output->count : LARGE_PIECE;
    if (room > limit - output->size)
        room = limit - output->size + 1;
    char *piece = arena_alloc(arena, room);
    if (!piece)
        return status_no_memory();
    *added = &output->pieces[output->count++];
    **added = (struct str){piece, 0};
    stream->next_out = (Bytef *)piece;
    stream->avail_out = (uInt)room;
    return STATUS_IS_OK;
}

static struct status inflate_all(z_stream *stream, const struct str *slices, size_t count, size_t limit,
                                 struct arena *arena, struct output *output)
{
    int result = Z_OK;
    struct str *piece = NULL;
    for (size_t i = 0; i < count; i++) {
        stream->next_in = (z_const Bytef *)(uintptr_t)slices[i].data;
        stream->avail_in = (uInt)slices[i].size;
        do {
            if (stream->avail_in && result == Z_STREAM_END)
                return status_error(arena, STATUS_INTERNAL, "the compressed message is followed by %u unexpected bytes",
                                    stream->avail_in);
            if (!piece || stream->avail_out == 0) {
                struct status status = add_piece(output, stream, limit, arena, &piece);
                if (!is_ok(status))
                    return status;
            }
            uInt room = stream->avail_out;
            result = inflate(stream, Z_NO_FLUSH);
            piece->size += room - stream->avail_out;
            output->size += room - stream->avail_out;
            if (output->size > limit)
                return status_error(arena, STATUS_RESOURCE_EXHAUSTED,
                                    "the compressed message holds more than the limit of %zu bytes", limit);
            if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
                return status_error(arena, STATUS_INTERNAL, "the compressed message is broken: %s",
                                    stream->msg ? stream->msg : "it asks for a dictionary");
        } while (stream->avail_in || stream->avail_out == 0);
    }
    if (result != Z_STREAM_END)
        return status_error(arena, STATUS_INTERNAL, "the compressed message is cut off");
    return STATUS_IS_OK;
}

struct status inflate_slices(const struct str *slices, size_t count, size_t limit, struct arena *arena,
                             const struct str **out, size_t *out_count, size_t *size)
{
    z_stream stream = {0};
    if (inflateInit2(&stream, ANY_WRAPPING) != Z_OK)
        return status_no_memory();
    struct output output = {0};
    struct status status = inflate_all(&stream, slices, count, limit, arena, &output);
    inflateEnd(&stream);
    *out = output.pieces;
    *out_count = output.count;
    *size = output.size;
    return status;
}
