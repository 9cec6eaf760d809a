/* The forms of headers in "gRPC over HTTP/2": what a server reads in them, and how it writes them. No function here
 * knows a connection. */
#pragma once

#include "base/arena.h"
#include <stdint.h>

/* Says whether a Content-Type is "application/grpc", alone or with "+proto" or another format after it. */
bool header_is_grpc(struct str content_type);

/* Reads a grpc-timeout: one to eight digits and a unit of "HMSmun". Returns false if it is anything else. */
bool header_timeout(struct str value, int64_t *nanoseconds);

/* Writes a grpc-message: UTF-8 with percent signs before all that is not printable ASCII. Returns null data without
 * memory. */
struct str header_percent_encoded(struct arena *arena, struct str message);
