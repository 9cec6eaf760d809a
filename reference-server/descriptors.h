/* How many connections the system lets this process have: each is an open file. */
#pragma once

#include "base/status.h"

struct descriptors {
    size_t http;         /* connections of HTTP that are served at once */
    size_t http_waiting; /* further ones that are accepted and wait */
    size_t grpc;         /* connections of gRPC */
};

/* Raises the limit of open files (RLIMIT_NOFILE) to what this process may have, and shares it: HTTP gets what it wants,
 * but at most half, so that neither transport takes the other's. Fails with FAILED_PRECONDITION if the limit is too
 * small for a server. */
struct status descriptors_share(size_t http_wanted, struct arena *arena, struct descriptors *shares);
