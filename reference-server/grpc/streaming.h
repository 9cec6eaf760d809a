/* Calls with many messages (rpc.h): what comes (incoming.h), what goes (outgoing.h), and the loop that attends to both.
 *
 * All of it happens on the thread of the loop, except that any thread may add a message, ask for the next one, and say
 * what it holds. It then asks the loop to attend (attention.h). The post of that outlives the stream if need be: a call
 * that is posted is left when its post is taken, and not before. */
#pragma once

#include "grpc/call.h"

/* Gives the call what it needs beside a server_call. Returns false without memory. */
bool streaming_open(struct server_call *call);

/* Does all that is to be done: hands over messages, tells the handler, has answers sent. */
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

/* Tells the handler that the stream is closed. Returns whether the call may be left at once; otherwise it is, when the
 * loop has taken the post of the call. */
bool streaming_close(struct server_call *call);
bool streaming_is_posted(struct server_call *call);
bool streaming_is_stalled(const struct server_call *call);
void streaming_drain(struct server_call *call);
