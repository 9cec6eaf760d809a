/* Calls whose message is large or compressed. Reading it takes time and memory, so these calls queue when the message
 * is complete, and each turn of the loop does one step for them. Other calls are answered between two steps, and few
 * large messages are decoded at the same time.
 *
 * Compressed messages are inflated here ("Message-Encoding"). Beyond a first small part, the server inflates one
 * message at a time, because nobody knows beforehand how large it will be. */
#pragma once

#include "grpc/call.h"

/* Says whether the call has to be queued with its message, which is complete. */
bool queue_is_for(const struct server_call *call);
void queue_join(struct server_call *call);

/* Takes the call out of the queue if it is in it, and lets other messages be inflated if this call prevented that. */
void queue_leave(struct server_call *call);

/* Does one step for the queued calls. Must be called once in each turn of the loop while calls are queued. Returns
 * whether all of them wait, for memory or for another loop. */
bool queue_attend(struct calls *calls);
