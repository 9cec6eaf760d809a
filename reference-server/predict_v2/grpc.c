/* V2 over gRPC (000, "GRPC"): the table of methods. */
#include "predict_v2/grpc.h"

#include "base/search.h"
#include "predict_v2/grpc_decode.h"

#include <inference.pb-c.h>

/* The published messages of a method's request and answer. */
#define MESSAGES(name) &inference__##name##_request__descriptor, &inference__##name##_response__descriptor

/* A method that is not in this table is answered with UNIMPLEMENTED by the transport. v2-grpc.method-unknown */
static const struct rpc_method methods[] = {
    {.name = "ServerLive", .handle = grpc_server_live, MESSAGES(server_live)},
    {.name = "ServerReady", .handle = grpc_server_ready, MESSAGES(server_ready)},
    {.name = "ModelReady", .handle = grpc_model_ready, MESSAGES(model_ready), .model_field = 1},
    {.name = "ServerMetadata", .handle = grpc_server_metadata, MESSAGES(server_metadata)},
    {.name = "ModelMetadata", .handle = grpc_model_metadata, MESSAGES(model_metadata), .model_field = 1},
    {.name = "ModelInfer",
     .handle = grpc_model_infer,
     MESSAGES(model_infer),
     .model_field = 1,
     .aligned = grpc_data_begins},
    {.name = "ModelStreamInfer",
     .handle = grpc_model_stream_infer,
     .request = &inference__model_infer_request__descriptor,
     .answer = &inference__model_stream_infer_response__descriptor,
     .model_field = 1,
     .stream = &grpc_infer_stream},
    {.name = "ModelConfig", .handle = grpc_model_config, MESSAGES(model_config), .model_field = 1},
    {.name = "ModelStatistics", .handle = grpc_model_statistics, MESSAGES(model_statistics), .model_field = 1},
    {.name = "RepositoryIndex", .handle = grpc_repository_index, MESSAGES(repository_index)},
    {.name = "RepositoryModelLoad", .handle = grpc_repository_load, MESSAGES(repository_model_load), .model_field = 2},
    {.name = "RepositoryModelUnload",
     .handle = grpc_repository_unload,
     MESSAGES(repository_model_unload),
     .model_field = 2},
};

const struct rpc_service predict_v2_grpc = {
    .name = "inference.GRPCInferenceService",
    .profile = "v2-grpc",
    .methods = methods,
    .method_count = COUNT_OF(methods),
};
