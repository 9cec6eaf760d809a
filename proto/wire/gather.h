/* Splits the large data off a message. Each value of one repeated bytes field of the top level is copied once, into
 * aligned memory of its own, or stays where it is if it stands aligned already. All other fields become one contiguous
 * message. */
#pragma once

#include "wire/wire.h"

struct wire_parts {
    struct str rest;    /* the other fields, in their order */
    struct str *values; /* the values, each aligned to 64 bytes and writable; the list is in the arena */
    size_t count;
    size_t staying;  /* how many of the values are in the message; the others are in the arena */
    bool rest_stays; /* the rest is in the message; otherwise it is in the arena */
};

/* If `may_stay`, the message must be writable, and live as long as the parts if some of these stay; otherwise all is
 * copied. Fails with INVALID_ARGUMENT if the top level is malformed, and with RESOURCE_EXHAUSTED if the arena is
 * exhausted. It allocates at most the size of the message, plus 64 bytes and one struct str for each value. */
struct status wire_gather(struct str message, uint32_t field, bool may_stay, struct arena *arena,
                          struct wire_parts *parts);

/* Returns where in a message the first value of the field begins; 0 if that is not seen in its start. */
size_t wire_first_value(struct str start, uint32_t field);
