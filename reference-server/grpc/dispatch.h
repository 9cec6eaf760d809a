/* Has methods called: takes what a session tells of requests, finds the method, and calls it when its message is ready,
 * or refuses. Then the answer goes into the same write as the other answers of this turn, if the handler answers at
 * once. Otherwise the answer, which any thread may give, is posted to the loop. */
#pragma once

#include "grpc/call.h"

/* For http2_open and struct calls. */
extern const struct session_handler dispatch_handler;
void dispatch_ready(struct server_call *call, struct status status);
void dispatch_retry(struct timer *timer);

/* Tells the calls of a connection that the server is to end, and then its client. */
void dispatch_drain(struct peer *peer);
