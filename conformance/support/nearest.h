/* Finds the names that come nearest to a word which names nothing, for hints. */
#pragma once

#include "base/arena.h"

#define NEAREST_MAX 5

struct nearest {
    struct str word;              /* what was typed */
    struct str best[NEAREST_MAX]; /* the nearest names, the best first; they belong to the caller */
    size_t distance[NEAREST_MAX];
    size_t count;
};

/* Looks at one name. It is kept if few edits (of one letter each) turn the word into it or into its last part (after a
 * "." or "/"), or, after all such names, if it holds the word as whole words: "count" is in "data-count", not in
 * "accounts". */
void nearest_try(struct nearest *nearest, struct str name);

/* Returns "did you mean A, B?" with at most `most` names, in the arena, or `otherwise` if no name is near. */
struct str nearest_hint(const struct nearest *nearest, size_t most, const char *otherwise, struct arena *arena);
