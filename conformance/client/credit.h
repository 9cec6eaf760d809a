/* What a server may send again for padding that the core does not see (RFC 9113, 5.2 and 6.9.1). A server counts the
 * padding of DATA against the windows of its stream and of the connection, and the core gives back only what it sees;
 * so WINDOW_UPDATE frames for the rest go up to the server, between two frames of the core. */
#ifndef CLIENT_CREDIT_H
#define CLIENT_CREDIT_H

#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>

#define CREDIT_STREAMS 16 /* how many open streams are known; of more, those that were opened first get nothing */
#define CREDIT_SPACE   ((size_t)13 * (CREDIT_STREAMS + 1)) /* bytes of one WINDOW_UPDATE for each and the connection */

struct window {
    uint32_t stream; /* 0: the connection, or that no stream stands here */
    uint32_t owed;   /* bytes of padding that were not given back */
};

struct credit {
    struct window connection, streams[CREDIT_STREAMS];
    size_t next;            /* where the next stream that is opened stands */
    unsigned char head[24]; /* of the frame that the core sends; before the first one, the preface of HTTP/2 */
    size_t head_size;       /* how many bytes of it came */
    size_t rest;            /* bytes of the frame that are still to come */
    bool begun, greeted;    /* the preface has passed; SETTINGS have passed */
};

/* The server has sent so much padding on a stream. */
void credit_padding(struct credit *credit, uint32_t stream, size_t bytes);

/* The server sends nothing more on a stream. */
void credit_end(struct credit *credit, uint32_t stream);

/* Copies what the core sends to `out`, and where a frame ends the updates that are due. `out` has space for the bytes
 * and CREDIT_SPACE more. Returns how much it wrote; with no bytes, only what is due. `credit` starts as zeros. */
size_t credit_pass(struct credit *credit, struct str bytes, char *out);

#endif
