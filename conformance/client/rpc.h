/* Calls of gRPC with one message each way. */
#ifndef CLIENT_RPC_H
#define CLIENT_RPC_H

#include "client/channel.h"

/* Makes the call of a request. One that is framed has a connection of its own. An exchange that ends without an answer
 * ends the connection. A call that the server says it did not look at is made once more, on another connection. */
void rpc_exchange(struct channel *channel, const struct request *request, const struct header *extra,
                  struct arena *arena, struct answer *answer);

#endif
