#include "client/frames.h"

#include "client/transport.h"
#include <string.h>

enum { HEADERS = 1, SETTINGS = 4, GOAWAY = 7, CONTINUATION = 9 };
enum { END_HEADERS = 4, PADDED = 8 };

#define HEAD        ((size_t)9)
#define PAYLOAD_MAX ((size_t)16 * 1024) /* bytes behind the head of a frame that the core takes */

static size_t payload_size(const unsigned char *head)
{
    return (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
}

/* --- A block that is held back --- */

/* Writes the frames of a block as one, without its padding. Returns its size, or 0 if they are not one frame's. */
static size_t join(const unsigned char *held, size_t size, unsigned char *out)
{
    bool padded = held[4] & PADDED;
    size_t first = payload_size(held), padding = padded && first > 0 ? (size_t)held[HEAD] + 1 : 0;
    if (padding > first || (padded && first == 0))
        return 0;
    size_t joined = first - padding;
    memcpy(out, held, HEAD);
    memcpy(out + HEAD, held + HEAD + padded, joined);
    for (size_t at = HEAD + first; at < size; at += HEAD + payload_size(held + at)) {
        if (memcmp(held + at + 5, held + 5, 4) != 0) /* it is of another stream */
            return 0;
        memcpy(out + HEAD + joined, held + at + HEAD, payload_size(held + at));
        joined += payload_size(held + at);
    }
    for (size_t i = 0; i < 3; i++)
        out[i] = (unsigned char)(joined >> (16 - 8 * i));
    out[4] = (unsigned char)((out[4] | END_HEADERS) & ~PADDED);
    return joined <= PAYLOAD_MAX ? HEAD + joined : 0;
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

/* The head of a frame has come. */
static const char *begin(struct frames *frames, char *out, size_t *written)
{
    int kind = frames->head[3];
    bool ends = frames->head[4] & END_HEADERS;
    frames->rest = payload_size(frames->head);
    frames->head_size = 0;
    if (!frames->begun && kind != SETTINGS)
        return "the server does not speak HTTP/2";
    frames->begun = true;
    frames->says_goaway |= kind == GOAWAY;
    if (frames->holds && kind != CONTINUATION)
        release(frames, out, written);
    frames->holds |= kind == HEADERS && (!ends || frames->head[4] & PADDED);
    frames->ends = frames->holds && ends;
    pass(frames, frames->head, HEAD, out, written);
    if (kind != HEADERS && kind != CONTINUATION)
        return NULL;
    frames->block += HEAD + frames->rest;
    if (frames->block > ANSWER_HEADERS_MAX)
        return "the headers do not end";
    if (ends)
        frames->block = 0;
    return NULL;
}

const char *frames_pass(struct frames *frames, struct str bytes, char *out, size_t *written)
{
    const char *fault = NULL;
    *written = 0;
    for (size_t at = 0; at < bytes.size && fault == NULL;) {
        size_t step = bytes.size - at < frames->rest ? bytes.size - at : frames->rest;
        pass(frames, bytes.data + at, step, out, written);
        frames->rest -= step;
        at += step;
        if (at < bytes.size && !(frames->rest == 0 && frames->ends))
            frames->head[frames->head_size++] = (unsigned char)bytes.data[at++];
        if (frames->head_size == HEAD)
            fault = begin(frames, out, written);
        if (frames->rest == 0 && frames->ends)
            release(frames, out, written);
    }
    return fault;
}
