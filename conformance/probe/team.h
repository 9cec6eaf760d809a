/* Several probers that ask a target side by side, so that a target that is far away or slow is known soon. */
#pragma once

#include "probe/probing.h"

/* What became of one question: a tree, or NULL and a text that says why. */
struct found_one {
    struct tree *tree;
    struct str evidence;
};

/* Asks the question of that number with the prober of `probing`, in whose arena the result lies. It may be called by
 * several threads at once, each with a prober of its own. */
typedef struct found_one ask_one(struct probing *probing, const void *context, size_t number);

/* Asks the questions 0 to count - 1, as many side by side as the options have jobs, and returns what became of each, in
 * the arena of the prober of `probing`. Notes and
 * requests are in the order of the questions, each line of the notes once. */
struct found_one *team_ask(struct probing *probing, ask_one *ask, const void *context, size_t count);
