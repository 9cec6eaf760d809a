/* Calls with many messages (rpc.h): received messages (incoming.h), messages to send (outgoing.h), and the loop that
 * attends to both.
 *
 * Everything happens on the thread of the loop, except that any thread may call rpc_send, rpc_next and rpc_charge,
 * which then ask the loop to attend (attention.h). If such a post is on its way when the stream closes, the call is
 * kept until the loop has taken the post. */
#pragma once

#include "grpc/call.h"

/* Makes call->streaming. Returns false without memory. */
bool streaming_open(struct server_call *call);

/* Does everything that is due: hands messages over, calls functions of the handler, sends answers. */
void streaming_attend(struct server_call *call);
void streaming_take_data(struct server_call *call, struct str bytes);
void streaming_take_end(struct server_call *call);
bool streaming_admit(struct server_call *call);

/* The message is inflated, or cannot be. */
void streaming_take_inflated(struct server_call *call, struct status status);

/* Ends the call with what the handler has answered. */
void streaming_answer(struct server_call *call);

/* Ends the call with a status of the transport, and tells the handler. */
void streaming_fail(struct server_call *call, struct status status);

/* Tells the handler that the stream is closed. Returns whether the caller may leave the call at once; otherwise the
 * loop leaves it when it has taken the post of the call. */
bool streaming_close(struct server_call *call);
bool streaming_is_posted(struct server_call *call);
bool streaming_is_stalled(const struct server_call *call);
void streaming_drain(struct server_call *call);
