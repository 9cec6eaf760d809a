/* Unloading a model over gRPC (001, "RepositoryModelUnload"). The answer comes when new requests are refused; requests
 * in flight may still run. */
#include "predict_v2/grpc_repository.h"

/* repository-grpc.unload repository-grpc.unload-again repository-grpc.unload-known repository-grpc.unload-name-required
 * repository-grpc.unload-repository repository-grpc.unload-in-flight repository-grpc.index-unloading
 * repository-grpc.unload-dependents repository-grpc.unload-dependents-boolean */
void grpc_repository_unload(struct rpc_call *call)
{
    grpc_change_models(call, ORDER_UNLOAD);
}
