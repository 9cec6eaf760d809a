/* Growing bytes, for whatever is written piece by piece. An allocation that fails sets `failed` and drops what does not
 * fit; the writer goes on and the owner looks once, at the end. A program that has no use for that sets buf_exhausted,
 * which is called instead and must not return (the judge ends there; the server never sets it). */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data; /* malloc'ed; owned */
    size_t size, capacity;
    bool failed;
};

extern void (*buf_exhausted)(void); /* NULL; set before threads start */

void buf_free(struct buf *buf);                         /* frees and empties */
void buf_clear(struct buf *buf);                        /* empties, keeps the memory */
char *buf_reserve_slowly(struct buf *buf, size_t size); /* buf_reserve where memory must grow first */
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for `size` more bytes at data+size; NULL on failure. */
static inline char *buf_reserve(struct buf *buf, size_t size)
{
    /* Where more would fit, there is memory: one comparison for both, and what fits exactly goes the slow way. */
    return buf->capacity - buf->size > size ? buf->data + buf->size : buf_reserve_slowly(buf, size);
}

static inline void buf_append(struct buf *buf, const void *bytes, size_t size)
{
    char *room = size ? buf_reserve(buf, size) : NULL;
    if (!room)
        return;
    memcpy(room, bytes, size);
    buf->size += size;
}

static inline void buf_append_str(struct buf *buf, struct str s)
{
    buf_append(buf, s.data, s.size);
}

static inline void buf_append_byte(struct buf *buf, char byte)
{
    buf_append(buf, &byte, 1);
}

#define buf_append_literal(buf, literal) buf_append((buf), "" literal, sizeof(literal) - 1)

static inline struct str buf_str(const struct buf *buf)
{
    return (struct str){buf->data, buf->size};
}

#endif
