/* The end of a server: requests that have begun are finished, and new ones are refused. */
#pragma once

#include <stdbool.h>

struct rpc_server;

/* From now on, refuses new inference with UNAVAILABLE, answers "not ready", and tells the clients of `rpc`, which may
 * be NULL, to leave. Then waits until no request is in flight on any transport. Returns false if some still are after
 * `seconds`. */
bool drain(struct rpc_server *rpc, double seconds);
