/* What the methods of the model repository share over gRPC. */
#pragma once

#include "predict_v2/grpc.h"
#include "predict_v2/repository_order.h"

/* Makes an order of a call, without its model and parameters. Returns NULL after a refusal: without memory, or if the
 * order changes models and clients may not. */
struct order *grpc_order(struct rpc_call *call, enum order_kind kind, ProtobufCBinaryData repository,
                         void (*done)(struct order *order, struct status status));

/* Gives an order to the repository, or refuses it if it has a fault. */
void grpc_give_order(struct order *order, struct status status);

/* Handles a request to load or unload a model. */
void grpc_change_models(struct rpc_call *call, enum order_kind kind);
