/* A message of HTTP/1, a request or an answer, that is read piece by piece as it comes. The parser is libhttp-parser:
 * what it accepts is HTTP for the judge. */
#pragma once

#include "base/buf.h"
#include "client/answer.h"

#include <http_parser.h>

struct http1 {
    struct arena *arena; /* for the headers; the owner sets it, and these: */
    size_t limit;        /* bytes of the body that are kept */
    bool has_no_body;    /* an answer to HEAD */

    struct header_list headers; /* with the trailers after them */
    struct buf target;          /* of a request, as it was sent */
    struct buf body;
    bool is_truncated;     /* the body is longer than `limit` */
    bool is_head_complete; /* the head has come as a whole */
    bool is_complete;      /* the message has ended; the bytes after it are not read */
    http_parser parser;    /* the method, the status and the version */

    /* Internal: */
    struct buf name, value;
    bool in_value;
};

/* Begins a message, and keeps the members that the owner sets. http1_free frees the buffers. */
void http1_begin(struct http1 *message, enum http_parser_type type);

/* Reads bytes; no bytes mean the end of the connection. Returns how many it has read. If the end breaks the message
 * off, it returns 1 although there was no byte, as the parser does. */
size_t http1_read(struct http1 *message, struct str bytes);

/* Why the bytes are no HTTP, or HPE_INVALID_EOF_STATE if the message broke off; HPE_OK. */
enum http_errno http1_error(const struct http1 *message);

void http1_free(struct http1 *message);
