/* Joins a message that arrived in slices, and splits off its large data. Each value of one repeated bytes field of the
 * top level is copied once, into aligned memory of its own. All other fields become one contiguous message. */
#ifndef WIRE_GATHER_H
#define WIRE_GATHER_H

#include "wire/wire.h"

struct wire_parts {
    struct str rest;    /* the other fields, in their order; in the arena */
    struct str *values; /* the values, each aligned to 64 bytes and writable; in the arena */
    size_t count;
};

/* `slices` stand in order and may have any size; they may be freed afterwards. Fails with INVALID_ARGUMENT if the top
 * level is malformed, and with RESOURCE_EXHAUSTED if the arena is exhausted. It allocates at most the size of the
 * message, plus 64 bytes and one struct str for each value. */
struct status wire_gather(const struct str *slices, size_t slice_count, uint32_t field, struct arena *arena,
                          struct wire_parts *parts);

#endif
