/* V2 over gRPC (000, "GRPC"): the table of methods. */
#include "predict_v2/grpc.h"

#include <inference.pb-c.h>

/* The published messages of a method's request and answer. */
#define MESSAGES(name) &inference__##name##_request__descriptor, &inference__##name##_response__descriptor

/* A method that is not in this table is answered with UNIMPLEMENTED by the transport. v2-grpc.method-unknown */
static const struct rpc_method methods[] = {
    {"ServerLive", grpc_server_live, MESSAGES(server_live), 0, NULL},
    {"ServerReady", grpc_server_ready, MESSAGES(server_ready), 0, NULL},
    {"ModelReady", grpc_model_ready, MESSAGES(model_ready), 1, NULL},
    {"ServerMetadata", grpc_server_metadata, MESSAGES(server_metadata), 0, NULL},
    {"ModelMetadata", grpc_model_metadata, MESSAGES(model_metadata), 1, NULL},
    {"ModelInfer", grpc_model_infer, MESSAGES(model_infer), 1, NULL},
    {"ModelStreamInfer", grpc_model_stream_infer, &inference__model_infer_request__descriptor,
     &inference__model_stream_infer_response__descriptor, 1, &grpc_infer_stream},
    {"ModelConfig", grpc_model_config, MESSAGES(model_config), 1, NULL},
    {"ModelStatistics", grpc_model_statistics, MESSAGES(model_statistics), 1, NULL},
    {"RepositoryIndex", grpc_repository_index, MESSAGES(repository_index), 0, NULL},
    {"RepositoryModelLoad", grpc_repository_load, MESSAGES(repository_model_load), 2, NULL},
    {"RepositoryModelUnload", grpc_repository_unload, MESSAGES(repository_model_unload), 2, NULL},
};

static const char *const extensions[] = {
    "classification-grpc", "model-configuration-grpc", "repository-grpc", "schedule-grpc",
    "sequence-grpc",       "statistics-grpc",          "streaming-grpc",  NULL};

const struct rpc_service predict_v2_grpc = {
    .name = "inference.GRPCInferenceService",
    .profile = "v2-grpc",
    .extensions = extensions,
    .methods = methods,
    .method_count = sizeof(methods) / sizeof(methods[0]),
};
