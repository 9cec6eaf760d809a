/* Reads and writes base64 (RFC 4648, 4): the form of bytes in JSON, and in headers of gRPC. */
#pragma once

#include "base/arena.h"

/* Decodes the text into the arena. Returns false if it is not base64 with its padding, or has other characters; `bytes`
 * has null data then, or if the arena is exhausted. */
bool base64_read(struct str text, struct arena *arena, struct str *bytes);

/* Encodes the bytes into the arena, with padding. Returns null data if the arena is exhausted. */
struct str base64_write(struct str bytes, struct arena *arena);
