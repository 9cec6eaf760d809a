/* Statuses that the gRPC core makes itself: UNAVAILABLE when the connection ends, UNIMPLEMENTED from an HTTP 404,
 * UNKNOWN where a status is missing. They look like a server's answer, but a server must not be judged by what the
 * client library said. */
#ifndef CLIENT_FABRICATION_H
#define CLIENT_FABRICATION_H

#include "client/client.h"

/* Where the answer's code and details are the core's own: sets its outcome and trouble. */
void fabrication_find(struct answer *answer, struct arena *arena);

#endif
