/* The server as a whole: its models, its services and their transports. */
#pragma once

#include "services/service.h"
#include "tls/tls.h"

#define VERSION "0.1.0"

/* How many connections the system lets this process have: each is an open file. */
struct descriptors {
    size_t http;         /* connections of HTTP that are served at once */
    size_t http_waiting; /* further ones that are accepted and wait */
    size_t grpc;         /* connections of gRPC */
};

struct server {
    struct options options;
    struct shared shared;
    struct tls *tls;
    struct http_options http_options;
    struct rpc_options rpc_options;
    struct descriptors descriptors;
    struct http_server *http;
    struct rpc_server *rpc;
};

/* Starts all that the options ask for. Models load in the background, so the ports are open before they are ready. */
struct status server_start(struct server *server, struct arena *arena);

/* Ends what was started. Returns how many models are still held by requests although none runs: a bug if not 0. */
size_t server_stop(struct server *server);

/* Raises the limit of open files (RLIMIT_NOFILE) to what this process may have, and shares it: HTTP gets what it wants,
 * but at most half, so that neither transport takes the other's. Fails with FAILED_PRECONDITION if the limit is too
 * small for a server. (descriptors.c) */
struct status descriptors_share(size_t http_wanted, struct arena *arena, struct descriptors *shares);

/* The end of a server: requests that have begun are finished. From now on, refuses new inference with UNAVAILABLE,
 * answers "not ready", and tells the clients of `rpc`, which may be NULL, to leave. Then waits until no request is in
 * flight on any transport. Returns false if some still are after `seconds`. (drain.c) */
bool drain(struct rpc_server *rpc, double seconds);

/* --- Memory follows the load (trim.c) --- malloc keeps what is freed, so that after a crowd of large requests the
 * process would stay as large as they were together. */

/* Has malloc take each large block from the system, so that it goes back when it is freed. Otherwise malloc would learn
 * from the first large blocks to keep such sizes, in an arena of each of hundreds of threads. To be called first. */
void trim_begin(void);

/* Gives memory that is free back to the system, if there is much of it. To be called about once a second, by one
 * thread. What is given back each time is so little of what a busy server uses in a second that large requests do not
 * get slower. */
void trim_memory(void);
