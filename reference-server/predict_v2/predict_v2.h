/* Predict Protocol V2 (000; gRPC also 001): its endpoints over REST and over gRPC. Each file is a section of the
 * document. */
#ifndef PREDICT_V2_PREDICT_V2_H
#define PREDICT_V2_PREDICT_V2_H

#include "grpc/rpc.h"
#include "http/http.h"
#include "models/repository.h"

enum grpc_output { GRPC_OUTPUT_RAW, GRPC_OUTPUT_TYPED, GRPC_OUTPUT_MIRROR };

/* What every endpoint knows; the context of both transports points to it. */
struct predict_v2 {
    struct repository *repository;
    const char *name; /* server metadata */
    const char *version;
    const char *const *extensions;
    size_t extension_count;
    enum grpc_output grpc_output;
    bool health_bodies; /* dialect kserve: {"live":true} and the like in the answers of REST's health endpoints */
};

/* Answers any HTTP request whose path lies under /v2; others too, with 404 and the error body. */
void predict_v2_rest(struct http_request *request);

/* Frees what predict_v2_rest keeps with a worker (http_options.worker_end). */
void predict_v2_rest_end(void *kept);

/* The error body of 000 ({"error": message}), for faults found by the transport. */
void predict_v2_error_body(struct buf *out, int status, const char *message);

extern const struct rpc_method predict_v2_methods[];
extern const size_t predict_v2_method_count;

#endif
