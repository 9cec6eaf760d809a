/* The services: what this server speaks. A protocol is a folder and a row of the table in ../services.c; whatever else
 * there is (ports, threads, models, deviations, the drain) knows services, and no protocol. */
#ifndef SERVICES_SERVICE_H
#define SERVICES_SERVICE_H

#include "grpc/rpc.h"
#include "http/http.h"
#include "models/repository.h"
#include "services/options.h"

/* What a service can draw on. It lives as long as the server. */
struct shared {
    struct repository *repository;
    const struct options *options;
    const char *name, *version; /* of the server, as its metadata says them */
};

struct service {
    const char *name; /* "predict-v2" */

    /* Makes what the handlers get as their context, in the arena. NULL: there is no memory. */
    void *(*open)(const struct shared *shared, struct arena *arena);

    const struct http_service *http; /* NULL: not over HTTP */
    const struct rpc_service *grpc;  /* NULL: not over gRPC */
};

/* In this order: a path that is no service's goes to the first of its listener. */
extern const struct service services[];
extern const size_t service_count;

#endif
