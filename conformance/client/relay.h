/* The connection below a gRPC channel. The C core has one end of a pair of sockets; a thread passes bytes between the
 * other end and the server. This has four reasons: we learn why a connection fails; TLS is libcurl's; header blocks
 * without an end do not reach the core, whose version 1.51 limits each frame of a block but not the block
 * (CVE-2023-33953); and what it cannot read of HTTP/2 is made simpler for it (frames.h, credit.h). */
#ifndef CLIENT_RELAY_H
#define CLIENT_RELAY_H

#include "client/client.h"

struct relay;

/* Connects to the gRPC address within the timeout. NULL: the answer says why it failed. `core` gets the socket for
 * grpc_channel_create_from_fd; the core closes it. */
struct relay *relay_open(const struct client_options *options, struct str address, int *core, struct arena *arena,
                         struct answer *answer);

/* Closes both sides without waiting; bytes on their way are lost. */
void relay_close(struct relay *relay);

/* Whether another call can be made: the connection is neither closed nor about to be (GOAWAY). */
bool relay_serves(struct relay *relay);

/* A sentence that says what the server sent that the core must not see; the connection was closed for it. NULL:
 * nothing. */
const char *relay_fault(struct relay *relay);

#endif
