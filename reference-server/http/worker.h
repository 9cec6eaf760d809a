/* The threads that serve connections, and what each of them keeps from one request to the next. */
#pragma once

#include "http/exchange.h"

/* Makes everything that the workers need before they can answer, in the arena. */
struct status http_workers_make(struct http_server *server, struct arena *arena);

/* To be called when no worker runs any more. */
void http_workers_free(struct http_server *server);

/* For civetweb, on each of its threads: returns the worker of a thread that serves connections, and frees what it has
 * kept when the thread ends. Other kinds of threads have none. */
void *http_worker_begin(const struct mg_context *context, int kind);
void http_worker_end(const struct mg_context *context, int kind, void *worker);

/* Waits until the request of the worker is answered, by whichever thread. */
void http_worker_wait(struct http_worker *worker);

/* Gives the memory of a request back, but for what every request needs. */
void http_worker_clean(struct http_worker *worker);
