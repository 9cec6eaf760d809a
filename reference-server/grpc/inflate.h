/* Compressed messages (gRPC, "Compression"): gzip and deflate, inflated only up to a limit. */
#ifndef GRPC_INFLATE_H
#define GRPC_INFLATE_H

#include "base/arena.h"
#include "base/status.h"

/* Inflates `slices`, one gzip or zlib stream, into pieces of the arena that grow as the bytes come; what the stream
 * says of its own size counts for nothing. *out are those pieces, *size the bytes in them. RESOURCE_EXHAUSTED above
 * `limit` bytes; INVALID_ARGUMENT when the stream is broken, incomplete, or followed by anything. */
struct status inflate_slices(const struct str *slices, size_t count, size_t limit, struct arena *arena,
                             const struct str **out, size_t *out_count, size_t *size);

#endif
