/* The server as a whole: its models, its services and their transports. */
#pragma once

#include "descriptors.h"
#include "services/service.h"
#include "tls/tls.h"

#define VERSION "0.1.0"

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
