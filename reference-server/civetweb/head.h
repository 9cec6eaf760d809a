/* Empty lines before a request. When civetweb 1.15 looks for the end of a head, the first empty line ends it; but when
 * it parses the head, it skips all empty lines before the request line. So after two of them it believes that the body
 * begins at the head. It would then serve the end of the body as another request, and may even parse what an earlier
 * connection left in its memory. It does not say how much it has skipped, so this file notes where civetweb reads. */
#pragma once

#include <civetweb.h>
#include <stdbool.h>
#include <stddef.h>

#define HTTP_HEAD_MAX 131072 /* bytes of request line and headers; 64 kB of headers still get a proper answer */

/* Must be called before each read of civetweb, also over TLS: up to `size` bytes are read to `to`. */
void http_head_comes(const void *to, size_t size);

/* Returns how many reads the last head on this thread took: 0 if it came together with the request before it. Must be
 * called once for each head. */
size_t http_head_reads(void);

/* Whether the last read on this thread found the end of the connection. */
bool http_head_is_at_end(void);

/* Whether the request line that civetweb has found on this thread is the first line, or the second after an empty one
 * (RFC 9112, section 2.2). If not, nothing that civetweb says of the request is reliable, and its connection must
 * close. */
bool http_head_is_first(const char *request_line);

/* Whether the last header ends with CRLF, and an empty line follows it. civetweb uses one rule to find the end of the
 * head, and another one to parse the headers. The two find different ends after a line that ends with LF alone, after a
 * header that continues on the next line, and after an empty line before the headers. Then the body would begin at
 * another place and have another length, so nothing that civetweb says of the request is reliable. */
bool http_head_ends_as_it_must(const struct mg_request_info *info);

/* Whether one empty line precedes the request line. */
bool http_head_is_behind_empty_line(const char *request_line);
