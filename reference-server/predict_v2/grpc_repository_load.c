/* Loading a model over gRPC (001, "RepositoryModelLoad"). A model that is served already is loaded again. */
#include "predict_v2/grpc_repository.h"

typedef V2__RepositoryModelLoadRequest__ParametersEntry Entry;

/* Other parameters are ignored.
 * repository-grpc.load-config repository-grpc.load-config-valid repository-grpc.load-files
 * repository-grpc.load-file-valid repository-grpc.load-file-inside repository-grpc.parameter-unknown */
static struct status take_parameter(struct order *order, const Entry *entry)
{
    struct str name = structs_str(entry->key), path = order_file_path(name);
    const RepositoryParameter *value = entry->value;
    if (path.data)
        return repository_parameter_is(value, V2__MODEL_REPOSITORY_PARAMETER__PARAMETER_CHOICE_BYTES_PARAM)
                   ? order_add_file(order, path, structs_str(value->bytes_param))
                   : order_wrong_kind(order, name, "bytes");
    if (!str_is(name, ORDER_CONFIG))
        return STATUS_IS_OK;
    return repository_parameter_is(value, V2__MODEL_REPOSITORY_PARAMETER__PARAMETER_CHOICE_STRING_PARAM)
               ? order_set_config(order, structs_str(value->string_param))
               : order_wrong_kind(order, name, "a text: a ModelConfig in JSON");
}

static const V2__RepositoryModelLoadResponse answer = V2__REPOSITORY_MODEL_LOAD_RESPONSE__INIT;

/* repository-grpc.load repository-grpc.load-again repository-grpc.load-known repository-grpc.load-name-required
 * repository-grpc.load-inside repository-grpc.load-broken repository-grpc.load-failed-keeps
 * repository-grpc.load-repository repository-grpc.refused-changes-nothing */
void grpc_repository_load(struct rpc_call *call)
{
    const V2__RepositoryModelLoadRequest *request = grpc_request(call, &v2__repository_model_load_request__descriptor);
    if (!request)
        return;
    struct grpc_order *made = grpc_order(call, ORDER_LOAD, request->repository_name, grpc_order_done);
    if (!made)
        return;
    struct status status = STATUS_IS_OK;
    made->answer = &answer.base;
    made->order.model = structs_str(request->model_name);
    for (size_t i = 0; i < request->n_parameters && is_ok(status); i++)
        status = take_parameter(&made->order, request->parameters[i]);
    grpc_give_order(made, status);
}
