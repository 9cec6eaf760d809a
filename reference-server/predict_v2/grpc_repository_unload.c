/* Unloading a model over gRPC (001, "RepositoryModelUnload"). The answer comes when new requests are refused; requests
 * in flight may still run. */
#include "predict_v2/grpc_repository.h"

typedef V2__RepositoryModelUnloadRequest__ParametersEntry Entry;

/* No model depends on another one here, so unload_dependents has no effect. Other parameters are ignored.
 * repository-grpc.unload-dependents repository-grpc.unload-dependents-boolean */
static struct status check_parameter(const struct order *order, const Entry *entry)
{
    struct str name = structs_str(entry->key);
    if (!str_is(name, "unload_dependents") ||
        repository_parameter_is(entry->value, V2__MODEL_REPOSITORY_PARAMETER__PARAMETER_CHOICE_BOOL_PARAM))
        return STATUS_IS_OK;
    return order_wrong_kind(order, name, "true or false");
}

static const V2__RepositoryModelUnloadResponse answer = V2__REPOSITORY_MODEL_UNLOAD_RESPONSE__INIT;

/* repository-grpc.unload repository-grpc.unload-again repository-grpc.unload-known repository-grpc.unload-name-required
 * repository-grpc.unload-repository repository-grpc.unload-in-flight repository-grpc.index-unloading */
void grpc_repository_unload(struct rpc_call *call)
{
    const V2__RepositoryModelUnloadRequest *request =
        grpc_request(call, &v2__repository_model_unload_request__descriptor);
    if (!request)
        return;
    struct grpc_order *made = grpc_order(call, ORDER_UNLOAD, request->repository_name, grpc_order_done);
    if (!made)
        return;
    struct status status = STATUS_IS_OK;
    made->answer = &answer.base;
    made->order.model = structs_str(request->model_name);
    for (size_t i = 0; i < request->n_parameters && is_ok(status); i++)
        status = check_parameter(&made->order, request->parameters[i]);
    grpc_give_order(made, status);
}
