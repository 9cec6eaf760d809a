/* A buf: bytes that grow while something is written piece by piece. The owner frees it with buf_free.
 *
 * If an allocation fails, the buf sets `failed` and drops what does not fit. The writer may go on; the owner checks
 * `failed` once, at the end. A program that cannot use this sets buf_exhausted, which is then called instead and must
 * not return. The judge ends there; the server never sets it. */
#pragma once

#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lease;

struct buf {
    char *data; /* from malloc; the buf owns it */
    size_t size, capacity;
    struct lease *lease; /* pays for the memory (base/budget.h); may be NULL; is set while there is no memory */
    bool failed;
};

extern void (*buf_exhausted)(void); /* NULL by default; a program sets it before it starts threads */

void buf_free(struct buf *buf);  /* frees the memory; the buf is empty then, and keeps its lease */
void buf_clear(struct buf *buf); /* empties the buf and keeps its memory */
char *buf_reserve_slowly(struct buf *buf, size_t size); /* does the work of buf_reserve when the memory must grow */
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns room for `size` more bytes at data+size, or NULL on failure. It does not change `size`. */
static inline char *buf_reserve(struct buf *buf, size_t size)
{
    /* One comparison checks both that there is memory and that more than `size` bytes fit. An exact fit is rare and
     * takes the slow way. */
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
