/* Loading a model over gRPC (001, "RepositoryModelLoad"). A model that is served already is loaded again. */
#include "predict_v2/grpc_repository.h"

/* repository-grpc.load repository-grpc.load-again repository-grpc.load-known repository-grpc.load-name-required
 * repository-grpc.load-inside repository-grpc.load-broken repository-grpc.load-failed-keeps
 * repository-grpc.load-repository repository-grpc.refused-changes-nothing repository-grpc.load-config
 * repository-grpc.load-config-valid repository-grpc.load-files repository-grpc.load-file-valid
 * repository-grpc.load-file-inside repository-grpc.parameter-unknown */
void grpc_repository_load(struct rpc_call *call)
{
    grpc_change_models(call, ORDER_LOAD);
}
