/* What holds others up gives way. Each connection holds a worker; when all workers are taken, those connections are
 * ended on which nothing happens, which take too long for the head of a request or for the handshake of TLS, whose body
 * drips, or whose answer is taken in drips, so that those behind them are served (RFC 9112, section 9.5: a server may
 * close an idle connection at any time). */
#ifndef HTTP_CROWD_H
#define HTTP_CROWD_H

#include "http/exchange.h"

/* While others wait, a client must send its body, and take its answer, faster than this. */
#define HTTP_SLOW_AFTER 5.0           /* seconds, of an answer */
#define HTTP_SLOW_BODY  1.0           /* seconds, of a body */
#define HTTP_SLOW_RATE  (16.0 * 1024) /* bytes a second */

/* The worker has a new connection, or has none any more. `info` may be NULL. */
void http_crowd_enter(struct http_worker *worker, const struct mg_request_info *info);
void http_crowd_leave(struct http_worker *worker);

/* The worker begins to serve a request of its connection, or has served it. */
void http_crowd_busy(struct http_worker *worker, const struct mg_request_info *info);
void http_crowd_idle(struct http_worker *worker);

/* Says whether all workers are taken. */
bool http_crowd_is_full(struct http_server *server);

/* Ends what holds others up if no worker is free. To be called a few times a second, by one thread. */
void http_crowd_look(struct http_server *server);
void http_crowd_free(struct http_server *server);

#endif
