/* A message of HTTP/1, a request or an answer, that is read piece by piece as it comes. The parser is libhttp-parser's:
 * the judge accepts as HTTP what it accepts. */
#pragma once

#include "base/buf.h"
#include "client/answer.h"

#include <http_parser.h>

struct http1 {
    struct arena *arena; /* for the headers; the owner sets it, and these: */
    size_t limit;        /* bytes of the body that are kept */
    bool has_no_body;    /* an answer to HEAD */

    struct header_list headers; /* with the trailers behind them */
    struct buf target;          /* of a request, as it was sent */
    struct buf body;
    bool is_truncated;     /* the body is longer than `limit` */
    bool is_head_complete; /* the head has come as a whole */
    bool is_complete;      /* so has the message; the bytes behind it are not read */
    http_parser parser;    /* the method, the status and the version */

    /* Internal: */
    struct buf name, value;
    bool in_value;
};

/* Begins a message; what the owner sets stays. http1_free releases its buffers. */
void http1_begin(struct http1 *message, enum http_parser_type type);

/* Reads bytes, or none at the end of the connection. Returns how many it took; of a message that breaks off, it says
 * there that it took one. */
size_t http1_read(struct http1 *message, struct str bytes);

/* Why the bytes are no HTTP, or HPE_INVALID_EOF_STATE if the message broke off; HPE_OK. */
enum http_errno http1_error(const struct http1 *message);

void http1_free(struct http1 *message);
