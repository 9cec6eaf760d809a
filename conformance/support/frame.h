/* A frame of HTTP/2 (RFC 9113, 4.1 and 6): nine bytes that say its size, kind, flags and stream, and its payload. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FRAME_HEAD ((size_t)9)

enum {
    FRAME_DATA = 0,
    FRAME_HEADERS = 1,
    FRAME_RST_STREAM = 3,
    FRAME_SETTINGS = 4,
    FRAME_PING = 6,
    FRAME_GOAWAY = 7,
    FRAME_WINDOW_UPDATE = 8,
    FRAME_CONTINUATION = 9,
};

enum { SETTING_MAX_FRAME_SIZE = 5, FRAME_MAX_AT_FIRST = 16384 }; /* the size of payloads until SETTINGS say another */

enum { FRAME_END_STREAM = 1, FRAME_ACK = 1, FRAME_END_HEADERS = 4, FRAME_PADDED = 8 };

/* Returns "HEADERS"; NULL if the RFC has no kind of that number. */
const char *frame_name(unsigned kind);

static inline size_t frame_size(const unsigned char *head) /* of its payload */
{
    return (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
}

static inline uint32_t frame_stream(const unsigned char *head)
{
    return ((uint32_t)head[5] << 24 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 8 | head[8]) & INT32_MAX;
}
