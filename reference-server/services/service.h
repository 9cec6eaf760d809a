/* reference-server/services/ describes what a protocol gives to the server, and reads the command line. It may include
 * proto/, http/, grpc/ and models/; no protocol and nothing of inference/.
 *
 * A protocol is a folder and a row of the table in ../services.c. Everything else (ports, threads, models, deviations,
 * the drain) knows services, but no protocol. */
#pragma once

#include "grpc/rpc.h"
#include "http/http.h"
#include "models/repository.h"
#include "services/options.h"

/* What a service can use. It lives as long as the server. */
struct shared {
    struct repository *repository;
    const struct options *options;
    struct str repository_token; /* what clients of the repository must show (token.h); empty: nothing */
    const char *name, *version;  /* name and version of the server, for server metadata */
};

struct service {
    const char *name; /* "predict-v2" */

    /* Makes the context of the handlers, in the arena. Returns NULL without memory. If there is no such function, the
     * context is the struct shared. */
    void *(*open)(const struct shared *shared, struct arena *arena);

    const struct http_service *http; /* NULL if it is not served over HTTP */
    const struct rpc_service *grpc;  /* NULL if it is not served over gRPC */
};

/* The order matters: a path with no known prefix goes to the first service of its listener. */
extern const struct service services[];
extern const size_t service_count;

/* Says whether the options ask for the service of that name. */
bool service_is_wanted(const struct options *options, const char *name);

/* Leaves the endpoints out at which no wanted service lives. Fails with INVALID_ARGUMENT if the options name a service
 * that does not exist, or if no endpoint is left. */
struct status services_choose(struct options *options, struct arena *arena);
