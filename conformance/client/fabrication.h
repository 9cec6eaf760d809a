/* Some gRPC statuses are made by the client's C core and not by the server: UNAVAILABLE when the connection ends,
 * UNIMPLEMENTED for an HTTP 404, UNKNOWN if a status is missing. They look like answers, but a server must not be
 * judged by what the client library says. */
#ifndef CLIENT_FABRICATION_H
#define CLIENT_FABRICATION_H

#include "client/client.h"

/* If the code and the details of the answer are the core's own, sets outcome and trouble instead. */
void fabrication_find(struct answer *answer, struct arena *arena);

/* Whether the core has ended the call because a GOAWAY says that the server does not see it: then it may be made again
 * on another connection (RFC 9113, 6.8). */
bool fabrication_is_unseen(const struct answer *answer);

#endif
