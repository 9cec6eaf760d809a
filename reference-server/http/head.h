/* What stands before a head. civetweb 1.15 takes the first empty line for the end of a head, but reads over all that
 * stand before the request line when it takes the head apart. So behind two of them it has the body begin at the head,
 * and what is left of the body in the end would be served as another request; it even takes apart what an earlier
 * connection left in its memory. It does not say how much it has read over, so where it reads is noted here. */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_HEAD_MAX 131072 /* bytes of request line and headers; 64 kB of headers still get a proper answer */

/* To be told of each read of civetweb, over TLS, too, before it happens: up to `size` bytes are read. */
void http_head_comes(const void *to, size_t size);

/* Whether the request line that civetweb has found on this thread stands where its bytes begin, or behind one empty
 * line (RFC 9112, section 2.2). If not, nothing of the request may be believed, and its connection must close. */
bool http_head_is_first(const char *request_line);

#endif
