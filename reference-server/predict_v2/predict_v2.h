/* Predict Protocol V2 (000; gRPC also 001): a service over REST and over gRPC.
 *
 * rest.c and grpc.c are the two tables of endpoints. Each endpoint has a file that is named after its transport and the
 * section of the document (rest_model_metadata.c, grpc_model_metadata.c); beside them lie the parts that endpoints of
 * one transport share. */
#ifndef PREDICT_V2_PREDICT_V2_H
#define PREDICT_V2_PREDICT_V2_H

#include "services/service.h"

/* What every endpoint knows: the context of both transports. */
struct predict_v2 {
    struct repository *repository;
    const char *name; /* server metadata */
    const char *version;
    enum grpc_output grpc_output;
    bool health_bodies; /* dialect kserve: {"live":true} and the like in the answers of REST's health endpoints */
};

void *predict_v2_open(const struct shared *shared, struct arena *arena);

extern const struct http_service predict_v2_rest;
extern const struct rpc_service predict_v2_grpc;

/* The model of that name, if it is ready; the caller releases it. NOT_FOUND (model-known, version-known) or
 * FAILED_PRECONDITION (model-ready); then none is held. */
struct status predict_v2_find_ready(struct repository *repository, struct str name, struct str version,
                                    struct arena *arena, struct model_hold *hold);

/* The same for its metadata, whose requirements are others: metadata-model-known, metadata-version-known. */
struct status predict_v2_find_described(struct repository *repository, struct str name, struct str version,
                                        struct arena *arena, struct model_hold *hold);

#endif
