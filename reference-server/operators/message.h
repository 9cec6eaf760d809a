/* The request of a call to an operator's service. */
#ifndef OPERATORS_MESSAGE_H
#define OPERATORS_MESSAGE_H

#include "grpc/rpc.h"
#include "wire/message.h"

/* Joins the pieces of the request message and checks it by its schema. The message lies where its slices do, or in the
 * arena. Fails with INVALID_ARGUMENT ("message-valid"). */
struct status operators_read(struct rpc_call *call, struct arena *arena, struct str *message);

#endif
