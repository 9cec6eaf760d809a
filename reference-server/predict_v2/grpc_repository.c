#include "predict_v2/grpc_repository.h"

/* Orders of clients that have left must not fill the queue of the order thread, since no budget counts their memory. */
static bool is_awaited(const struct order *order)
{
    const struct grpc_order *made = order->context;
    return rpc_is_awaited(made->call);
}

struct grpc_order *grpc_order(struct rpc_call *call, enum order_kind kind, ProtobufCBinaryData repository,
                              void (*done)(struct order *order, struct status status))
{
    const struct predict_v2 *v2 = call->context;
    struct grpc_order *made = arena_new_of(call->arena, struct grpc_order);
    struct status status = made ? STATUS_IS_OK : status_no_memory();
    if (is_ok(status))
        status = order_is_allowed(v2, kind, rpc_metadata(call, "authorization"), call->arena);
    if (!is_ok(status)) {
        rpc_refuse(call, status);
        return NULL;
    }
    made->call = call;
    made->order = (struct order){
        .kind = kind,
        .arena = call->arena,
        .repository = structs_str(repository),
        .done = done,
        .is_awaited = is_awaited,
        .context = made,
    };
    return made;
}

void grpc_give_order(struct grpc_order *made, struct status status)
{
    const struct predict_v2 *v2 = made->call->context;
    if (is_ok(status))
        repository_order(v2->repository, &made->order);
    else
        rpc_refuse(made->call, status);
}

void grpc_order_done(struct order *order, struct status status)
{
    const struct grpc_order *made = order->context;
    grpc_answer(made->call, status, made->answer);
}
