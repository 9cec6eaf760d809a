/* Some gRPC statuses are made by the client's C core and not by the server: UNAVAILABLE when the connection ends,
 * UNIMPLEMENTED for an HTTP 404, UNKNOWN if a status is missing. They look like answers, but a server must not be
 * judged by what the client library says. */
#ifndef CLIENT_FABRICATION_H
#define CLIENT_FABRICATION_H

#include "client/client.h"

/* If the code and the details of the answer are the core's own, sets outcome and trouble instead. */
void fabrication_find(struct answer *answer, struct arena *arena);

#endif
