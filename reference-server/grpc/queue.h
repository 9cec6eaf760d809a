/* Calls whose message is large or compressed. What they need takes long and much memory, so they queue when the
 * message is complete, and a turn of the loop does a step for them: other calls are answered between two steps, and few
 * large messages are decoded at the same time.
 *
 * Compressed messages are inflated here ("Message-Encoding"). Beyond a first small part, the server inflates one at a
 * time, because only then it is known how large the message is. */
#pragma once

#include "grpc/call.h"

/* Says whether the call has to be queued with its message, which is complete. */
bool queue_is_for(const struct server_call *call);
void queue_join(struct server_call *call);

/* Takes the call out of the queue, and lets other messages be inflated; does nothing where there is nothing to do. */
void queue_leave(struct server_call *call);

/* Does a step of what the queued calls need. To be called once in a turn of the loop, if there are any. Returns whether
 * all of them wait, for memory or for another loop. */
bool queue_attend(struct calls *calls);
