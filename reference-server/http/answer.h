/* Sends the answer to a request, after http_answer (http.h) has set it. */
#pragma once

#include "http/exchange.h"

/* Sets the answer to a fault of the transport, in the form of the service. The connection closes after it. */
void http_refuse(struct http_exchange *exchange, int status, const char *message) __attribute__((cold));

/* Sends head and body, and reads and drops the rest of the request body. */
void http_exchange_end(struct http_exchange *exchange);
