/* Internal to editions/: the steps of a comparison. Each gives words of the edition to units that have none yet. */
#pragma once

#include "editions/edition.h"
#include "support/memory.h"

struct comparing {
    const struct edition *edition;
    const struct text *text;
    struct arena *arena;
    struct found *units; /* one for each unit; GONE until a step finds it */
    size_t *owners;      /* for each word of the edition, the unit that it belongs to, or NO_UNIT */
    double weights[256]; /* of each digest: rare words weigh more */
    double average;      /* weight */
};

/* Gives a unit the words from `begin` to before `end` (order.c). */
void comparing_take(struct comparing *comparing, size_t unit, enum finding finding, size_t begin, size_t end);

/* Finds units word by word, in the order of the text: of all ways to place them, the one that keeps most words. If a
 * statement occurs more than once, its neighbours decide which place is meant (order.c). */
void find_in_order(struct comparing *comparing);

/* Finds units word by word among the remaining words, out of order (order.c). */
void find_moved(struct comparing *comparing);

/* Finds units most of whose words are left in the same order: first between the units that stand around them, then
 * anywhere (reworded.c). */
void find_reworded(struct comparing *comparing);

/* Whether the sentence or line ends between the words at `last` and `last + 1` (quote.c). */
bool ends_behind(const struct edition *edition, size_t last);
