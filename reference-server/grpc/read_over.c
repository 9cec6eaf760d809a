#include "grpc/read_over.h"

#define PREFACE_SIZE ((size_t)NGHTTP2_CLIENT_MAGIC_LEN)
#define OTHER_KINDS  10
#define PING_SIZE    8

/* RFC 9113, 4.1 */
static bool is_read_over(const struct read_over *at, uint32_t kinds)
{
    unsigned kind = at->head[3] < OTHER_KINDS ? at->head[3] : OTHER_KINDS;
    bool is_on_a_stream = at->head[5] || at->head[6] || at->head[7] || at->head[8];
    bool is_right_ping = kind == NGHTTP2_PING && at->rest == PING_SIZE && !is_on_a_stream;
    return at->preface > PREFACE_SIZE && kinds & 1U << kind && !is_right_ping;
}

ssize_t read_over_receive(struct read_over *at, uint32_t kinds, nghttp2_session *session, const uint8_t *bytes,
                          size_t size)
{
    ssize_t result = 0;
    for (size_t i = 0, step; i < size && result >= 0; i += step) {
        step = 1;
        if (at->preface < PREFACE_SIZE) {
            at->preface++;
            result = nghttp2_session_mem_recv(session, bytes + i, 1);
        } else if (at->rest > 0) {
            step = size - i < at->rest ? size - i : at->rest;
            at->rest -= step;
            if (!at->is_dropped)
                result = nghttp2_session_mem_recv(session, bytes + i, step);
        } else {
            at->head[at->head_size++] = bytes[i];
            if (at->head_size < sizeof(at->head))
                continue;
            at->head_size = 0;
            at->rest = (size_t)at->head[0] << 16 | (size_t)at->head[1] << 8 | at->head[2];
            at->is_dropped = is_read_over(at, kinds);
            at->preface = PREFACE_SIZE + 1; /* the first frame has begun */
            if (!at->is_dropped)
                result = nghttp2_session_mem_recv(session, at->head, sizeof(at->head));
        }
    }
    return result;
}
