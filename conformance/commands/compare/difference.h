/* Where two answers differ. They are compared as trees (protocols/answer.h), so that messages count by what they mean;
 * in a place, the number of an element does not matter. */
#pragma once

#include "support/secrets.h"
#include "tree/tree.h"

struct comparing {
    void (*found)(void *context, struct str place, struct str first, struct str second);
    void *context;
    struct arena *arena;           /* for places and values */
    const struct secrets *secrets; /* are hidden in them */
    const struct tree *read[2];    /* set by differences_find: the answers, of whose bodies the protocol read members */
};

/* Calls `found` for each difference, with its place, "/json/outputs/@/name", and what is there: "200", "nothing". */
void differences_find(struct comparing *comparing, const struct tree *first, const struct tree *second);
