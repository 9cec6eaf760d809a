/* Pieces of JSON text, appended to a buf. */
#ifndef JSON_WRITER_H
#define JSON_WRITER_H

#include "base/buf.h"

/* A string with its quotes; control characters, quote and backslash escaped, UTF-8 as it is. `s` must be UTF-8: bytes
 * that are not are written as \ufffd (callers that must not lose anything check str_is_utf8 first). */
void json_write_string(struct buf *out, struct str s);

void json_write_int64(struct buf *out, int64_t value);
void json_write_uint64(struct buf *out, uint64_t value);
void json_write_double(struct buf *out, double value); /* finite */

#endif
