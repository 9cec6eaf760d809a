/* The answer to a request (http_answer in http.h sets it), on its way out. */
#ifndef HTTP_ANSWER_H
#define HTTP_ANSWER_H

#include "http/exchange.h"

/* Sets the answer to a fault of the transport, in the words of the service; the connection closes after it. */
void http_refuse(struct http_exchange *exchange, int status, const char *message) __attribute__((cold));

/* Writes head and body, and discards what is left of the request's body. */
void http_exchange_end(struct http_exchange *exchange);

#endif
