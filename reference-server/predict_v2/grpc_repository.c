#include "predict_v2/grpc_repository.h"

/* Orders of clients that have left must not fill the queue of the order thread, since no budget counts their memory. */
static bool is_awaited(const struct order *order)
{
    return rpc_is_awaited(order->context);
}

struct order *grpc_order(struct rpc_call *call, enum order_kind kind, ProtobufCBinaryData repository,
                         void (*done)(struct order *order, struct status status))
{
    struct order *order = arena_new_of(call->arena, struct order);
    struct status status = order ? STATUS_IS_OK : status_no_memory();
    if (is_ok(status))
        status = order_is_allowed(call->context, kind, rpc_metadata(call, "authorization"), call->arena);
    if (!is_ok(status)) {
        rpc_refuse(call, status);
        return NULL;
    }
    *order = (struct order){
        .kind = kind,
        .arena = call->arena,
        .repository = structs_str(repository),
        .done = done,
        .is_awaited = is_awaited,
        .context = call,
    };
    return order;
}

void grpc_give_order(struct order *order, struct status status)
{
    struct rpc_call *call = order->context;
    const struct predict_v2 *v2 = call->context;
    if (is_ok(status))
        repository_order(v2->repository, order);
    else
        rpc_refuse(call, status);
}

/* --- To load and to unload --- */

typedef V2__RepositoryModelLoadRequest__ParametersEntry Entry;

static struct status take_parameter(struct order *order, const Entry *entry)
{
    struct order_parameter parameter = {.name = structs_str(entry->key), .bytes_are = "bytes"};
    const V2__ModelRepositoryParameter *value = entry->value;
    if (value && value->parameter_choice_case == V2__MODEL_REPOSITORY_PARAMETER__PARAMETER_CHOICE_BOOL_PARAM) {
        parameter.kind = ORDER_BOOL;
    } else if (value && value->parameter_choice_case == V2__MODEL_REPOSITORY_PARAMETER__PARAMETER_CHOICE_STRING_PARAM) {
        parameter.kind = ORDER_TEXT;
        parameter.content = structs_str(value->string_param);
    } else if (value && value->parameter_choice_case == V2__MODEL_REPOSITORY_PARAMETER__PARAMETER_CHOICE_BYTES_PARAM) {
        parameter.kind = ORDER_BYTES;
        parameter.content = structs_str(value->bytes_param);
    }
    return order_take_parameter(order, &parameter);
}

static void answer(struct order *order, struct status status)
{
    static const V2__RepositoryModelLoadResponse nothing = V2__REPOSITORY_MODEL_LOAD_RESPONSE__INIT;
    grpc_answer(order->context, status, &nothing.base);
}

/* The messages of both methods have the same fields. */
void grpc_change_models(struct rpc_call *call, enum order_kind kind)
{
    const V2__RepositoryModelLoadRequest *request = grpc_request(call, &v2__repository_model_load_request__descriptor);
    struct order *order = request ? grpc_order(call, kind, request->repository_name, answer) : NULL;
    if (!order)
        return;
    struct status status = STATUS_IS_OK;
    order->model = structs_str(request->model_name);
    for (size_t i = 0; i < request->n_parameters && is_ok(status); i++)
        status = take_parameter(order, request->parameters[i]);
    grpc_give_order(order, status);
}
