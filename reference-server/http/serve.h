/* The way of a request: from civetweb's call to the answer. */
#pragma once

#include "http/exchange.h"

/* Serves one request of a connection. Returns the status of its answer. */
int http_serve(struct mg_connection *connection);

/* Answers a request that civetweb refuses before http_serve sees it. Returns 0: the answer is sent. */
int http_serve_fault(struct mg_connection *connection, int status, const char *message);
