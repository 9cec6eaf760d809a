/* The model repository over gRPC (001, "RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload"). */
#include "predict_v2/grpc.h"

#include "predict_v2/repository_order.h"

/* Orders of clients that have left must not fill the queue of the order thread, since no budget counts their memory. */
static bool is_awaited(const struct order *order)
{
    return rpc_is_awaited(order->context);
}

/* Makes an order of a call, without its model and parameters. Returns NULL after a refusal: without memory, or if the
 * order changes models and clients may not. */
static struct order *order_of(struct rpc_call *call, enum order_kind kind, ProtobufCBinaryData repository,
                              void (*done)(struct order *order, struct status status))
{
    struct order *order;
    struct status status = order_new(call->context, kind, rpc_metadata(call, "authorization"), call->arena, &order);
    if (!is_ok(status)) {
        rpc_refuse(call, status);
        return NULL;
    }
    order->repository = structs_str(repository);
    order->done = done;
    order->is_awaited = is_awaited;
    order->context = call;
    return order;
}

/* Gives an order to the repository, or refuses it if it has a fault. */
static void give(struct order *order, struct status status)
{
    struct rpc_call *call = order->context;
    const struct shared *shared = call->context;
    if (is_ok(status))
        repository_order(shared->repository, order);
    else
        rpc_refuse(call, status);
}

/* --- The index: an entry for each version of each model --- */

typedef V2__RepositoryIndexResponse__ModelIndex ModelIndex;

static void describe(const struct model_row *row, ModelIndex *entry)
{
    entry->name = structs_bytes(row->name);
    entry->version = structs_bytes(row->version);
    entry->state = structs_bytes(str_of(order_state_name(row->state)));
    entry->reason = structs_bytes(row->reason);
}

static void answer_index(struct order *order, struct status status)
{
    V2__RepositoryIndexResponse response = V2__REPOSITORY_INDEX_RESPONSE__INIT;
    response.models =
        structs_list(order->arena, &v2__repository_index_response__model_index__descriptor, order->row_count);
    if (is_ok(status) && !response.models)
        status = status_no_memory();
    for (size_t i = 0; i < order->row_count && is_ok(status); i++)
        describe(&order->rows[i], response.models[response.n_models++]);
    grpc_answer(order->context, status, &response.base);
}

/* repository-grpc.index repository-grpc.index-models repository-grpc.index-state repository-grpc.index-reason
 * repository-grpc.index-ready repository-grpc.index-repository */
void grpc_repository_index(struct rpc_call *call)
{
    const V2__RepositoryIndexRequest *request = grpc_request(call, &v2__repository_index_request__descriptor);
    struct order *order = request ? order_of(call, ORDER_INDEX, request->repository_name, answer_index) : NULL;
    if (!order)
        return;
    order->only_ready = request->ready;
    give(order, STATUS_IS_OK);
}

/* --- To load and to unload --- */

typedef V2__RepositoryModelLoadRequest__ParametersEntry Entry;

static struct status take_parameter(struct order *order, const Entry *entry)
{
    struct order_parameter parameter = {.name = structs_str(entry->key), .bytes_are = "bytes"};
    const V2__ModelRepositoryParameter *value = entry->value;
    if (value)
        parameter.kind = (enum order_value)value->parameter_choice_case;
    if (parameter.kind == ORDER_TEXT || parameter.kind == ORDER_BYTES)
        parameter.content = structs_str(value->bytes_param); /* which lies where string_param does */
    return order_take_parameter(order, &parameter);
}

static struct status take_parameters(struct order *order, const V2__RepositoryModelLoadRequest *request)
{
    for (size_t i = 0; i < request->n_parameters; i++)
        TRY(take_parameter(order, request->parameters[i]));
    return STATUS_IS_OK;
}

static void answer_change(struct order *order, struct status status)
{
    static const V2__RepositoryModelLoadResponse nothing = V2__REPOSITORY_MODEL_LOAD_RESPONSE__INIT;
    grpc_answer(order->context, status, &nothing.base);
}

/* The messages of both methods have the same fields. */
static void change_models(struct rpc_call *call, enum order_kind kind)
{
    const V2__RepositoryModelLoadRequest *request = grpc_request(call, &v2__repository_model_load_request__descriptor);
    struct order *order = request ? order_of(call, kind, request->repository_name, answer_change) : NULL;
    if (!order)
        return;
    order->model = structs_str(request->model_name);
    give(order, take_parameters(order, request));
}

/* A model that is served already is loaded again.
 * repository-grpc.load repository-grpc.load-again repository-grpc.load-known repository-grpc.load-name-required
 * repository-grpc.load-inside repository-grpc.load-broken repository-grpc.load-failed-keeps
 * repository-grpc.load-repository repository-grpc.refused-changes-nothing repository-grpc.load-config
 * repository-grpc.load-config-valid repository-grpc.load-files repository-grpc.load-file-valid
 * repository-grpc.load-file-inside repository-grpc.parameter-unknown */
void grpc_repository_load(struct rpc_call *call)
{
    change_models(call, ORDER_LOAD);
}

/* The answer comes when new requests are refused; requests in flight may still run.
 * repository-grpc.unload repository-grpc.unload-again repository-grpc.unload-known repository-grpc.unload-name-required
 * repository-grpc.unload-repository repository-grpc.unload-in-flight repository-grpc.index-unloading
 * repository-grpc.unload-dependents repository-grpc.unload-dependents-boolean */
void grpc_repository_unload(struct rpc_call *call)
{
    change_models(call, ORDER_UNLOAD);
}
