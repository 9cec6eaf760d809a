/* Writes pieces of JSON text at the end of a buf. */
#pragma once

#include "base/buf.h"

/* Writes a string with its quotes. Control characters, quotes and backslashes are escaped; other UTF-8 is written
 * unchanged. Bytes that are not UTF-8 are written as \ufffd; a caller that must not lose them checks str_is_utf8
 * first. */
void json_write_string(struct buf *out, struct str s);

void json_write_int64(struct buf *out, int64_t value);
void json_write_uint64(struct buf *out, uint64_t value);
void json_write_double(struct buf *out, double value); /* `value` must be finite */
