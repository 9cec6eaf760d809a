/* A list in a sentence: "a, b and 7 more". */
#pragma once

#include "base/arena.h"

struct listing {
    struct arena *arena; /* where the text lies */
    size_t most;         /* items that are named; the others are only counted. 0: all are named */
    size_t count;        /* of all items */
    struct str named;
};

/* Adds an item. The listing begins with an arena, and perhaps `most`. */
void listing_add(struct listing *listing, struct str item);

/* Returns the text; it is empty if nothing was added. */
struct str listing_text(const struct listing *listing);
