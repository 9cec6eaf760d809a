/* What the methods of the model repository share over gRPC. */
#pragma once

#include "predict_v2/grpc.h"
#include "predict_v2/repository_order.h"

struct grpc_order {
    struct order order;
    struct rpc_call *call;
    const ProtobufCMessage *answer; /* of an order that changes models: what is answered when it is carried out */
    bool only_ready;                /* of an index */
};

/* Makes an order, without its model and parameters. Returns NULL after a refusal: without memory, or if the order
 * changes models and clients may not. */
struct grpc_order *grpc_order(struct rpc_call *call, enum order_kind kind, ProtobufCBinaryData repository,
                              void (*done)(struct order *order, struct status status));

/* The `done` of orders that change models: answers or refuses. */
void grpc_order_done(struct order *order, struct status status);

/* Gives an order to the repository, or refuses it if it has a fault. */
void grpc_give_order(struct grpc_order *made, struct status status);

/* The kind of a parameter's value, and its bytes if it is a text or bytes. */
typedef V2__ModelRepositoryParameter RepositoryParameter;

static inline bool repository_parameter_is(const RepositoryParameter *value,
                                           V2__ModelRepositoryParameter__ParameterChoiceCase kind)
{
    return value && value->parameter_choice_case == kind;
}
