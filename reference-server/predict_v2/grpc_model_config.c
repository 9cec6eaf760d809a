/* The configuration of a model over gRPC, which is Triton's. The answer has one field, and the message in it comes
 * whole from config_show, so the struct of this answer is not used. */
#include "predict_v2/grpc.h"

#include "predict_v2/model_config.h"
#include "wire/wire.h"

#define HEAD_MAX 11 /* a tag and a length */

static void answer(struct rpc_call *call, struct str config)
{
    struct str *pieces = arena_alloc(call->arena, 2 * sizeof(*pieces));
    char *head = arena_alloc(call->arena, HEAD_MAX);
    if (!pieces || !head) {
        rpc_refuse(call, status_no_memory());
        return;
    }
    head[0] = 1 << 3 | WIRE_BYTES; /* field 1 */
    pieces[0] = (struct str){head, 1 + wire_put_varint(head + 1, config.size)};
    pieces[1] = config;
    call->pieces = pieces;
    call->piece_count = 2;
    call->status = STATUS_IS_OK;
    rpc_answer(call);
}

/* model-configuration-grpc.config model-configuration-grpc.tensors model-configuration-grpc.batch
 * model-configuration-grpc.parameters model-configuration-grpc.versioned model-configuration-grpc.model-known
 * model-configuration-grpc.version-known */
void grpc_model_config(struct rpc_call *call)
{
    const struct predict_v2 *v2 = call->context;
    struct model_hold hold = {0};
    struct model_config config;
    struct str shown = {0};
    const ProtobufCMessage *message = grpc_request(call, &v2__model_config_request__descriptor);
    if (!message)
        return;
    const V2__ModelConfigRequest *request = (const V2__ModelConfigRequest *)message;
    struct status status = predict_v2_find_config(v2->repository, grpc_str(request->name), grpc_str(request->version),
                                                  call->arena, &hold, &config);
    if (is_ok(status))
        status = config_show(&config, call->arena, &shown);
    model_release(&hold);
    if (is_ok(status))
        answer(call, shown);
    else
        rpc_refuse(call, status);
}
