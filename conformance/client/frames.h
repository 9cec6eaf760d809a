/* The frames of HTTP/2 that a server sends, on their way to the C core (RFC 9113, 4.1 and 4.3). They pass as they come,
 * except those of a header block that comes in several, and what has padding. The core 1.51 loses the state of its
 * header compression if the client ends the call of a block between two of its frames, and takes the next frame for an
 * error of the connection; and it reads no padding. So a block that fits one frame is passed as one, and HEADERS and
 * DATA are passed without padding. */
#ifndef CLIENT_FRAMES_H
#define CLIENT_FRAMES_H

#include "client/credit.h"

#define FRAMES_HELD  ((size_t)32 * 1024) /* bytes of the frames of a block that are held back until it ends */
#define FRAMES_SPACE (FRAMES_HELD + 9)   /* bytes that came before, of such frames and of one more head */

struct frames {
    unsigned char head[10]; /* of the current frame; of padded DATA with the byte that says how much padding it has */
    size_t head_size;       /* how many bytes of it came */
    size_t rest;            /* bytes of the frame that are still to come, and to pass */
    size_t padding;         /* bytes behind them that do not pass */
    size_t block;           /* bytes of the current header block so far, with the heads of its frames */
    size_t held_size;       /* bytes of it that are held back */
    bool begun;             /* the first frame has come */
    bool holds;             /* what comes is held back */
    bool ends;              /* with the current frame a block ends that is held back */
    bool says_goaway;       /* a GOAWAY has come */
    char held[FRAMES_HELD];
};

/* Reads the bytes, and writes what the core gets to `out`, which has space for them and FRAMES_SPACE more; `*written`
 * says how much. The padding of DATA goes to `credit`. Returns NULL, or why the core must not see what came. `frames`
 * starts as zeros. */
const char *frames_pass(struct frames *frames, struct credit *credit, struct str bytes, char *out, size_t *written);

#endif
