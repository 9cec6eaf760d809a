/* The numbers of ordered lists. A page shows the place that an item has in its list, whatever number its author wrote
 * before it: "1. 1. 1." and "5) 6) 7)" are the list "1. 2. 3.". A lone item keeps its number, since it may as well be
 * one line of a list. Internal to editions/. */
#pragma once

#include "support/memory.h"

/* The number of an item. */
struct item_number {
    size_t at, size; /* its digits, in bytes of the text */
    size_t place;    /* of the item in its list, from 1; 0: the list has no other item */
};

struct numbering {
    struct item_number *items; /* in the order of the text, in the arena */
    size_t count;
};

struct numbering numbering_of(struct str text, struct arena *arena);
