/* Calls of gRPC with one message each way. */
#pragma once

#include "client/call.h"

/* Makes the call of a request. Returns whether it may be repeated, because the server says that it has not processed
 * it. */
bool rpc_exchange(struct channel *channel, const struct request *request, const struct header *extra,
                  struct arena *arena, struct answer *answer);

/* Reads the answer of a call that is over. `shows_http`: also the HTTP fields and the body. */
void rpc_read_answer(const struct call *call, bool shows_http, size_t limit, struct arena *arena,
                     struct answer *answer);
