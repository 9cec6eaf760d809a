/* Frames of HTTP/2 as text, for a person. */
#pragma once

#include "base/buf.h"

/* Appends each frame of the bytes of a connection between `begin` and `end`: "HEADERS flags 05 stream 1, 12 bytes:
 * 82864184 ...". A client's preface, and bytes that are no whole frame, are told as such. */
void frame_text_append(struct str bytes, const char *begin, const char *end, struct buf *out);
