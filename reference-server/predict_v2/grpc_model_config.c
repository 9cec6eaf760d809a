/* The configuration of a model over gRPC, which is Triton's. The answer has one field, and the message in it comes
 * whole from config_show, so the struct of this answer is not used. */
#include "predict_v2/grpc.h"

#include "models/config.h"
#include "wire/wire.h"

#define FIELD_CONFIG 1

static void answer(struct rpc_call *call, struct str config)
{
    struct buf message = {0};
    wire_write_bytes(&message, FIELD_CONFIG, config);
    rpc_answer_bytes(call, arena_take(call->arena, &message));
}

/* model-configuration-grpc.config model-configuration-grpc.tensors model-configuration-grpc.batch
 * model-configuration-grpc.parameters model-configuration-grpc.versioned model-configuration-grpc.model-known
 * model-configuration-grpc.version-known */
void grpc_model_config(struct rpc_call *call)
{
    const struct shared *shared = call->context;
    struct model_hold hold = {0};
    struct model_config config;
    struct str shown = {0};
    const V2__ModelConfigRequest *request = grpc_request(call, &v2__model_config_request__descriptor);
    if (!request)
        return;
    struct status status = predict_v2_find_config(shared->repository, structs_str(request->name),
                                                  structs_str(request->version), call->arena, &hold, &config);
    if (is_ok(status))
        status = config_show(&config, call->arena, &shown);
    model_release(&hold);
    if (is_ok(status))
        answer(call, shown);
    else
        rpc_refuse(call, status);
}
