#include "client/inflate.h"

#include "base/buf.h"
#include "support/memory.h"
#define ZLIB_CONST /* its input is const */
#include <zlib.h>

#define PIECE       ((size_t)16 * 1024)
#define ZLIB_WINDOW 15
#define GZIP_WINDOW (15 + 16) /* tells zlib that the header is gzip's */

/* Whether another member follows: a text in gzip is one or several, one after the other (RFC 1952, 2.2). */
static bool begins_member(const z_stream *stream)
{
    return stream->avail_in > 2 && stream->next_in[0] == 0x1f && stream->next_in[1] == 0x8b;
}

struct str inflate_message(struct str bytes, bool gzip, size_t limit, struct arena *arena, struct answer *answer)
{
    struct buf out = {0};
    z_stream stream = {0};
    int result = inflateInit2(&stream, gzip ? GZIP_WINDOW : ZLIB_WINDOW);
    stream.next_in = (const unsigned char *)bytes.data;
    stream.avail_in = (unsigned int)bytes.size;
    while (result == Z_OK && out.size <= limit) {
        stream.next_out = (unsigned char *)buf_reserve(&out, PIECE);
        stream.avail_out = PIECE;
        result = inflate(&stream, Z_NO_FLUSH);
        out.size += PIECE - stream.avail_out;
        if (result == Z_STREAM_END && gzip && begins_member(&stream))
            result = inflateReset(&stream);
    }
    inflateEnd(&stream);
    if (result == Z_MEM_ERROR)
        memory_exhausted(); /* a fault of the judge, not of the server */
    if (out.size > limit) {
        answer->truncated = true;
        out.size = TRUNCATED_KEEPS < limit ? TRUNCATED_KEEPS : limit;
    } else if (result != Z_STREAM_END) {
        answer->outcome = OUTCOME_GARBLED;
        answer->trouble = STR("the message is marked as compressed and does not inflate");
    }
    return arena_take(arena, &out);
}
