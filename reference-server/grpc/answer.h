/* The answer of a call, as "Responses" in "gRPC over HTTP/2" has it: headers, the message after its head, and trailers
 * with the status; or, without a message, the headers with the status alone ("Trailers-Only"). */
#pragma once

#include "grpc/call.h"

/* Sends what the handler has set, of a call with one answer. */
void answer_send(struct server_call *call);

/* Sends a refusal without a call: to a stream for which there is none, or whose handler keeps it. `message` must be
 * ASCII. */
void answer_plainly(struct session *session, int32_t stream, enum status_code code, const char *message);

/* Puts the next `size` bytes of the answer into the output. */
void answer_put(struct server_call *call, struct output *output, size_t size);

/* Begins an answer with many messages: those that call->load_next loads, one after another, and then trailers with the
 * status of the handler, or with the fault of the call. answer_load is for load_next; answer_put puts that message. */
void answer_begin(struct server_call *call);
void answer_load(struct server_call *call, const struct str *message);

/* All of it is in frames. */
void answer_sent(struct server_call *call);

/* Says that bytes of the request were dropped; a client that goes on sending is asked to stop. */
void answer_drop(struct server_call *call, size_t size);

/* Changes the state, which only goes on. */
static inline void answer_go(struct server_call *call, enum answer_state state)
{
    assert(state > call->answer);
    call->answer = state;
}
