/* Writes pieces of JSON text at the end of a buf. */
#pragma once

#include "base/buf.h"

/* Writes a string with its quotes. Control characters, quotes and backslashes are escaped; other UTF-8 is written
 * unchanged. Bytes that are not UTF-8 are written as \ufffd; a caller that must not lose them checks str_is_utf8
 * first. */
void json_write_string(struct buf *out, struct str s);

/* Writes the comma before an element or a member, unless it is the first in its list or object. Writes nothing before
 * the value of a member. */
static inline void json_write_next(struct buf *out)
{
    char last = '[';
    if (out->size > 0)
        last = out->data[out->size - 1];
    if (last != '[' && last != '{' && last != ':')
        buf_append_byte(out, ',');
}

/* Write what precedes the value of a member, and a whole member that is a string. */
void json_write_name(struct buf *out, struct str name);
void json_write_member(struct buf *out, const char *name, struct str value);

void json_write_int64(struct buf *out, int64_t value);
void json_write_uint64(struct buf *out, uint64_t value);
void json_write_double(struct buf *out, double value); /* `value` must be finite */
