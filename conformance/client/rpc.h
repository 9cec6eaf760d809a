/* Calls of gRPC with one message each way. */
#pragma once

#include "client/call.h"

/* Makes the call of a request. Returns whether it can be made once more: the server says that it did not look at it. */
bool rpc_exchange(struct channel *channel, const struct request *request, const struct header *extra,
                  struct arena *arena, struct answer *answer);

/* Reads the answer of a call that is over, whoever read its stream. `shows_http`: as HTTP/2 has it, too. */
void rpc_read_answer(const struct call *call, bool shows_http, size_t limit, struct arena *arena,
                     struct answer *answer);
