/* What stands before a head. civetweb 1.15 takes the first empty line for the end of a head, but reads over all that
 * stand before the request line when it takes the head apart. So behind two of them it has the body begin at the head,
 * and what is left of the body in the end would be served as another request; it even takes apart what an earlier
 * connection left in its memory. It does not say how much it has read over, so where it reads is noted here. */
#pragma once

#include <civetweb.h>
#include <stdbool.h>
#include <stddef.h>

#define HTTP_HEAD_MAX 131072 /* bytes of request line and headers; 64 kB of headers still get a proper answer */

/* To be told of each read of civetweb, over TLS, too, before it happens: up to `size` bytes are read. */
void http_head_comes(const void *to, size_t size);

/* In how many reads the head came that civetweb has read last on this thread: 0 if it came with the request before it.
 * To be asked once for each head. */
size_t http_head_reads(void);

/* Whether the last read on this thread found the end of the connection. */
bool http_head_is_at_end(void);

/* Whether the request line that civetweb has found on this thread stands where its bytes begin, or behind one empty
 * line (RFC 9112, section 2.2). If not, nothing of the request may be believed, and its connection must close. */
bool http_head_is_first(const char *request_line);

/* Whether the last header ends with CRLF, and the head with the empty line behind it. civetweb looks for the end of the
 * head, and takes the headers apart, by two rules: behind a line that ends with LF alone, behind a header that goes on
 * in the next line, or behind an empty line before the headers, they do not find the same end. The body would then
 * begin elsewhere, and its length be another. If not, nothing of the request may be believed. */
bool http_head_ends_as_it_must(const struct mg_request_info *info);

/* Whether that one empty line is there. */
bool http_head_is_behind_empty_line(const char *request_line);
