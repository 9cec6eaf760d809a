/* reference-server/predict_v2/ serves the Predict Protocol V2 (000; for gRPC also 001) over REST and over gRPC. It may
 * include proto/, http/, grpc/, services/, inference/ and models/; not deviations/, backends/, engine/ or another
 * protocol.
 *
 * rest.c and grpc.c are the two tables of endpoints. Each endpoint, and the model repository with its three, has a file
 * that is named after its transport and its section of the document (rest_model_metadata.c, grpc_model_metadata.c). The
 * other files have the parts that several endpoints share. */
#pragma once

#include "services/service.h"

/* Whether clients may load and unload models. */
static inline bool predict_v2_may_change(const struct shared *shared)
{
    return shared->options->model_control == MODEL_CONTROL_EXPLICIT;
}

/* The names of the extensions that are served, for server metadata. The last one is served only if clients may load and
 * unload models. */
#define PREDICT_V2_EXTENSIONS 10
extern const char *const predict_v2_extensions[PREDICT_V2_EXTENSIONS];

static inline size_t predict_v2_extension_count(const struct shared *shared)
{
    return PREDICT_V2_EXTENSIONS - !predict_v2_may_change(shared);
}

extern const struct http_service predict_v2_rest;
extern const struct rpc_service predict_v2_grpc;

/* Finds the model of that name and holds it, if it is ready; the caller releases it. Fails with NOT_FOUND (model-known,
 * version-known) or FAILED_PRECONDITION (model-ready); then no model is held. */
struct status predict_v2_find_ready(struct repository *repository, struct str name, struct str version,
                                    struct arena *arena, struct model_hold *hold);

/* Says whether the model of that name, if there is one, is decoupled: gives any number of answers. */
bool predict_v2_is_decoupled(struct repository *repository, struct str name, struct str version, struct arena *arena);

/* Does the same, and makes the configuration that config_show shows: config.pbtxt, completed by what the server knows.
 * It lies in the arena and in the memory of the model. */
struct status predict_v2_find_config(struct repository *repository, struct str name, struct str version,
                                     struct arena *arena, struct model_hold *hold, struct model_config *config);

/* Does what predict_v2_find_ready does, for metadata, whose requirements have other names: metadata-model-known,
 * metadata-version-known. */
struct status predict_v2_find_described(struct repository *repository, struct str name, struct str version,
                                        struct arena *arena, struct model_hold *hold);
