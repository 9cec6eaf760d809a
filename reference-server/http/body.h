/* The body of a request. http_read_body (http.h) reads it. */
#pragma once

#include "http/exchange.h"

/* Reads and drops a small body that the handler did not read, so that the connection can go on. */
void http_discard_body(struct http_exchange *exchange);

/* Reads and drops, for a second at most, what a client still sends whose request was refused before its end. Closing at
 * once would reset the connection, and the client might lose the answer. */
void http_linger(struct http_exchange *exchange);
