/* Compressed messages (gRPC, "Compression"): gzip and deflate are inflated, but only up to a limit. */
#ifndef GRPC_INFLATE_H
#define GRPC_INFLATE_H

#include "base/arena.h"
#include "base/status.h"

/* Inflates `slices`, which are one gzip or zlib stream, into pieces of the arena. The pieces grow with the bytes that
 * come; the size that the stream claims is ignored. *out gets the pieces and *size their bytes. Fails with
 * RESOURCE_EXHAUSTED above `limit` bytes, and with INVALID_ARGUMENT if the stream is broken, incomplete, or followed by
 * anything. */
struct status inflate_slices(const struct str *slices, size_t count, size_t limit, struct arena *arena,
                             const struct str **out, size_t *out_count, size_t *size);

#endif
