/* Health over gRPC (000, "GRPC Health"). A server that drains is live but not ready. */
#include "predict_v2/grpc.h"

/* "GRPC Server Live"
 * v2-grpc.server-live v2-grpc.live-while-loading */
void grpc_server_live(struct rpc_call *call)
{
    if (!grpc_request(call, &v2__server_live_request__descriptor))
        return;
    V2__ServerLiveResponse response = V2__SERVER_LIVE_RESPONSE__INIT;
    response.live = true;
    rpc_answer_message(call, &response.base);
}

/* "GRPC Server Ready": the server is ready if every model is ready and it does not drain.
 * v2-grpc.server-ready v2-grpc.ready-while-loading */
void grpc_server_ready(struct rpc_call *call)
{
    const struct shared *shared = call->context;
    if (!grpc_request(call, &v2__server_ready_request__descriptor))
        return;
    V2__ServerReadyResponse response = V2__SERVER_READY_RESPONSE__INIT;
    response.ready = infer_is_ready(shared->repository);
    rpc_answer_message(call, &response.base);
}

/* "GRPC Model Ready": an unknown model or version is the error NOT_FOUND; a model that is not ready is answered with
 * false (SPEC_NOTES.md, note 26).
 * v2-grpc.model-is-ready v2-grpc.model-ready-versioned v2-grpc.model-ready-false v2-grpc.model-ready-error */
void grpc_model_ready(struct rpc_call *call)
{
    const struct shared *shared = call->context;
    const V2__ModelReadyRequest *request = grpc_request(call, &v2__model_ready_request__descriptor);
    if (!request)
        return;
    struct model_hold hold = {0};
    struct status status = repository_find(shared->repository, structs_str(request->name),
                                           structs_str(request->version), call->arena, &hold);
    V2__ModelReadyResponse response = V2__MODEL_READY_RESPONSE__INIT;
    response.ready = is_ok(status) && atomic_load(&hold.model->state) == MODEL_READY;
    model_release(&hold);
    grpc_answer(call, status, &response.base);
}
