/* The index of the model repository over gRPC (001, "RepositoryIndex"): an entry for each version of each model. */
#include "predict_v2/grpc_repository.h"

typedef V2__RepositoryIndexResponse__ModelIndex ModelIndex;

static void describe(const struct model_row *row, ModelIndex *entry)
{
    entry->name = structs_bytes(row->name);
    entry->version = structs_bytes(row->version);
    entry->state = structs_bytes(str_of(order_state_name(row->state)));
    entry->reason = structs_bytes(row->reason);
}

static void answer(struct order *order, struct status status)
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
    struct order *order = request ? grpc_order(call, ORDER_INDEX, request->repository_name, answer) : NULL;
    if (!order)
        return;
    order->only_ready = request->ready;
    grpc_give_order(order, STATUS_IS_OK);
}
