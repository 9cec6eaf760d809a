/* Deadlines of the HTTP transport. */
#pragma once

#include "http/exchange.h"

/* Starts the watch: a thread that shuts the connection of a worker whose body does not come in time. civetweb's own
 * time-out does not suffice, because it starts again with each byte. */
struct status http_watch_start(struct http_server *server, struct arena *arena);
void http_watch_stop(struct http_server *server);

/* Waits until the client leaves or the server stops. */
void http_hang(struct http_exchange *exchange);
