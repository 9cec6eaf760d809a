/* The body of a request (http_read_body in http.h reads it). */
#ifndef HTTP_BODY_H
#define HTTP_BODY_H

#include "http/exchange.h"

/* A little body that nobody asked for is read, so that the connection can go on. */
void http_discard_body(struct http_exchange *exchange);

#endif
