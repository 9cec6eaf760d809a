#include "base/buf.h"
#include "base/budget.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_CAPACITY ((size_t)256)

void (*buf_exhausted)(void);

void buf_free(struct buf *buf)
{
    free(buf->data);
    lease_return(buf->lease, buf->capacity);
    *buf = (struct buf){.lease = buf->lease};
}

void buf_clear(struct buf *buf)
{
    buf->size = 0;
    buf->failed = false;
}

static bool grow(struct buf *buf, size_t size)
{
    size_t needed;
    if (__builtin_add_overflow(buf->size, size, &needed) || needed > SIZE_MAX / 2)
        return false;
    if (buf->data && needed <= buf->capacity)
        return true;
    size_t capacity = buf->capacity ? buf->capacity : FIRST_CAPACITY;
    while (capacity < needed)
        capacity *= 2;
    size_t more = capacity - buf->capacity;
    if (!lease_take(buf->lease, more))
        return false;
    char *data = realloc(buf->data, capacity);
    if (!data) {
        lease_return(buf->lease, more);
        if (buf_exhausted)
            buf_exhausted();
        return false;
    }
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

char *buf_reserve_slowly(struct buf *buf, size_t size)
{
    if (grow(buf, size))
        return buf->data + buf->size;
    buf->failed = true;
    return NULL;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *room = size < 0 ? NULL : buf_reserve(buf, (size_t)size + 1);
    if (!room) {
        buf->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(room, (size_t)size + 1, format, arguments);
    va_end(arguments);
    buf->size += (size_t)size;
}
