#include "client/frames.h"

#include "client/frame.h"
#include "client/transport.h"
#include <string.h>

#define PAYLOAD_MAX ((size_t)16 * 1024) /* bytes behind the head of a frame that the core takes */

/* --- A block that is held back --- */

/* Writes the frames of a block as one, without its padding. Returns its size, or 0 if they are not one frame's. */
static size_t join(const unsigned char *held, size_t size, unsigned char *out)
{
    bool padded = held[4] & FRAME_PADDED;
    size_t first = frame_size(held), padding = padded && first > 0 ? (size_t)held[FRAME_HEAD] + 1 : 0;
    if (padding > first || (padded && first == 0))
        return 0;
    size_t joined = first - padding;
    memcpy(out, held, FRAME_HEAD);
    memcpy(out + FRAME_HEAD, held + FRAME_HEAD + padded, joined);
    for (size_t at = FRAME_HEAD + first; at < size; at += FRAME_HEAD + frame_size(held + at)) {
        if (memcmp(held + at + 5, held + 5, 4) != 0) /* it is of another stream */
            return 0;
        memcpy(out + FRAME_HEAD + joined, held + at + FRAME_HEAD, frame_size(held + at));
        joined += frame_size(held + at);
    }
    frame_set_size(out, joined);
    out[4] = (unsigned char)((out[4] | FRAME_END_HEADERS) & ~FRAME_PADDED);
    return joined <= PAYLOAD_MAX ? FRAME_HEAD + joined : 0;
}

/* Passes what is held back: as one frame if the block has come as a whole. */
static void release(struct frames *frames, char *out, size_t *written)
{
    size_t joined =
        frames->ends ? join((unsigned char *)frames->held, frames->held_size, (unsigned char *)out + *written) : 0;
    if (joined == 0)
        memcpy(out + *written, frames->held, frames->held_size);
    *written += joined > 0 ? joined : frames->held_size;
    frames->held_size = 0;
    frames->holds = frames->ends = false;
}

static void pass(struct frames *frames, const void *bytes, size_t size, char *out, size_t *written)
{
    if (frames->holds && size > FRAMES_HELD - frames->held_size) {
        frames->ends = false;
        release(frames, out, written);
    }
    char *to = frames->holds ? frames->held : out;
    size_t *end = frames->holds ? &frames->held_size : written;
    memcpy(to + *end, bytes, size);
    *end += size;
}

/* --- All frames --- */

static bool is_padded_data(const struct frames *frames)
{
    return frames->head[3] == FRAME_DATA && frames->head[4] & FRAME_PADDED && frame_size(frames->head) > 0;
}

/* Whether all of a head has come that says how much passes. */
static bool has_head(const struct frames *frames)
{
    return frames->head_size == FRAME_HEAD + 1 || (frames->head_size == FRAME_HEAD && !is_padded_data(frames));
}

/* The head of padded DATA has come: it loses its padding, unless that is longer than the frame (RFC 9113, 6.1). */
static void begin_padded(struct frames *frames, struct credit *credit, char *out, size_t *written)
{
    size_t padding = frames->head[FRAME_HEAD];
    if (padding >= frames->rest) {
        frames->rest--;
        pass(frames, frames->head, FRAME_HEAD + 1, out, written);
        return;
    }
    frames->rest -= 1 + padding;
    frames->padding = padding;
    frames->head[4] &= (unsigned char)~FRAME_PADDED;
    frame_set_size(frames->head, frames->rest);
    credit_padding(credit, frame_stream(frames->head), 1 + padding);
    pass(frames, frames->head, FRAME_HEAD, out, written);
}

/* The head of a frame has come. */
static const char *begin(struct frames *frames, struct credit *credit, char *out, size_t *written)
{
    int kind = frames->head[3], flags = frames->head[4];
    bool ends = flags & FRAME_END_HEADERS;
    frames->rest = frame_size(frames->head);
    frames->head_size = 0;
    if (!frames->begun && kind != FRAME_SETTINGS)
        return "the server does not speak HTTP/2";
    frames->begun = true;
    frames->says_goaway |= kind == FRAME_GOAWAY;
    if (kind == FRAME_RST_STREAM || (flags & FRAME_END_STREAM && (kind == FRAME_DATA || kind == FRAME_HEADERS)))
        credit_end(credit, frame_stream(frames->head));
    if (frames->holds && kind != FRAME_CONTINUATION)
        release(frames, out, written);
    if (is_padded_data(frames)) {
        begin_padded(frames, credit, out, written);
        return NULL;
    }
    frames->holds |= kind == FRAME_HEADERS && (!ends || flags & FRAME_PADDED);
    frames->ends = frames->holds && ends;
    pass(frames, frames->head, FRAME_HEAD, out, written);
    if (kind != FRAME_HEADERS && kind != FRAME_CONTINUATION)
        return NULL;
    frames->block += FRAME_HEAD + frames->rest;
    if (frames->block > ANSWER_HEADERS_MAX)
        return "the headers do not end";
    if (ends)
        frames->block = 0;
    return NULL;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

const char *frames_pass(struct frames *frames, struct credit *credit, struct str bytes, char *out, size_t *written)
{
    const char *fault = NULL;
    *written = 0;
    for (size_t at = 0; at < bytes.size && fault == NULL;) {
        size_t step = least(bytes.size - at, frames->rest);
        pass(frames, bytes.data + at, step, out, written);
        frames->rest -= step;
        at += step;
        size_t skipped = least(bytes.size - at, frames->padding);
        frames->padding -= skipped;
        at += skipped;
        if (at < bytes.size && !(frames->rest == 0 && frames->ends))
            frames->head[frames->head_size++] = (unsigned char)bytes.data[at++];
        if (has_head(frames))
            fault = begin(frames, credit, out, written);
        if (frames->rest == 0 && frames->ends)
            release(frames, out, written);
    }
    return fault;
}
