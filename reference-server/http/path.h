/* Paths of requests, for services whose paths name models. A path is split into segments before each segment is
 * decoded, so an encoded slash belongs to a name and never starts a segment. */
#pragma once

#include "base/arena.h"
#include "base/str.h"

#define HTTP_SEGMENTS_MAX 6

struct path {
    struct str segments[HTTP_SEGMENTS_MAX];
    size_t count;
};

/* Splits a raw path: "/v2/models" has two segments. Returns false if there are more segments than
 * HTTP_SEGMENTS_MAX, which is more than any endpoint of the services has. */
bool path_split(struct str raw, struct path *path);

/* Percent-decodes the segments (RFC 3986, 2.1). Returns false if a % is not followed by two hexadecimal digits. */
bool path_decode(struct path *path, struct arena *arena);
