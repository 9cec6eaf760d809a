/* Compressed messages (gRPC, "Compression"): gzip and deflate are inflated in steps, so that others are served in
 * between, and only up to a limit. */
#pragma once

#include "base/arena.h"
#include "base/status.h"

/* A message may inflate to INFLATED_AT_LEAST bytes, or to INFLATED_RATIO times its size if that is more: a client that
 * wants more memory must send more. */
#define INFLATED_AT_LEAST ((size_t)64 * 1024 * 1024)
#define INFLATED_RATIO    ((size_t)16)

/* Returns to how many bytes a message of `size` bytes may inflate, where no message may be above `max_message`. */
size_t inflation_limit(size_t size, size_t max_message);

#define INFLATED_FIRST ((size_t)64 * 1024) /* bytes up to which a message needs only a small buffer */

/* Returns the offset of the byte of a message that should lie at a multiple of MESSAGE_ALIGN. Only the start of the
 * message is given. */
#define MESSAGE_ALIGN ((size_t)64)
typedef size_t message_aligned(struct str start);

struct inflation;

/* Returns NULL without memory. `compressed`, which must stay, is one gzip or zlib stream. `aligned` may be NULL. */
struct inflation *inflation_new(struct str compressed, size_t limit, message_aligned *aligned);

/* Inflates about `most` bytes more, and sets *is_done if that was the rest. Pages are touched as bytes
 * come; the size that the stream claims is ignored. Fails with RESOURCE_EXHAUSTED above the limit, and with INTERNAL if
 * the stream is broken, incomplete, or followed by anything; the message of the error lies in `arena`. */
struct status inflation_go_on(struct inflation *inflation, size_t most, struct arena *arena, bool *is_done);

/* Returns the bytes so far. They belong to the inflation, and may move when inflation_go_on is called. */
struct str inflation_bytes(const struct inflation *inflation);

void inflation_free(struct inflation *inflation); /* NULL is allowed */
