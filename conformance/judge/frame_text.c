#include "judge/frame_text.h"

#include "support/frame.h"

#define SHOWN 64 /* bytes of a frame's payload */

static void append_hex(struct buf *out, struct str bytes)
{
    buf_append_str(out, bytes.size ? STR(":") : STR(""));
    for (size_t i = 0; i < bytes.size && i < SHOWN; i++)
        buf_printf(out, "%s%02x", i % 4 ? "" : " ", (unsigned char)bytes.data[i]);
    buf_append_str(out, bytes.size > SHOWN ? STR(" ...") : STR(""));
}

/* Appends the frame at the beginning of the bytes, which hold its head, and returns how many of them it has. */
static size_t append_frame(struct buf *out, struct str bytes)
{
    const unsigned char *head = (const unsigned char *)bytes.data;
    size_t size = frame_size(head);
    struct str payload = str_from(bytes, FRAME_HEAD);
    if (frame_name(head[3]))
        buf_append_str(out, str_of(frame_name(head[3])));
    else
        buf_printf(out, "a frame of kind %d", head[3]);
    buf_printf(out, " flags %02x stream %u, %zu bytes", head[4], frame_stream(head), size);
    if (payload.size > size)
        payload.size = size;
    append_hex(out, payload);
    if (payload.size < size)
        buf_printf(out, ", of which only %zu follow", payload.size);
    return FRAME_HEAD + payload.size;
}

void frame_text_append(struct str bytes, const char *begin, const char *end, struct buf *out)
{
    static const struct str preface = STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    if (str_starts(bytes, preface)) {
        buf_printf(out, "%sthe preface of HTTP/2%s", begin, end);
        bytes = str_from(bytes, preface.size);
    }
    while (bytes.size >= FRAME_HEAD) {
        buf_append_str(out, str_of(begin));
        bytes = str_from(bytes, append_frame(out, bytes));
        buf_append_str(out, str_of(end));
    }
    if (bytes.size) {
        buf_printf(out, "%s%zu bytes that are no frame", begin, bytes.size);
        append_hex(out, bytes);
        buf_append_str(out, str_of(end));
    }
}
