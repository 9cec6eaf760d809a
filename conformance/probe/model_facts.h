/* What a case of the model "*" can read of the model that it is played with, beside its name and metadata (learn.h has
 * the list of members). Nothing is asked here: it follows from the metadata, the request and its answer. */
#pragma once

#include "tree/tree.h"

struct learned {
    const struct tree *metadata;                   /* NULL: none was found */
    const struct tree *answer;                     /* to the request that the model accepted; NULL: it accepted none */
    struct str version, same_version, odd_version; /* as learn.h has them */
    bool alike;                                    /* two answers to the request were alike */
};

/* The last version that the metadata lists, which may be NULL; "1" if it lists none. */
struct str model_last_version(const struct tree *metadata);

/* Adds `request`, which belongs to `probe` then, and all members that follow from it, from `outputs` to `huge`. What it
 * makes lies in the arena; texts of the metadata are shared. */
void model_facts_add(struct tree *probe, const struct learned *learned, struct tree *request, struct arena *arena);
