/* A message that arrived in slices, with its bulk split off: each value of one repeated bytes field of the top level is
 * copied once, into aligned memory of its own; everything else becomes one contiguous rest. */
#ifndef WIRE_GATHER_H
#define WIRE_GATHER_H

#include "wire/wire.h"

struct wire_parts {
    struct str rest;    /* the other fields, in order; arena */
    struct str *values; /* 64-byte aligned, writable; arena */
    size_t count;
};

/* `slices` in order, any sizes. INVALID_ARGUMENT when the top level is malformed; RESOURCE_EXHAUSTED when the arena
 * gives out. Never allocates more than the message's size, and 64 bytes and one pointer pair a value. */
struct status wire_gather(const struct str *slices, size_t slice_count, uint32_t field, struct arena *arena,
                          struct wire_parts *parts);

#endif
