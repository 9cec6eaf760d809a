/* The connection under a gRPC channel. The C core has one end of a pair of sockets, a thread passes the bytes between
 * it and the server; so it is known why there is no connection, TLS is libcurl's, and what the core would take in
 * without end does not reach it: version 1.51 holds each frame of a header block against its limit, not the block
 * (CVE-2023-33953). */
#ifndef CLIENT_RELAY_H
#define CLIENT_RELAY_H

#include "client/client.h"

struct relay;

/* Connects to the gRPC address within the timeout. NULL: the answer says why not.
 *   core   a socket for grpc_channel_create_from_fd; the core's to close */
struct relay *relay_open(const struct client_options *options, struct str address, int *core, struct arena *arena,
                         struct answer *answer);

/* Waits for nothing; what is on its way is lost. */
void relay_close(struct relay *relay);

/* Whether another call can be made on it: it is neither closed nor about to be (GOAWAY). */
bool relay_serves(struct relay *relay);

/* What the server sent that the core may not see, as a sentence: the connection has been closed for it. NULL: nothing.
 */
const char *relay_fault(struct relay *relay);

#endif
