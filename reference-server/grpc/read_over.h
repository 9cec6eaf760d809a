/* Frames that a deviating server reads over, as if they had not come. */
#ifndef GRPC_READ_OVER_H
#define GRPC_READ_OVER_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>

/* Where a connection is among the frames that come. All zero at its beginning. */
struct read_over {
    uint8_t head[9];
    size_t preface, head_size, rest; /* bytes of the preface and of a head that came, of a payload that are to come */
    bool is_dropped;                 /* the frame that comes now */
};

/* Hands the bytes to the session, except for frames whose kind is in the set (1 << kind; all kinds above 9 are 10).
 * What is always handed on is the first frame, since no connection begins without it, and every PING that is right, by
 * which a client sees that the connection lives. Returns a value below 0 if the session does. */
ssize_t read_over_receive(struct read_over *at, uint32_t kinds, nghttp2_session *session, const uint8_t *bytes,
                          size_t size);

#endif
