/* Frames that a deviating server reads over, as if they had not come, or at which it ends the connection. */
#ifndef GRPC_READ_OVER_H
#define GRPC_READ_OVER_H

#include "base/str.h"
#include "grpc/rpc.h"

#include <nghttp2/nghttp2.h>

#define FRAME_HEAD   ((size_t)9)
#define FRAME_NEEDED ((size_t)6) /* bytes of a payload that are looked at: a setting */

/* Where a connection is among the frames that come. All zero at its beginning. */
struct read_over {
    uint8_t start[FRAME_HEAD + FRAME_NEEDED]; /* of a frame */
    size_t preface, start_size, rest; /* bytes of the preface and of a start that came, of a payload that are to come */
    uint32_t begun;                   /* the highest stream that has HEADERS */
    bool is_dropped;                  /* the frame that comes now */
};

/* Returns the bit of a kind of frames, for rpc_frames; 0 if no kind has this name. */
uint32_t read_over_kind(struct str name);

/* Hands the bytes to the session, but for what the sets leave out. The first frame is always handed on, since no
 * connection begins without it. Returns a value below 0 if the session does, or if the connection ends here. */
ssize_t read_over_receive(struct read_over *at, const struct rpc_frames *frames, nghttp2_session *session,
                          const uint8_t *bytes, size_t size);

#endif
