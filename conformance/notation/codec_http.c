/* The codecs that write HTTP and gRPC: chunks, header fields, frames, messages behind their length, and gzip. One
 * recursion with codec.c. */
#include "notation/codec_http.h"

#include "support/frame.h"
#include "support/memory.h"

#include <zlib.h>

/* Appends HTTP's transfer coding (RFC 9112, 7.1): each element as a chunk, then the last chunk. */
struct status codec_chunked(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    struct status status =
        value->type == TREE_ARRAY ? STATUS_IS_OK : codec_bad(context, "$chunked", "must be a list of BYTES");
    for (const struct tree *part = value->first; part && is_ok(status); part = part->next) {
        struct buf bytes = {0};
        status = codec_append(context, part, &bytes);
        if (is_ok(status) && bytes.size == 0)
            status = codec_bad(context, "$chunked", "has an empty chunk, which would be the last");
        buf_printf(out, "%zx\r\n", bytes.size);
        buf_append_str(out, buf_str(&bytes));
        buf_append_literal(out, "\r\n");
        buf_free(&bytes);
    }
    buf_append_literal(out, "0\r\n\r\n");
    return status;
}

/* Appends a length as HPACK has it, with a prefix of 7 bits (RFC 7541, 5.1). */
static void append_length(size_t size, struct buf *out)
{
    buf_append_byte(out, (char)(size < 127 ? size : 127));
    if (size < 127)
        return;
    for (size -= 127; size > 127; size >>= 7)
        buf_append_byte(out, (char)((size & 127) | 128));
    buf_append_byte(out, (char)size);
}

/* Appends header fields that are in no table of HPACK (RFC 7541, 6.2.2). */
struct status codec_fields(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    struct status status = STATUS_IS_OK;
    if (value->type != TREE_ARRAY)
        return codec_bad(context, "$fields", "must be a list of [name, value]");
    for (const struct tree *field = value->first; field && is_ok(status); field = field->next) {
        if (field->type != TREE_ARRAY || field->count != 2)
            return codec_bad(context, "$fields", "must be a list of [name, value]");
        buf_append_byte(out, 0);
        for (const struct tree *part = field->first; part && is_ok(status); part = part->next) {
            struct buf text = {0};
            status = codec_append(context, part, &text);
            append_length(text.size, out);
            buf_append_str(out, buf_str(&text));
            buf_free(&text);
        }
    }
    return status;
}

static bool reads_integer(const struct tree *tree, int64_t most, int64_t *integer)
{
    return tree_to_int64(tree, integer) && *integer >= 0 && *integer <= most;
}

/* Reads the kind of a frame: a name, or a number (RFC 9113, 6). */
static bool reads_kind(const struct tree *tree, int64_t *kind)
{
    if (tree->type == TREE_NUMBER)
        return reads_integer(tree, UINT8_MAX, kind);
    for (*kind = 0; tree->type == TREE_STRING && frame_name((unsigned)*kind); ++*kind)
        if (str_is(tree->text, frame_name((unsigned)*kind)))
            return true;
    return false;
}

static void append_number(int64_t number, int bytes, struct buf *out)
{
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        buf_append_byte(out, (char)(number >> shift));
}

/* Appends a frame of HTTP/2 (RFC 9113, 4.1). */
struct status codec_frame(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    int64_t kind, flags, stream;
    if (value->type != TREE_ARRAY || value->count != 4 || !reads_kind(value->first, &kind) ||
        !reads_integer(value->first->next, UINT8_MAX, &flags) ||
        !reads_integer(value->first->next->next, UINT32_MAX, &stream))
        return codec_bad(context, "$frame", "must be [kind, flags, stream, BYTES]");
    struct buf payload = {0};
    struct status status = codec_append(context, value->last, &payload);
    append_number((int64_t)payload.size, 3, out);
    append_number(kind, 1, out);
    append_number(flags, 1, out);
    append_number(stream, 4, out);
    buf_append_str(out, buf_str(&payload));
    buf_free(&payload);
    return status;
}

/* Appends a message as gRPC sends it: after a byte that says whether it is compressed, and its length. */
struct status codec_framed(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    struct buf bytes = {0};
    struct status status = codec_append(context, value, &bytes);
    if (is_ok(status) && bytes.size > UINT32_MAX)
        status = codec_bad(context, "$framed", "is more than gRPC can carry");
    append_number(tree_member(value, "$gzip") != NULL, 1, out);
    append_number((int64_t)bytes.size, 4, out);
    buf_append_str(out, buf_str(&bytes));
    buf_free(&bytes);
    return status;
}

struct status codec_gzip(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    struct buf bytes = {0};
    struct status status = codec_append(context, value, &bytes);
    z_stream stream = {0};
    if (is_ok(status)) {
        if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
            memory_exhausted(); /* zlib fails here only without memory */
        size_t bound = deflateBound(&stream, bytes.size);
        char *room = buf_reserve(out, bound);
        stream.next_in = (Bytef *)bytes.data;
        stream.avail_in = (uInt)bytes.size;
        stream.next_out = (Bytef *)room;
        stream.avail_out = (uInt)bound;
        if (!room || deflate(&stream, Z_FINISH) != Z_STREAM_END)
            status = status_no_memory();
        else
            out->size += stream.total_out;
        deflateEnd(&stream);
    }
    buf_free(&bytes);
    return status;
}
