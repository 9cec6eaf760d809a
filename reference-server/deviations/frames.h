/* Frames of HTTP/2 that a deviation reads over, as if they had not come, or at which it ends the connection. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the bits of a kind of frames; 0 if no kind has this name. */
uint32_t frames_kind(struct str name);

/* Sets which kinds are read over and at which a connection ends, before there is one. Returns whether that is any. */
bool frames_choose(uint32_t read_over, uint32_t end_at);

struct nghttp2_session;

/* Hands the bytes to the session, except the frames that a deviation skips (rpc_options.receive). The first frame is
 * always handed on, since no connection begins without it. */
long frames_receive(struct nghttp2_session *session, void **state, const uint8_t *bytes, size_t size);
